// What a run exercised, seen at the ports and queues: the facts behind functional coverage.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

// The same as engine.py's _Observed.
struct Observed {
    uint64_t answers[8][8];  // stream; overtaken + 2 * non-temporal + 4 * error
    uint64_t writes[8];      // whole line + 2 * waited + 4 * error
};

// The order of read answers, and the queues' state at every push.
class Observer {
public:
    void reset() {
        seen = Observed{};
        tokens.clear();
        vectors.clear();
        token_held = vector_held = false;
        outstanding.clear();
        oldest = next = 0;
        newest = 0;
    }

    // Number of a read request, from 1.
    uint64_t read_taken() {
        outstanding.push_back(true);
        return ++next;
    }

    void read_answered(uint64_t number, unsigned stream, bool hint, bool error) {
        const bool overtaken = number < newest;
        ++seen.answers[stream & 7][overtaken + 2 * hint + 4 * error];
        if (number > newest) newest = number;
        outstanding[number - oldest - 1] = false;
        while (!outstanding.empty() && !outstanding.front()) {
            outstanding.pop_front();
            ++oldest;
        }
    }

    void write_taken(bool whole, bool waited, bool error) {
        ++seen.writes[whole + 2 * waited + 4 * error];
    }

    // Once per cycle and queue: what its input does, and its level before that.
    void token(bool valid, bool ready, uint64_t level) {
        push(tokens, token_held, valid, ready, level);
    }
    void vector(bool valid, bool ready, uint64_t level) {
        push(vectors, vector_held, valid, ready, level);
    }

    Observed seen{};
    // One for each push: 0 into an empty queue, 1 into a partly filled one, 2 after it waited for
    // a full one; + 4 while an answer to a later request has overtaken one that is still due.
    std::vector<uint8_t> tokens, vectors;

private:
    void push(std::vector<uint8_t>& list, bool& held, bool valid, bool ready, uint64_t level) {
        if (valid && ready) {
            const bool hole = !outstanding.empty() && oldest + 1 < newest;
            list.push_back(static_cast<uint8_t>((held ? 2 : level ? 1 : 0) + 4 * hole));
        }
        held = valid && !ready;
    }

    bool token_held = false, vector_held = false;
    std::deque<bool> outstanding;  // requests from `oldest` + 1 on
    uint64_t oldest = 0, next = 0, newest = 0;
};
