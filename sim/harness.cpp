// The machine's surroundings: clock, reset, register bus, and the memory behind the two ports.
// Called from sim/engine.py; no bit position of the machine is known here (see ports.h).
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "dram.h"
#include "observer.h"
#include "ports.h"
#include "recorder.h"
#include "segments.h"
#include "verilated.h"
#include "waves.h"

namespace {

namespace read_request = field::read_request_payload;
namespace read_response = field::read_response_payload;
namespace write_request = field::write_request_payload;
namespace write_response = field::write_response_payload;

constexpr int line_words = read_response::data::words;
constexpr int line_bytes = 4 * line_words;

}  // namespace

// The same as engine.py's _Settings.
struct Settings {
    uint32_t low, high;     // latency in cycles
    uint32_t stall;         // probability of back-pressure, in 2**-32
    uint32_t late;          // probability of `late_latency`, in 2**-32
    uint32_t late_latency;  // in cycles
    uint32_t record;        // keep what the probes show
    uint64_t seed;
    uint64_t silent_after;  // reads answered before the memory goes silent
    uint64_t stray_at;      // read, from 1, before whose answer one with `stray_tag` comes
    uint64_t stray_tag;
};

// The same as engine.py's _Traffic.
struct Traffic {
    uint64_t cycles;  // since the instance was made
    uint64_t reads, read_answers, writes, write_answers;
    uint64_t stray_reads, stray_writes, first_stray_write;
};

class Harness {
public:
    Harness() : top(&context) {
        top.clk = 0;
        idle();
        reset(2);
    }

    ~Harness() {
        waves.close();
        top.final();
    }

    // Forgets all requests on their way; contents and place of the memory stay.
    void reset(int cycles) {
        idle();
        top.rst = 1;
        for (int n = 0; n < cycles; ++n) cycle();
        top.rst = 0;
        idle();
    }

    // Only while no request is on its way.
    void configure(const Settings& wanted) {
        settings = wanted;
        make_memory = [=] {
            return std::make_unique<DelayTiming>(wanted.low, wanted.high, wanted.stall,
                                                 wanted.late, wanted.late_latency, wanted.seed);
        };
        dram = nullptr;
        idle();
        segments.clear();
        read_errors.clear();
        write_errors.clear();
        tokens.clear();
        vectors.clear();
        observer.reset();
        traffic = Traffic{now, 0, 0, 0, 0, 0, 0, 0};
        first = ~0ull;
    }

    // After `configure`: a DRAM in place of the latency.
    void configure_dram(const DramSettings& wanted) {
        make_memory = [this, wanted] {
            auto made = std::make_unique<Dram>(wanted);
            dram = made.get();
            return made;
        };
        idle();
    }

    void bus_write(uint32_t address, uint32_t value) {
        port::bus_address(top) = address;
        port::bus_write_data(top) = value;
        port::bus_write(top) = 1;
        cycle();
        port::bus_write(top) = 0;
    }

    uint32_t bus_read(uint32_t address) {
        port::bus_address(top) = address;
        cycle();  // the address is there
        cycle();  // the data is there
        return port::bus_read_data(top);
    }

    // Until the interrupt, at most `cycles`.
    bool run(uint64_t cycles) {
        for (; cycles; --cycles) {
            if (port::irq(top)) return true;
            cycle();
        }
        return port::irq(top);
    }

    const Traffic& statistics() {
        traffic.cycles = now;
        traffic.stray_reads = segments.stray_reads;
        traffic.stray_writes = segments.stray_writes;
        traffic.first_stray_write = segments.first_stray_write;
        return traffic;
    }

    DramCounts dram_counts() const { return dram ? dram->counts() : DramCounts{}; }

    // The start was written: the cycle after the next is the first that the counters count.
    void begin() { first = now + 1; }

    Recorder recorder;
    Waves waves;
    Segments segments;
    std::unordered_set<uint64_t> read_errors, write_errors;
    std::vector<uint32_t> tokens, vectors;
    Observer observer;

    // Words of the state probe; 0 if the machine has none.
    int state(uint32_t* out) {
#ifdef PORT_probe_state
        field::probe_state::all::get_words(port::probe_state(top), out);
        return field::probe_state::all::words;
#else
        (void)out;
        return 0;
#endif
    }

private:
    void idle() {
        memory = make_memory();
        answering_read = answering_write = false;
        read_ready = write_ready = write_waits = false;
        stray_due = answering_stray = false;
        port::read_request_ready(top) = 0;
        port::read_response_valid(top) = 0;
        port::write_request_ready(top) = 0;
        port::write_response_valid(top) = 0;
        port::bus_address(top) = 0;
        port::bus_write_data(top) = 0;
        port::bus_write(top) = 0;
    }

