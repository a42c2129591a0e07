// A board around its top level: oscillator, serial line, SDRAM. Called from simulator.py.
#include <cstring>
#include <string>

#include "Vtop.h"
#include "board.h"
#include "sdram_chip.h"
#include "serial_line.h"
#include "verilated.h"

class Board {
public:
    Board() : top(&context), line(BOARD_DIVISOR), sdram(SdramTimes BOARD_SDRAM_TIMES) {
        top.clk25_0___05Fio = 0;
        top.button_fire_0___05Fio = 0;
        top.uart_0___05Frx___05Fio = 1;
        top.eval();
    }

    ~Board() { top.final(); }

    // Whether there is nothing on the serial line.
    bool run(int fd, uint64_t cycles) {
        for (uint64_t n = 0; n < cycles; ++n) {
            // A system call for each cycle would cost more than the cycle.
            if (n % 128 == 0) line.exchange(fd);
            top.uart_0___05Frx___05Fio = line.cycle(top.uart_0___05Ftx___05Fio);
#if BOARD_SDRAM
            SdramSignals pins;
            pins.cke = top.sdram_0___05Fclk_en___05Fio;
            pins.cs = !top.sdram_0___05Fcs___05Fio;
            pins.ras = !top.sdram_0___05Fras___05Fio;
            pins.cas = !top.sdram_0___05Fcas___05Fio;
            pins.we = !top.sdram_0___05Fwe___05Fio;
            pins.a = top.sdram_0___05Fa___05Fio;
            pins.ba = top.sdram_0___05Fba___05Fio;
            pins.dqm = top.sdram_0___05Fdqm___05Fio;
            pins.dq = top.sdram_0___05Fdq___05Fio__out;
            pins.oe = top.sdram_0___05Fdq___05Fio__en != 0;
            top.sdram_0___05Fdq___05Fio = sdram.cycle(pins);
#endif
            top.clk25_0___05Fio = 1;
            top.eval();
            top.clk25_0___05Fio = 0;
            top.eval();
        }
        line.exchange(fd);
        return line.idle();
    }

    const char* error() const { return sdram.error.c_str(); }

private:
    VerilatedContext context;
    Vtop top;
    SerialLine line;
    SdramChip sdram;
};

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Board* board_new() { return new Board; }
EXPORT void board_delete(Board* board) { delete board; }
EXPORT int board_run(Board* board, int fd, uint64_t cycles) { return board->run(fd, cycles); }
EXPORT const char* board_error(Board* board) { return board->error(); }
