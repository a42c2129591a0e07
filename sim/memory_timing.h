// When the memory takes a request and when it answers: what the harness asks of every model.
#pragma once
#include <cstdint>

#include "delay_line.h"

enum Port { read_port, write_port };

struct Request {
    uint64_t line, tag;  // a write has no tag
    bool error;          // a read's is found when it is answered
};

class MemoryTiming {
public:
    virtual ~MemoryTiming() = default;
    // To be called once in every cycle, before the others.
    virtual void advance(uint64_t now) = 0;
    // Whether an answer begins in this cycle. Asked at most once per cycle, of reads first.
    virtual bool answers(Port port) = 0;
    // The answer that began, until `pop`.
    virtual const Request& front(Port port) const = 0;
    virtual void pop(Port port) = 0;
    // Whether a request may be taken in this cycle. Asked once per cycle, of reads first.
    virtual bool accepts(Port port) = 0;
    virtual void take(Port port, uint64_t now, const Request& request) = 0;
};

// A fixed time for each request, or a random one with random back-pressure.
class DelayTiming final : public MemoryTiming {
public:
    // Cycles; probabilities, of back-pressure and of `late_latency`, in 2**-32.
    DelayTiming(uint32_t low, uint32_t high, uint32_t stall, uint32_t late,
                uint32_t late_latency, uint64_t seed)
        : low(low), high(high), stall(stall), late(late), late_latency(late_latency),
          random(seed) {
        for (auto& line : lines) line.reset(late ? late_latency : high);
    }

    void advance(uint64_t now) override {
        for (auto& line : lines) line.advance(now);
    }
    bool answers(Port port) override { return !lines[port].empty() && !stalled(); }
    const Request& front(Port port) const override { return lines[port].front(); }
    void pop(Port port) override { lines[port].pop(); }
    bool accepts(Port) override { return !stalled(); }
    void take(Port port, uint64_t now, const Request& request) override {
        lines[port].push(now, latency(), request);
    }

private:
    bool stalled() { return stall && random.next() < stall; }
    uint32_t latency() {
        if (late && random.next() < late) return late_latency;
        return low == high ? low : random.range(low, high);
    }

    const uint32_t low, high, stall, late, late_latency;
    Random random;
    DelayLine<Request> lines[2];
};
