// A banked DRAM; docs/memory.md is its contract, and sim/dram_model.py is the same in Python.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "memory_timing.h"

// The same as dram_native.py's Settings.
struct DramSettings {
    uint32_t clock_mhz, memory_mhz, overhead;  // overhead in cycles of the machine
    uint32_t line_bytes, burst_bytes, bursts;  // bursts of a line
    uint32_t channels, groups, banks;
    uint32_t channel_at, channel_bits, group_at, group_bits, bank_at, bank_bits, row_at;
    uint32_t hashed, row_bus;
    uint32_t read_queue, write_queue, write_high, write_low, hit_cap;
    uint32_t burst, cl, cwl, rcd, rp, ras, rc, ccd_s, ccd_l, rrd_s, rrd_l, faw, wr, wtr_s, wtr_l,
        rtp, rtw, refi, rfc;  // clocks of the memory
};

// The same as dram_native.py's Counts.
struct DramCounts {
    uint64_t clocks;  // of the memory, since the first request
    uint64_t reads, read_cycles;  // answered, and what they took in cycles of the machine
    uint64_t read_bursts, write_bursts, row_hits, row_misses, row_conflicts, refreshes;
};

// What a channel was told to do, for tests.
struct DramCommand {
    enum Kind : uint32_t { activate, precharge, read, write, precharge_all, refresh };
    int64_t clock;
    uint64_t row;
    uint32_t channel, kind, bank;  // bank counts through the groups
};

class Dram final : public MemoryTiming {
public:
    // `trace`, if any, receives every command.
    explicit Dram(const DramSettings& settings, std::vector<DramCommand>* trace = nullptr)
        : s(settings), trace(trace), channels(s.channels) {
        for (auto& line : answered) line.reset(s.overhead);
        for (Channel& c : channels) {
            c.banks.resize(s.groups * s.banks);
            c.groups.resize(s.groups);
            c.refresh_at = s.refi;
        }
    }

    const DramCounts& counts() const { return count; }

    // A request is accepted into a register in front of the channels; its bursts leave it as
    // their queues have room.
    bool accepts(Port port) override { return !waiting[port].held; }
    void take(Port port, uint64_t now, const Request& request) override {
        waiting[port] = {true, 0, place({request, now, s.bursts})};
        running = true;
    }

    void advance(uint64_t now) override {
        cycle = now;
        for (auto& line : answered) line.advance(now);
        // The memory's clock starts with the first request, so that nothing depends on what the
        // host did before.
        if (!running) return;
        enqueue(read_port);
        enqueue(write_port);
        for (phase += s.memory_mhz; phase >= s.clock_mhz; phase -= s.clock_mhz) {
            for (Channel& c : channels) step(c);
            ++clock;
        }
        count.clocks = clock;
    }

    bool answers(Port port) override { return !answered[port].empty(); }
    const Request& front(Port port) const override { return answered[port].front().request; }
    void pop(Port port) override {
        if (port == read_port) {
            ++count.reads;
            count.read_cycles += cycle - answered[port].front().taken;
        }
        answered[port].pop();
    }

private:
    static constexpr int64_t never = -(1ll << 40);
    enum Kind : uint32_t { hit, miss, conflict };

    struct Line {
        Request request;
        uint64_t taken;
        uint32_t left;  // bursts
    };
    struct Waiting {
        bool held;
        uint32_t sent;  // bursts
        uint32_t line;
    };
    struct Burst {
        uint64_t row;
        uint32_t bank, line, kind;
    };
    struct Flight {
        int64_t end;
        uint32_t line;
    };
    struct Bank {
        bool open = false;
        uint64_t row = 0;
        uint32_t accesses = 0;  // since it was opened
        int64_t activate = never, precharge = never, column = never;  // not before
    };
    struct Group {
        int64_t activate = never, column[2] = {never, never};
    };
    struct Channel {
        std::vector<Burst> queue[2];  // the oldest first
        std::deque<Flight> flight[2];
        std::vector<Bank> banks;
        std::vector<Group> groups;
        int64_t activate = never, column[2] = {never, never};
        int64_t last[4] = {never, never, never, never};  // the oldest of four is at `oldest`
        uint32_t oldest = 0;
        int64_t refresh_at = 0;
        bool writing = false;
        uint32_t accesses = 0;  // since it turned to writes, or to reads
    };