    // One clock cycle. Before it the outputs are settled, for the inputs that were set in the
    // cycle before (they pass a register on their way, see verilog.py). What goes through the
    // ports in this cycle is done first; then the next cycle's inputs are chosen, and the clock
    // ticks.
    void cycle() {
        if (!top.rst) {
            if (read_ready && port::read_request_valid(top)) take_read();
            if (write_ready && port::write_request_valid(top)) take_write();
            if (answering_read && port::read_response_ready(top)) end_read();
            if (answering_write && port::write_response_ready(top)) end_write();
            if (settings.record) record();
            write_waits = !write_ready && port::write_request_valid(top);
            if (recorder.on) observe();
        }
        ++now;
        begin_answers();
        port::read_request_ready(top) = read_ready = memory->accepts(read_port);
        port::write_request_ready(top) = write_ready = memory->accepts(write_port);
        top.clk = 1;
        top.eval();
        if (now >= first) waves.dump(top, now - first, true);
        top.clk = 0;
        top.eval();
        if (now >= first) waves.dump(top, now - first, false);
    }

    void begin_answers() {
        memory->advance(now);
        if (!answering_read) {
            answering_stray = stray_due;
            answering_read = stray_due || memory->answers(read_port);
            if (stray_due)
                present({0, settings.stray_tag, false});
            else if (answering_read)
                present(memory->front(read_port));
            stray_due = false;
            port::read_response_valid(top) = answering_read;
        }
        if (!answering_write) {
            answering_write = memory->answers(write_port);
            if (answering_write)
                write_response::error::put(port::write_response_payload(top),
                                           memory->front(write_port).error);
            port::write_response_valid(top) = answering_write;
        }
    }

    void present(const Request& read) {
        uint32_t words[line_words];
        segments.read(read.line * line_bytes, reinterpret_cast<uint8_t*>(words), line_bytes);
        const bool error = !read_errors.empty() && read_errors.count(read.line);
        auto& payload = port::read_response_payload(top);
        read_response::data::put_words(payload, words);
        read_response::tag::put(payload, read.tag);
        read_response::error::put(payload, error);
        const int shift = read_request::tag_stream::offset - read_request::tag::offset;
        if (settings.record) observer.read_answered(read.tag, read.tag >> shift, error);
    }

    void take_read() {
        const auto& payload = port::read_request_payload(top);
        const Request read{read_request::line::get(payload), read_request::tag::get(payload),
                           false};
        if (settings.record) observer.read_taken(read.tag, read_request::nt::get(payload));
        if (traffic.reads++ < settings.silent_after) memory->take(read_port, now, read);
        if (traffic.reads == settings.stray_at) stray_due = true;
    }

    void take_write() {
        const auto& payload = port::write_request_payload(top);
        uint32_t words[line_words];
        write_request::data::get_words(payload, words);
        const uint64_t line = write_request::line::get(payload);
        const uint64_t mask = write_request::mask::get(payload);
        bool error = !write_errors.empty() && write_errors.count(line);
        if (!error) error = !segments.write(line * line_bytes, words, mask, line_words);
        if (settings.record)
            observer.write_taken(mask == (1ull << line_words) - 1, write_waits, error);
        ++traffic.writes;
        memory->take(write_port, now, {line, 0, error});
    }

    void end_read() {
        answering_read = false;
        if (answering_stray) return;
        memory->pop(read_port);
        ++traffic.read_answers;
    }

    void end_write() {
        memory->pop(write_port);
        answering_write = false;
        ++traffic.write_answers;
    }

    void record() {
#ifdef PORT_probe_token
        if (field::probe_token::valid::get(port::probe_token(top)))
            keep<field::probe_token::payload>(port::probe_token(top), tokens);
#endif
#ifdef PORT_probe_vector
        if (field::probe_vector::valid::get(port::probe_vector(top)))
            keep<field::probe_vector::payload>(port::probe_vector(top), vectors);
#endif
#ifdef FIELD_probe_state_dataq_level
        namespace state = field::probe_state;
        const auto& now_is = port::probe_state(top);
        observer.token(state::ctrlq_valid::get(now_is), state::ctrlq_ready::get(now_is),
                       state::ctrlq_level::get(now_is));
        observer.vector(state::dataq_valid::get(now_is), state::dataq_ready::get(now_is),
                        state::dataq_level::get(now_is));
#endif
    }

    template <class Part, class Port>
    void keep(const Port& port, std::vector<uint32_t>& list) {
        const size_t at = list.size();
        list.resize(at + Part::words);
        Part::get_words(port, list.data() + at);
    }

