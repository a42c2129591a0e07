// Requests on their way through a memory: constant work per cycle at any latency.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

// xorshift64*: small, fast, and the same everywhere.
class Random {
public:
    explicit Random(uint64_t seed = 1) : state(seed * 2 + 1) {
        for (int n = 0; n < 8; ++n) next();
    }
    uint32_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return static_cast<uint32_t>((state * 0x2545F4914F6CDD1Dull) >> 32);
    }
    uint32_t range(uint32_t low, uint32_t high) {
        const uint64_t span = static_cast<uint64_t>(high) - low + 1;
        return low + static_cast<uint32_t>(next() * span >> 32);
    }

private:
    uint64_t state;
};

// A ring of buckets, one per future cycle, each a linked list in a pool. What is due is spliced
// onto one list of entries that are ready to be answered.
template <class Entry>
class DelayLine {
public:
    // Holds delays up to `longest` cycles.
    void reset(uint32_t longest) {
        size_t size = 1;
        while (size <= longest) size *= 2;
        buckets.assign(size, List{});
        ready = List{};
        pool.clear();
        unused = none;
    }

    void push(uint64_t now, uint32_t delay, const Entry& entry) {
        uint32_t node = unused;
        if (node == none) {
            node = static_cast<uint32_t>(pool.size());
            pool.push_back({entry, none});
        } else {
            unused = pool[node].next;
            pool[node] = {entry, none};
        }
        append(buckets[(now + delay) & (buckets.size() - 1)], node, node);
    }

    // To be called once in every cycle, before `empty`.
    void advance(uint64_t now) {
        List& due = buckets[now & (buckets.size() - 1)];
        if (due.head == none) return;
        append(ready, due.head, due.tail);
        due = List{};
    }

    bool empty() const { return ready.head == none; }
    const Entry& front() const { return pool[ready.head].entry; }

    void pop() {
        const uint32_t node = ready.head;
        ready.head = pool[node].next;
        if (ready.head == none) ready.tail = none;
        pool[node].next = unused;
        unused = node;
    }

private:
    static constexpr uint32_t none = ~0u;
    struct Node {
        Entry entry;
        uint32_t next;
    };
    struct List {
        uint32_t head = none, tail = none;
    };

    void append(List& list, uint32_t head, uint32_t tail) {
        if (list.head == none)
            list.head = head;
        else
            pool[list.tail].next = head;
        list.tail = tail;
    }

    std::vector<Node> pool;
    std::vector<List> buckets;
    List ready;
    uint32_t unused = none;
};
