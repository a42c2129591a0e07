// An SDR SDRAM with 16 data pins: contents, and a message for each rule of the data sheet that is
// broken. The same rules as in tests/boards/memory/sdram_model.py.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

// Times in ns, as in boards/memory/sdram_timing.py.
struct SdramTimes {
    double period, rcd, rp, ras, rc, rfc, rrd, wr, refresh, power_up;
    int mrd, cas, row_bits, column_bits;
};

// 1 is asserted.
struct SdramSignals {
    bool cke, cs, ras, cas, we, oe;
    uint32_t a, ba, dqm, dq;
};

class SdramChip {
public:
    static constexpr int banks = 4;
    static constexpr int cycles_ahead = 32;  // more than a burst and its latency

    explicit SdramChip(const SdramTimes& times)
        : t(times), words(size_t{banks} << (t.row_bits + t.column_bits)) {}

    // A cycle; what is on the data pins at its end.
    uint32_t cycle(const SdramSignals& pins) {
        ++now;
        const int command = pins.cs && pins.cke ? pins.ras | pins.cas << 1 | pins.we << 2 : 0;
        switch (command) {
            case 1: activate(pins.ba, pins.a); break;
            case 2: access(pins.ba, pins.a, false); break;
            case 3: refresh(); break;
            case 5: precharge(pins.ba, pins.a); break;
            case 6: access(pins.ba, pins.a, true); break;
            case 7: mode(pins.a); break;
        }
        if (writing_left) {
            if (!pins.oe) wrong("no data for a write");
            const uint16_t keep = (pins.dqm & 1 ? 0x00FF : 0) | (pins.dqm & 2 ? 0xFF00 : 0);
            uint16_t& word = words[writing_at++];
            word = (word & keep) | (pins.dq & ~keep);
            last_in[writing_bank] = now;
            --writing_left;
        } else if (pins.oe && pins.cke) {  // before, the registers of the pins start anyhow
            wrong("data that nobody takes");
        }
        const uint32_t masked = dqm_before;
        dqm_before = pins.dqm;
        uint32_t out = 0xDEAD;  // nobody drives
        if (size_t& due = driven[now % cycles_ahead]) {
            if (pins.oe) wrong("both drive the data pins");
            out = words[due - 1];
            if (masked) out ^= 0x5A5A;
            due = 0;
        }
        check_refreshes();
        return out;
    }

    // What went wrong first; empty if nothing did.
    std::string error;

private:
    void wrong(const char* what) {
        if (error.empty()) error = "SDRAM, cycle " + std::to_string(now) + ": " + what;
    }

    void at_least(const char* what, int64_t since, double ns) {
        if (since >= 0 && (now - since) * t.period < ns - 1e-3 * t.period) wrong(what);
    }

    void activate(int bank, uint32_t a) {
        if (!ready) wrong("ACTIVATE before the initialization");
        if (row[bank] >= 0) wrong("ACTIVATE of an open bank");
        at_least("ACTIVATE after PRECHARGE", precharged[bank], t.rp);
        at_least("ACTIVATE after ACTIVATE", active[bank], t.rc);
        for (int64_t other : active) at_least("ACTIVATE of two banks", other, t.rrd);
        at_least("ACTIVATE after REFRESH", refreshed, t.rfc);
        if (now - mode_at < t.mrd) wrong("ACTIVATE after MODE");
        row[bank] = a & ((1 << t.row_bits) - 1);
        active[bank] = now;
    }

    void access(int bank, uint32_t a, bool write) {
        if (row[bank] < 0) return wrong("access to a closed bank");
        if (a >> 10) wrong("access with a precharge");
        if (a & (burst - 1)) wrong("access that wraps around");
        at_least("access after ACTIVATE", active[bank], t.rcd);
        const int turn = write && !last_was_write ? t.cas : 0;
        if (last_access >= 0 && now - last_access < burst + turn) wrong("access that cuts another");
        last_access = now;
        last_was_write = write;
        const size_t place =
            ((size_t(bank) << t.row_bits | size_t(row[bank])) << t.column_bits) | (a & 0x1FF);
        if (write) {
            writing_at = place;
            writing_left = burst;
            writing_bank = bank;
        } else {
            for (int n = 0; n < burst; ++n)
                driven[(now + t.cas - 1 + n) % cycles_ahead] = place + n + 1;
            read_at[bank] = now;
        }
    }

    void precharge(int bank, uint32_t a) {
        if (refreshes == 0) at_least("first command", 0, t.power_up);
        ++precharges;
        for (int b = 0; b < banks; ++b) {
            if (b != bank && !(a >> 10 & 1)) continue;
            if (row[b] >= 0) {
                at_least("PRECHARGE after ACTIVATE", active[b], t.ras);
                if (read_at[b] >= 0 && now - read_at[b] < burst) wrong("PRECHARGE cuts a READ");
                if (writing_left && writing_bank == b) wrong("PRECHARGE cuts a WRITE");
                at_least("PRECHARGE after data", last_in[b], t.wr);
                precharged[b] = now;
            }
            row[b] = -1;
        }
    }

    void refresh() {
        for (int b = 0; b < banks; ++b) {
            if (row[b] >= 0) wrong("REFRESH of open banks");
            at_least("REFRESH after PRECHARGE", precharged[b], t.rp);
        }
        at_least("REFRESH after REFRESH", refreshed, t.rfc);
        refreshed = now;
        ++refreshes;
    }

    void mode(uint32_t a) {
        if (!precharges || refreshes < 8 || ready) wrong("MODE out of turn");
        at_least("MODE after REFRESH", refreshed, t.rfc);
        burst = 1 << (a & 7);
        if ((a >> 3 & 1) || int(a >> 4 & 7) != t.cas || a >> 7) wrong("MODE of another kind");
        ready = true;
        mode_at = now;
        first_refreshes = refreshes;
    }

    void check_refreshes() {
        if (!ready || (now & 0xFFFF)) return;
        const double due = (now - mode_at) * t.period / t.refresh;
        if (double(refreshes - first_refreshes) < due - 8) wrong("too few refreshes");
    }

    const SdramTimes t;
    std::vector<uint16_t> words;
    int64_t now = -1, refreshed = -1, mode_at = -1, last_access = -1;
    int64_t row[banks] = {-1, -1, -1, -1}, active[banks] = {-1, -1, -1, -1};
    int64_t precharged[banks] = {-1, -1, -1, -1}, read_at[banks] = {-1, -1, -1, -1};
    int64_t last_in[banks] = {-1, -1, -1, -1};
    int64_t refreshes = 0, first_refreshes = 0, precharges = 0;
    bool ready = false, last_was_write = false;
    int burst = 1, writing_left = 0, writing_bank = 0;
    size_t writing_at = 0;
    // Cycle -> word that is on the pins then, plus 1; 0 is none.
    size_t driven[cycles_ahead] = {};
    uint32_t dqm_before = 0;
};