    void observe() {
#ifdef PORT_probe_token
        namespace probe = field::probe_token;
        const auto& port = port::probe_token(top);
        if (probe::valid::get(port)) {
            uint32_t token[probe::payload::words];
            probe::payload::get_words(port, token);
            recorder.push(token, probe::payload::words, probe::payload_segment::get(port),
                          probe::payload_pc::get(port), probe::payload_halt::get(port));
        }
#endif
#ifdef PORT_probe_state
        uint32_t words[field::probe_state::all::words + 1] = {};
        state(words);
        recorder.sample(words);
#endif
    }

    VerilatedContext context;
    Vtop top;
    Settings settings{1, 1, 0, 0, 1, ~0ull, 0, 0};
    std::function<std::unique_ptr<MemoryTiming>()> make_memory = [] {
        return std::make_unique<DelayTiming>(1, 1, 0, 0, 0, 1);
    };
    std::unique_ptr<MemoryTiming> memory;
    const Dram* dram = nullptr;  // the memory, where it is one
    bool read_ready = false, write_ready = false;
    bool answering_read = false, answering_write = false;
    bool stray_due = false, answering_stray = false;  // an answer that nobody asked for
    bool write_waits = false;                         // it was not taken in the cycle before
    Traffic traffic{};
    uint64_t now = 0;
    uint64_t first = ~0ull;  // the launch's cycle 0
};

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Harness* ember_new() { return new Harness; }
EXPORT void ember_delete(Harness* h) { delete h; }
EXPORT void ember_reset(Harness* h, int cycles) { h->reset(cycles); }
EXPORT void ember_configure(Harness* h, const Settings* s) { h->configure(*s); }
EXPORT void ember_configure_dram(Harness* h, const DramSettings* s) { h->configure_dram(*s); }
EXPORT void ember_dram_counts(Harness* h, DramCounts* out) { *out = h->dram_counts(); }
EXPORT void ember_segment(Harness* h, uint64_t base, uint64_t size, uint8_t* bytes, int writable) {
    h->segments.add(base, size, bytes, writable);
}
EXPORT void ember_fault(Harness* h, uint64_t address, int write) {
    (write ? h->write_errors : h->read_errors).insert(address / line_bytes);
}
EXPORT void ember_write(Harness* h, uint32_t address, uint32_t value) {
    h->bus_write(address, value);
}
EXPORT void ember_write_all(Harness* h, const uint32_t* pairs, uint64_t count) {
    for (uint64_t n = 0; n < count; ++n) h->bus_write(pairs[2 * n], pairs[2 * n + 1]);
}
EXPORT uint32_t ember_read(Harness* h, uint32_t address) { return h->bus_read(address); }
EXPORT int ember_run(Harness* h, uint64_t cycles) { return h->run(cycles); }
EXPORT void ember_traffic(Harness* h, Traffic* out) { *out = h->statistics(); }
EXPORT int ember_state(Harness* h, uint32_t* out) { return h->state(out); }
EXPORT uint64_t ember_tokens(Harness* h, const uint32_t** out) {
    *out = h->tokens.data();
    return h->tokens.size();
}
EXPORT uint64_t ember_vectors(Harness* h, const uint32_t** out) {
    *out = h->vectors.data();
    return h->vectors.size();
}
EXPORT void ember_observed(Harness* h, Observed* out) { *out = h->observer.seen; }
EXPORT uint64_t ember_token_states(Harness* h, const uint8_t** out) {
    *out = h->observer.tokens.data();
    return h->observer.tokens.size();
}
EXPORT uint64_t ember_vector_states(Harness* h, const uint8_t** out) {
    *out = h->observer.vectors.data();
    return h->observer.vectors.size();
}
EXPORT void ember_begin(Harness* h) { h->begin(); }
EXPORT void ember_wave(Harness* h, const char* path, uint64_t from, uint64_t to, uint64_t offset) {
    h->waves.want(path, from, to, offset);
}
EXPORT int ember_wave_close(Harness* h) { return h->waves.close(); }
EXPORT void ember_record(Harness* h, const RecordPlan* plan, const RecordTrack* tracks,
                         const uint32_t* steps, uint32_t segments) {
    h->recorder.start(*plan, tracks, steps, segments);
}
EXPORT void ember_record_stop(Harness* h, uint64_t* cycles, uint64_t* bin_cycles) {
    h->recorder.stop();
    *cycles = h->recorder.cycle;
    *bin_cycles = uint64_t{1} << h->recorder.bin_log2;
}
EXPORT uint64_t ember_recorded(Harness* h, int what, uint32_t track, const uint64_t** out) {
    const auto& list = what == 0   ? h->recorder.tokens
                       : what == 1 ? h->recorder.tracks[track].changes
                       : what == 2 ? h->recorder.tracks[track].sums
                                   : h->recorder.tracks[track].histogram;
    *out = list.data();
    return list.size();
}
