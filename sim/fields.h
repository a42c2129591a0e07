// Packed fields of Verilator ports: ports up to 64 bits are integers, wider ones word arrays.
#pragma once
#include <cstdint>
#include <type_traits>
#include "verilated.h"

template <int Offset, int Width>
struct Field {
    static constexpr int offset = Offset;
    static constexpr int width = Width;
    static constexpr int words = (Width + 31) / 32;

    // Reads `bits` bits from `at` bits into the field, at most 32.
    template <class Port>
    static uint32_t chunk(const Port& port, int at, int bits) {
        const uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
        if constexpr (std::is_integral_v<Port>) {
            return static_cast<uint32_t>(static_cast<uint64_t>(port) >> (Offset + at)) & mask;
        } else {
            const int bit = Offset + at, word = bit >> 5, shift = bit & 31;
            uint32_t value = port.at(word) >> shift;
            if (shift && shift + bits > 32) value |= port.at(word + 1) << (32 - shift);
            return value & mask;
        }
    }

    // The field as an integer; at most 64 bits.
    template <class Port>
    static uint64_t get(const Port& port) {
        static_assert(Width <= 64, "wide fields are read with words");
        uint64_t value = chunk(port, 0, Width < 32 ? Width : 32);
        if constexpr (Width > 32) value |= static_cast<uint64_t>(chunk(port, 32, Width - 32)) << 32;
        return value;
    }

    // The field as 32-bit words, lowest first.
    template <class Port>
    static void get_words(const Port& port, uint32_t* out) {
        for (int n = 0; n < words; ++n) {
            const int rest = Width - 32 * n;
            out[n] = chunk(port, 32 * n, rest < 32 ? rest : 32);
        }
    }

    template <class Port>
    static void put_chunk(Port& port, int at, int bits, uint32_t value) {
        const uint32_t mask = bits >= 32 ? ~0u : (1u << bits) - 1;
        if constexpr (std::is_integral_v<Port>) {
            const uint64_t place = static_cast<uint64_t>(mask) << (Offset + at);
            const uint64_t moved = static_cast<uint64_t>(value & mask) << (Offset + at);
            port = static_cast<Port>((static_cast<uint64_t>(port) & ~place) | moved);
        } else {
            const int bit = Offset + at, word = bit >> 5, shift = bit & 31;
            value &= mask;
            port.at(word) = (port.at(word) & ~(mask << shift)) | value << shift;
            if (shift && shift + bits > 32)
                port.at(word + 1) =
                    (port.at(word + 1) & ~(mask >> (32 - shift))) | value >> (32 - shift);
        }
    }

    template <class Port>
    static void put(Port& port, uint64_t value) {
        static_assert(Width <= 64, "wide fields are written with words");
        put_chunk(port, 0, Width < 32 ? Width : 32, static_cast<uint32_t>(value));
        if constexpr (Width > 32)
            put_chunk(port, 32, Width - 32, static_cast<uint32_t>(value >> 32));
    }

    template <class Port>
    static void put_words(Port& port, const uint32_t* in) {
        for (int n = 0; n < words; ++n) {
            const int rest = Width - 32 * n;
            put_chunk(port, 32 * n, rest < 32 ? rest : 32, in[n]);
        }
    }
};
