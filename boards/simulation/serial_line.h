// The other end of the board's serial line, a bit at a time, and the descriptor behind it.
#pragma once
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <vector>

class SerialLine {
public:
    explicit SerialLine(int divisor) : divisor(divisor) {}

    // One clock cycle: the board's output in, its input out.
    bool cycle(bool from_board) {
        receive(from_board);
        return send();
    }

    bool idle() const { return !sending && outgoing.empty() && !receiving && incoming.empty(); }

    // Bytes from and to a descriptor that does not block.
    void exchange(int fd) {
        if (outgoing.empty()) {
            uint8_t bytes[4096];
            const ssize_t count = ::read(fd, bytes, sizeof bytes);
            if (count > 0) outgoing.assign(bytes, bytes + count);
        }
        if (!incoming.empty()) {
            const ssize_t count = ::write(fd, incoming.data(), incoming.size());
            if (count > 0) incoming.erase(incoming.begin(), incoming.begin() + count);
        }
    }

private:
    bool send() {
        if (!sending) {
            if (outgoing.empty()) return true;
            bits = 0x200u | uint32_t{outgoing.front()} << 1;  // start, data, stop
            outgoing.pop_front();
            sending = 10;
            send_timer = divisor;
        }
        const bool level = bits & 1;
        if (--send_timer == 0) {
            bits >>= 1;
            send_timer = divisor;
            --sending;
        }
        return level;
    }

    void receive(bool level) {
        if (!receiving) {
            if (level) return;
            receiving = 10;
            receive_timer = divisor / 2;
            byte = 0;
        }
        if (receive_timer-- > 0) return;
        receive_timer = divisor - 1;
        --receiving;
        if (receiving == 9 && level) receiving = 0;  // no start bit
        if (receiving > 0 && receiving < 9) byte |= uint32_t{level} << (8 - receiving);
        if (receiving == 0 && level) incoming.push_back(uint8_t(byte));
    }

    const int divisor;
    std::deque<uint8_t> outgoing;  // to the board
    std::vector<uint8_t> incoming;
    uint32_t bits = 0, byte = 0;
    int sending = 0, send_timer = 0, receiving = 0, receive_timer = 0;
};