    uint32_t place(const Line& line) {
        if (unused.empty()) {
            lines.push_back(line);
            return static_cast<uint32_t>(lines.size() - 1);
        }
        const uint32_t at = unused.back();
        unused.pop_back();
        lines[at] = line;
        return at;
    }

    static uint64_t bits(uint64_t value, uint32_t at, uint32_t count) {
        return value >> at & ((1ull << count) - 1);
    }

    void enqueue(Port port) {
        Waiting& w = waiting[port];
        if (!w.held) return;
        const size_t depth = port == read_port ? s.read_queue : s.write_queue;
        for (; w.sent < s.bursts; ++w.sent) {
            const uint64_t address = lines[w.line].request.line * s.line_bytes
                                   + static_cast<uint64_t>(w.sent) * s.burst_bytes;
            Channel& c = channels[bits(address, s.channel_at, s.channel_bits)];
            if (c.queue[port].size() >= depth) return;
            const uint64_t row = address >> s.row_at;
            uint64_t group = bits(address, s.group_at, s.group_bits);
            uint64_t bank = bits(address, s.bank_at, s.bank_bits);
            if (s.hashed) {
                group ^= bits(row, 0, s.group_bits);
                bank ^= bits(row, s.group_bits, s.bank_bits);
            }
            c.queue[port].push_back({row, static_cast<uint32_t>(group * s.banks + bank), w.line,
                                     hit});
        }
        w.held = false;
    }

    // One clock of a channel: what has ended, then at most one command, or one on each bus.
    void step(Channel& c) {
        for (Port port : {read_port, write_port}) {
            auto& flight = c.flight[port];
            for (; !flight.empty() && flight.front().end <= clock; flight.pop_front()) {
                const uint32_t line = flight.front().line;
                if (--lines[line].left) continue;
                answered[port].push(cycle, s.overhead, lines[line]);
                unused.push_back(line);
            }
        }
        if (clock >= c.refresh_at) {
            refresh(c);
            return;
        }
        turn(c);
        const Port port = c.writing ? write_port : read_port;
        if (c.queue[port].empty()) return;
        if (column(c, port) && !s.row_bus) return;
        row(c, port);
    }

    void refresh(Channel& c) {
        bool open = false;
        for (const Bank& b : c.banks) {
            open |= b.open;
            if (clock < (b.open ? b.precharge : never)) return;
        }
        if (open) {
            for (Bank& b : c.banks)
                if (b.open) close(b);
            tell(c, DramCommand::precharge_all, 0, 0);
            return;
        }
        for (const Bank& b : c.banks)
            if (clock < b.activate) return;
        for (Bank& b : c.banks) b.activate = clock + s.rfc;
        c.refresh_at += s.refi;
        ++count.refreshes;
        tell(c, DramCommand::refresh, 0, 0);
    }

    // While both reads and writes wait, a turn of writes has at most as many accesses as lie
    // between the two marks, and a turn of reads at least.
    void turn(Channel& c) const {
        const size_t reads = c.queue[read_port].size(), writes = c.queue[write_port].size();
        const bool full = c.accesses >= s.write_high - s.write_low;
        const bool writing = writes && (!reads || (c.writing ? writes > s.write_low && !full
                                                             : writes >= s.write_high && full));
        if (writing != c.writing) c.accesses = 0;
        c.writing = writing;
    }

