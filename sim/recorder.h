// What the probes show, cycle by cycle: exact sums over bins of time for a whole launch and, within
// a window, every change and every token. Filled only while a recording is on.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

// The same as recording.py's _Plan.
struct RecordPlan {
    uint64_t from, to;  // window, in cycles of the launch
    uint32_t tracks;
    uint32_t execute;   // track of the execute pipeline's activity, or none if not below `tracks`
    uint32_t code;      // instructions of a program, entries of a segment's step counts
    uint32_t busy;      // the activity in which a step issues
    uint32_t running;   // bit of the state that says that the counters count this cycle
};

// The same as recording.py's _Track: a part of the state probe.
struct RecordTrack {
    uint32_t offset, width;
    uint32_t level;  // a level has a sum and a peak per bin; a state of 2 bits, four counts
};

class Recorder {
public:
    static constexpr int bins = 1024;

    void start(const RecordPlan& wanted, const RecordTrack* parts, const uint32_t* step_counts,
               uint32_t segments) {
        plan = wanted;
        steps.assign(step_counts, step_counts + size_t{segments} * plan.code);
        tracks.clear();
        for (uint32_t n = 0; n < plan.tracks; ++n) tracks.emplace_back(parts[n]);
        tokens.clear();
        queue.clear();
        cycle = 0;
        bin_log2 = 0;
        left = 0;
        on = true;
    }

    void stop() { on = false; }

    // A token is pushed in the cycle that is sampled next.
    void push(const uint32_t* token, int words, uint32_t segment, uint32_t pc, bool halt) {
        if (cycle >= plan.to) return;
        const size_t place = size_t{segment} * plan.code + pc;
        const uint32_t count = halt || place >= steps.size() ? 1 : steps[place];
        queue.push_back({cycle, count, {token, token + words}});
    }

    // The state of a cycle. It counts if the counters count it.
    void sample(const uint32_t* state) {
        if (!read(state, {plan.running, 1, 0})) return;
        if (cycle >> bin_log2 == bins) double_bins();
        const size_t bin = cycle >> bin_log2;
        const bool inside = cycle >= plan.from && cycle < plan.to;
        for (auto& track : tracks) {
            const uint32_t value = read(state, track);
            if (inside && (value != track.last || cycle == plan.from)) {
                track.changes.push_back(cycle);
                track.changes.push_back(value);
            }
            track.last = value;
            uint64_t* sums = &track.sums[bin * track.columns()];
            if (track.level) {
                sums[0] += value;
                sums[1] = std::max<uint64_t>(sums[1], value);
                ++track.histogram[value];
            } else {
                ++sums[value];
            }
        }
        if (cycle < plan.to) follow_tokens();
        ++cycle;
    }

    struct Track : RecordTrack {
        explicit Track(const RecordTrack& part) : RecordTrack(part) {
            sums.resize(size_t{bins} * columns());
            if (level) histogram.resize(size_t{1} << width);
        }
        int columns() const { return level ? 2 : 4; }

        uint32_t last = 0;
        std::vector<uint64_t> changes;    // cycle, value
        std::vector<uint64_t> sums;       // bins x columns
        std::vector<uint64_t> histogram;  // cycles at each level
    };

    bool on = false;
    uint64_t cycle = 0;  // the next that counts
    int bin_log2 = 0;    // cycles of a bin, as a power of two
    std::vector<Track> tracks;
    std::vector<uint64_t> tokens;  // cycles of push, first step, after the last step; the words

private:
    struct Token {
        uint64_t pushed;
        uint32_t steps;
        std::vector<uint32_t> words;
    };

    // The state has a word after its last one, so that a track may lie across a border.
    static uint32_t read(const uint32_t* state, const RecordTrack& track) {
        const uint32_t* word = state + (track.offset >> 5);
        const uint64_t value = (word[0] | uint64_t{word[1]} << 32) >> (track.offset & 31);
        return static_cast<uint32_t>(value & ((uint64_t{1} << track.width) - 1));
    }

    // One step issues in each busy cycle, and tokens run in the order in which they were pushed:
    // so their steps tell when each one runs.
    void follow_tokens() {
        if (plan.execute >= tracks.size() || tracks[plan.execute].last != plan.busy) return;
        if (!left) {
            if (queue.empty()) return;
            running = std::move(queue.front());
            queue.pop_front();
            begin = cycle;
            left = running.steps;
        }
        if (--left || cycle < plan.from) return;
        tokens.push_back(running.pushed);
        tokens.push_back(begin);
        tokens.push_back(cycle + 1);
        tokens.insert(tokens.end(), running.words.begin(), running.words.end());
    }

    void double_bins() {
        for (auto& track : tracks) {
            const int columns = track.columns();
            for (size_t n = 0; n < size_t{bins} * columns; ++n) {
                const size_t bin = n / columns, column = n % columns;
                const uint64_t value = track.sums[n];
                uint64_t& into = track.sums[bin / 2 * columns + column];
                if (bin % 2 == 0)
                    into = value;
                else if (track.level && column == 1)
                    into = std::max(into, value);
                else
                    into += value;
            }
            std::fill(track.sums.begin() + size_t{bins} / 2 * columns, track.sums.end(), 0);
        }
        ++bin_log2;
    }

    RecordPlan plan{};
    std::vector<uint32_t> steps;
    std::deque<Token> queue;
    Token running;
    uint64_t begin = 0;
    uint32_t left = 0;
};
