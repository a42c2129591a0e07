// What a run exercised, seen at the ports and queues: the facts behind functional coverage.
#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

// The same as engine.py's _Observed.
struct Observed {
    uint64_t answers[8][8];  // stream; overtaken + 2 * non-temporal + 4 * error
    uint64_t writes[8];      // whole line + 2 * waited + 4 * error
};

// The order of read answers, and the queues' state at every push.
class Observer {
public:
    void reset() { *this = Observer(); }

    void read_taken(uint64_t tag, bool hint) {
        asked[tag] = {++requests, hint};
        outstanding.push_back(true);
    }

    void read_answered(uint64_t tag, unsigned stream, bool error) {
        const auto found = asked.find(tag);
        if (found == asked.end()) return;  // nobody asked for it
        const Request request = found->second;
        asked.erase(found);
        const bool overtaken = request.number < newest;
        ++seen.answers[stream & 7][overtaken + 2 * request.hint + 4 * error];
        if (request.number > newest) newest = request.number;
        outstanding[request.number - oldest - 1] = false;
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
    struct Request {
        uint64_t number;  // from 1
        bool hint;
    };

    void push(std::vector<uint8_t>& list, bool& held, bool valid, bool ready, uint64_t level) {
        if (valid && ready) {
            const bool hole = !outstanding.empty() && oldest + 1 < newest;
            list.push_back(static_cast<uint8_t>((held ? 2 : level ? 1 : 0) + 4 * hole));
        }
        held = valid && !ready;
    }

    bool token_held = false, vector_held = false;
    std::unordered_map<uint64_t, Request> asked;  // by tag
    std::deque<bool> outstanding;                 // requests from `oldest` + 1 on
    uint64_t oldest = 0, requests = 0, newest = 0;
};
