// A waveform file of a window of cycles, VCD or FST, as the simulator was built. One cycle is
// 1 us: the clock rises at the cycle's number and falls half a cycle later.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "Vtop.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
using WaveFile = VerilatedFstC;
#elif VM_TRACE_VCD
#include "verilated_vcd_c.h"
using WaveFile = VerilatedVcdC;
#endif

#if VM_TRACE
class Waves {
public:
    // Cycles `from` .. `to` - 1 of the launch; in the file they count from `offset` on. The file
    // is made in cycle `from`, so a launch that ends before it leaves none.
    void want(const char* file, uint64_t from_cycle, uint64_t to_cycle, uint64_t offset_cycles) {
        path = file;
        from = from_cycle;
        to = to_cycle;
        offset = offset_cycles;
        wanted = true;
    }

    void dump(Vtop& top, uint64_t cycle, bool rise) {
        if (!wanted || cycle < from || cycle >= to) return;
        if (!file) open(top);
        if (file->isOpen()) file->dump(10 * (offset + cycle) + (rise ? 0 : 5));
    }

    // False if the file could not be written.
    bool close() {
        const bool good = !file || file->isOpen();
        if (file) file->close();
        file.reset();
        wanted = false;
        return good;
    }

private:
    void open(Vtop& top) {
        top.contextp()->traceEverOn(true);
        file = std::make_unique<WaveFile>();
        top.trace(file.get(), 99);
        file->set_time_unit("100ns");
        file->set_time_resolution("100ns");
        file->open(path.c_str());
    }

    std::string path;
    uint64_t from = 0, to = 0, offset = 0;
    bool wanted = false;
    std::unique_ptr<WaveFile> file;
};
#else
// A simulator without waveforms.
struct Waves {
    void want(const char*, uint64_t, uint64_t, uint64_t) {}
    void dump(Vtop&, uint64_t, bool) {}
    bool close() { return true; }
};
#endif
