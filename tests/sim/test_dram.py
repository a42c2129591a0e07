"""A DRAM's description: presets, addresses, peak, statistics, and what it refuses."""

from dataclasses import replace

import pytest
from ember.sim.dram import Dram
from ember.sim.dram_presets import DRAM_PRESETS, dram_preset
from ember.sim.dram_statistics import DramStatistics

DDR4 = DRAM_PRESETS["ddr4-2400"]


def test_peaks_are_those_of_the_standards():
    assert DDR4.peak_bytes_per_second == 19.2e9
    assert DRAM_PRESETS["hbm2"].peak_bytes_per_second == 256e9
    assert dram_preset("ddr4-2400", channels=4).peak_bytes_per_second == 4 * 19.2e9
    assert dram_preset("hbm2", clock_mhz=2000).peak_bytes_per_cycle == 128


def test_ddr4_has_the_times_of_its_data_sheet():
    # Nanoseconds of MT40A1G8-083E; a parameter is the least number of clocks that is as long.
    times = dict(rcd=13.32, rp=13.32, ras=32, wr=15, rtp=7.5, ccd_l=5, rrd_s=3.3, rrd_l=4.9,
                 faw=21, wtr_s=2.5, wtr_l=7.5, rfc=350)  # fmt: skip
    for name, time in times.items():
        clocks = getattr(DDR4.timing, name)
        assert clocks * 1000 / 1200 >= time - 0.01 > (clocks - 1) * 1000 / 1200 - 0.02, name
    assert DDR4.timing.refi * 1000 / 1200 == 7800
    assert DDR4.timing.rc == DDR4.timing.ras + DDR4.timing.rp


def test_address_bits():
    assert DDR4.address_bits() == {
        "channel": (8, 0), "group": (8, 2), "bank": (15, 2), "row": (17, 47),
    }  # fmt: skip
    other = replace(DDR4, channels=4, interleave_bytes=64, mapping="row:channel:group:bank:column")
    # 128 bursts of 64 bytes are a row.
    assert other.address_bits() == {
        "bank": (13, 2), "group": (15, 2), "channel": (17, 2), "row": (19, 45),
    }  # fmt: skip


def test_bursts_of_a_line():
    hbm = DRAM_PRESETS["hbm2"]
    assert [hbm.bursts(size) for size in (4, 32, 64)] == [1, 1, 2]
    assert [DDR4.bursts(size) for size in (4, 32, 64)] == [1, 1, 1]


@pytest.mark.parametrize("overhead, clock, cycles", [(0, 1000, 1), (20, 1000, 20), (20, 333, 7)])
def test_overhead_in_cycles(overhead, clock, cycles):
    assert replace(DDR4, overhead_ns=overhead, clock_mhz=clock).overhead_cycles == cycles


def test_text():
    assert str(DDR4) == "ddr4-2400, 1 channel, machine at 1000 MHz"
    assert str(replace(DDR4, channels=2, clock_mhz=5)) == "ddr4-2400, 2 channels, machine at 5 MHz"


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(channels=3), "channels must be a power of two, not 3"),
        (dict(channels=512), "channels must be 1..256, not 512"),
        (dict(clock_mhz=0), "clock_mhz must be 1..100000 MHz, not 0"),
        (dict(groups=16, banks=8), "groups x banks must be at most 64, not 16 x 8"),
        (dict(interleave_bytes=32), "interleave_bytes must be at least burst_bytes, 64, not 32"),
        (dict(row_bytes=128), "row_bytes must be at least interleave_bytes, 256, not 128"),
        (dict(write_high=40), "write_queue must be at least write_high, 40, not 32"),
        (dict(write_low=24), "write_low must be below write_high, 24, not 24"),
        (dict(hit_cap=0), "hit_cap must be 1..1048576 accesses, not 0"),
        (
            dict(mapping="row:bank"),
            "mapping must be row, then bank, channel, column, group in any order, with : between "
            "them, not 'row:bank'",
        ),
    ],
)
def test_wrong_values(changes, message):
    with pytest.raises(ValueError) as caught:
        replace(DDR4, **changes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(rcd=0), "rcd must be 1..1048576 clocks, not 0"),
        (dict(rc=38), "rc must be at least ras, 39, not 38"),
        (dict(ccd_s=3), "ccd_s must be at least burst, 4, not 3"),
        (dict(ccd_l=3), "ccd_l must be at least ccd_s, 4, not 3"),
        (dict(wtr_l=2), "wtr_l must be at least wtr_s, 3, not 2"),
        (dict(rrd_l=3), "rrd_l must be at least rrd_s, 4, not 3"),
        (dict(rtw=7), "rtw must be at least cl + burst - cwl, 8, not 7"),
        (
            dict(refi=900),
            "refi must be at least twice the 475 clocks for which a refresh may keep a channel, "
            "not 900",
        ),
    ],
)
def test_wrong_timing(changes, message):
    with pytest.raises(ValueError) as caught:
        replace(DDR4.timing, **changes)
    assert str(caught.value) == message


def test_wrong_types():
    with pytest.raises(TypeError, match="^channels must be an integer, not 2.0$"):
        replace(DDR4, channels=2.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^timing must be a DramTiming, not NoneType$"):
        replace(DDR4, timing=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^memory must be one of ddr4-2400, hbm2, not 'ddr5'$"):
        dram_preset("ddr5")


def statistics(dram: Dram = DDR4, **changes) -> DramStatistics:
    counts = dict(
        cycles=1000, reads=100, writes=50, read_cycles=6000, read_bursts=100,
        write_bursts=50, row_hits=90, row_misses=20, row_conflicts=40, refreshes=1,
    )  # fmt: skip
    return DramStatistics(dram=dram, line_bytes=64, **counts | changes)


def test_statistics():
    seen = statistics()
    assert seen.bytes_per_cycle == 9.6
    assert seen.bytes_per_second == pytest.approx(9.6e9)
    assert seen.of_peak == pytest.approx(0.5)
    assert seen.bus_busy == pytest.approx(0.5)
    assert (seen.row_hit_rate, seen.mean_read_cycles) == (0.6, 60)
    assert seen.to_dict()["of_peak"] == seen.of_peak and seen.to_dict()["refreshes"] == 1
    # Nothing divides by zero before the first request.
    empty = statistics(**{name: 0 for name in ("reads", "writes", "read_bursts",
                                               "write_bursts", "cycles", "read_cycles",
                                               "row_hits")})  # fmt: skip
    assert empty.bus_busy == empty.of_peak == empty.row_hit_rate == empty.mean_read_cycles == 0


def test_statistics_of_several_launches():
    both = statistics() + statistics(cycles=3000, row_hits=10)
    assert (both.cycles, both.reads, both.row_hits) == (4000, 200, 100)
    assert both.bytes_per_cycle == 4.8
    with pytest.raises(ValueError, match="^dram must be the same in both, not ddr4-2400, 1"):
        statistics() + statistics(DRAM_PRESETS["hbm2"])
