// Memory as segments of the caller's arrays.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

class Segments {
public:
    void clear() {
        table.clear();
        last = 0;
        stray_reads = stray_writes = first_stray_write = 0;
    }

    void add(uint64_t base, uint64_t size, uint8_t* bytes, bool writable) {
        if (size) table.push_back({base, size, bytes, writable});
        std::sort(table.begin(), table.end(),
                  [](const Segment& a, const Segment& b) { return a.base < b.base; });
    }

    // Bytes outside every segment read as 0; a line that is wholly outside counts as stray.
    void read(uint64_t address, uint8_t* out, uint64_t size) {
        const Segment* s = find(address);
        if (s && address - s->base + size <= s->size) {
            std::memcpy(out, s->bytes + (address - s->base), size);
            return;
        }
        std::memset(out, 0, size);
        bool any = false;
        for (uint64_t n = 0; n < size; ++n) {
            s = find(address + n);
            if (!s) continue;
            out[n] = s->bytes[address + n - s->base];
            any = true;
        }
        stray_reads += !any;
    }

    // Writes the words of `mask`; false if one of their bytes is in no writable segment. Such
    // bytes are dropped.
    bool write(uint64_t address, const uint32_t* words, uint64_t mask, int count) {
        bool good = true;
        for (int n = 0; n < count; ++n) {
            if (!(mask >> n & 1)) continue;
            const uint64_t at = address + 4 * n;
            const Segment* s = find(at);
            if (s && s->writable && at - s->base + 4 <= s->size) {
                std::memcpy(s->bytes + (at - s->base), words + n, 4);
                continue;
            }
            for (int b = 0; b < 4; ++b) {
                s = find(at + b);
                if (s && s->writable)
                    s->bytes[at + b - s->base] = static_cast<uint8_t>(words[n] >> (8 * b));
                else
                    good = false;
            }
        }
        if (!good && !stray_writes++) first_stray_write = address;
        return good;
    }

    uint64_t stray_reads = 0, stray_writes = 0, first_stray_write = 0;

private:
    struct Segment {
        uint64_t base, size;
        uint8_t* bytes;
        bool writable;
        bool has(uint64_t address) const { return address - base < size; }
    };

    const Segment* find(uint64_t address) {
        if (last < table.size() && table[last].has(address)) return &table[last];
        auto next = std::upper_bound(table.begin(), table.end(), address,
                                     [](uint64_t a, const Segment& s) { return a < s.base; });
        if (next == table.begin() || !(next - 1)->has(address)) return nullptr;
        last = static_cast<size_t>(next - 1 - table.begin());
        return &table[last];
    }

    std::vector<Segment> table;
    size_t last = 0;
};
