// The DRAM model without a machine: request streams in, cycles and commands out.
// Compiled and called by native_dram.py.
#include "dram.h"

struct Stream {
    uint64_t count;
    const uint64_t* lines;
    const uint64_t* earliest;  // cycle from which a request is offered
    const uint8_t* busy;       // of `period` cycles: the port takes no answer
    uint64_t* accepted;        // cycles
    uint64_t* answered;
    uint64_t sent, done;
    bool ready, answering;
};

extern "C" {

// Until all is answered, at most `cycles`; returns the cycles that it took. Commands are kept for
// `commands` in `trace`, until the next call.
uint64_t run(const DramSettings* settings, Stream* streams, uint64_t period, uint64_t cycles,
             DramCounts* counts, const DramCommand** trace, uint64_t* commands) {
    static std::vector<DramCommand> told;
    told.clear();
    Dram dram(*settings, &told);
    uint64_t now = 0;
    for (; now < cycles; ) {
        bool left = false;
        for (Port port : {read_port, write_port}) {
            Stream& s = streams[port];
            left |= s.done < s.count;
            if (s.ready && s.sent < s.count && s.earliest[s.sent] <= now) {
                s.accepted[s.sent] = now;
                dram.take(port, now, {s.lines[s.sent], s.sent, false});
                ++s.sent;
            }
            if (s.answering && !s.busy[now % period]) {
                s.answered[dram.front(port).tag] = now;
                dram.pop(port);
                s.answering = false;
                ++s.done;
            }
        }
        if (!left) break;
        dram.advance(++now);
        for (Port port : {read_port, write_port}) {
            Stream& s = streams[port];
            if (!s.answering) s.answering = dram.answers(port);
            s.ready = dram.accepts(port);
        }
    }
    *counts = dram.counts();
    *trace = told.data();
    *commands = told.size();
    return now;
}

}