    // READ or WRITE: of the bursts to open rows, the oldest that may.
    bool column(Channel& c, Port port) {
        if (clock < c.column[port]) return false;
        auto& queue = c.queue[port];
        uint64_t passed = 0;  // banks of which an older burst needs another row
        for (size_t n = 0; n < queue.size(); ++n) {
            const Burst& burst = queue[n];
            Bank& b = c.banks[burst.bank];
            Group& g = c.groups[burst.bank / s.banks];
            if (!b.open || b.row != burst.row) {
                passed |= 1ull << burst.bank;
                continue;
            }
            if (b.accesses >= s.hit_cap && passed >> burst.bank & 1) continue;
            if (clock < b.column || clock < g.column[port]) continue;
            access(c, b, g, port, burst);
            queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(n));
            return true;
        }
        return false;
    }

    void access(Channel& c, Bank& b, Group& g, Port port, const Burst& burst) {
        const int64_t end = clock + (port == read_port ? s.cl : s.cwl) + s.burst;
        ++b.accesses;
        ++c.accesses;
        c.column[port] = clock + s.ccd_s;
        g.column[port] = clock + s.ccd_l;
        if (port == read_port) {
            ++count.read_bursts;
            later(b.precharge, clock + s.rtp);
            later(c.column[write_port], clock + s.rtw);
        } else {
            ++count.write_bursts;
            later(b.precharge, end + s.wr);
            later(c.column[read_port], end + s.wtr_s);
            later(g.column[read_port], end + s.wtr_l);
        }
        ++(burst.kind == hit ? count.row_hits
           : burst.kind == miss ? count.row_misses : count.row_conflicts);
        c.flight[port].push_back({end, burst.line});
        tell(c, port == read_port ? DramCommand::read : DramCommand::write, burst.bank, b.row);
    }

    // ACTIVATE or PRECHARGE, for the oldest burst of each bank, the oldest that may.
    void row(Channel& c, Port port) {
        auto& queue = c.queue[port];
        uint64_t wanted = 0;  // banks whose open row is still wanted
        for (const Burst& burst : queue) {
            const Bank& b = c.banks[burst.bank];
            if (b.open && b.row == burst.row && b.accesses < s.hit_cap)
                wanted |= 1ull << burst.bank;
        }
        uint64_t seen = 0;
        for (Burst& burst : queue) {
            const uint64_t bit = 1ull << burst.bank;
            if (seen & bit) continue;
            seen |= bit;
            Bank& b = c.banks[burst.bank];
            if (!b.open) {
                if (activate(c, b, burst)) return;
            } else if (b.row != burst.row && !(wanted & bit) && clock >= b.precharge) {
                close(b);
                burst.kind = conflict;
                tell(c, DramCommand::precharge, burst.bank, b.row);
                return;
            }
        }
    }

    bool activate(Channel& c, Bank& b, Burst& burst) {
        Group& g = c.groups[burst.bank / s.banks];
        const int64_t window = c.last[c.oldest] + s.faw;
        if (clock < std::max({b.activate, g.activate, c.activate, window})) return false;
        b.open = true;
        b.row = burst.row;
        b.accesses = 0;
        b.column = clock + s.rcd;
        b.precharge = clock + s.ras;
        b.activate = clock + s.rc;
        g.activate = clock + s.rrd_l;
        c.activate = clock + s.rrd_s;
        c.last[c.oldest] = clock;
        c.oldest = (c.oldest + 1) % 4;
        if (burst.kind == hit) burst.kind = miss;
        tell(c, DramCommand::activate, burst.bank, burst.row);
        return true;
    }

    void close(Bank& b) const {
        b.open = false;
        later(b.activate, clock + s.rp);
    }

    static void later(int64_t& time, int64_t other) { time = std::max(time, other); }

    void tell(const Channel& c, uint32_t kind, uint32_t bank, uint64_t row) {
        if (!trace) return;
        trace->push_back({clock, row, static_cast<uint32_t>(&c - channels.data()), kind, bank});
    }

    const DramSettings s;
    std::vector<DramCommand>* const trace;
    std::vector<Channel> channels;
    std::vector<Line> lines;
    std::vector<uint32_t> unused;
    Waiting waiting[2] = {};
    DelayLine<Line> answered[2];
    DramCounts count{};
    bool running = false;
    uint32_t phase = 0;
    uint64_t cycle = 0;  // of the machine
    int64_t clock = 0;   // of the memory
};
