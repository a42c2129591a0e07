"""The breakdown of the cycles: every line adds up, whatever the counters."""

import random
import re

import pytest
from ember.hw import isa
from ember.hw.config import Config
from ember.hw.occupancy import BINS, bin_levels

from ember.stalls import queue_table, shares, unit_table, wait_table

STATES = ("busy", "blocked", "starved")
#: What stands behind a sum of counters.
WAITS = {
    "loads_blocked": ("port_mshr", "port_memory"),
    "loads_starved": ("port_ring", "port_idle"),
    "execute_blocked": ("exec_hazard", "exec_store"),
    "execute_starved": ("exec_token", "exec_data"),
}


def split(rng: random.Random, total: int, parts: int) -> list[int]:
    cuts = sorted(rng.choices(range(total + 1), k=parts - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]


def counted(config: Config, rng: random.Random, cycles: int) -> dict[str, int]:
    """Counters of a run, made up, that agree with each other as those of a machine do."""
    counters = {name: 0 for name, _ in isa.COUNTERS} | {"cycles": cycles}
    for unit in isa.units(config):
        for state, count in zip(STATES, split(rng, cycles, 3), strict=True):
            counters[f"{unit}_{state}"] = count
    for whole, causes in WAITS.items():
        counters.update(zip(causes, split(rng, counters[whole], 2), strict=True))
    for queue, depth in (("dataq", config.dataq_depth), ("ctrlq", config.ctrlq_depth)):
        used = [k for k, levels in enumerate(bin_levels(depth)) if levels]
        for k, count in zip(used, split(rng, cycles, len(used)), strict=True):
            counters[f"{queue}_bin{k}"] = count
    return counters


def figures(text: str) -> list[int]:
    """Percentages of a text, in tenths."""
    return [int(a + b) for a, b in re.findall(r"\b(\d+)\.(\d)\b", text)]


def test_shares(seed):
    rng = random.Random(seed)
    for _ in range(1000):
        parts = [rng.randrange(10 ** rng.randrange(1, 12)) for _ in range(rng.randrange(1, 9))]
        total, whole = rng.choice((0, 1, 7, 30, 1000)), sum(parts)
        scaled = shares(parts, total)
        if whole:
            assert sum(scaled) == total
            assert all(abs(s - p * total / whole) < 1 for s, p in zip(scaled, parts, strict=True))


@pytest.mark.parametrize(
    "parts, total, scaled",
    [
        ([1, 1, 1], 1000, [334, 333, 333]),
        ([0, 0], 1000, [0, 0]),
        ([2, 0, 1], 3, [2, 0, 1]),
        ([999_999, 1, 0], 1000, [1000, 0, 0]),
    ],
)
def test_shares_by_hand(parts, total, scaled):
    assert shares(parts, total) == scaled


@pytest.mark.parametrize("preset", ["tiny", "paper"])
@pytest.mark.parametrize("cycles", [1, 7, 997, 10**9 + 7])
def test_every_line_adds_up(preset, cycles, seed):
    rng, config = random.Random(seed), Config.preset(preset)
    for _ in range(50):
        counters = counted(config, rng, cycles)
        units = dict(zip(isa.units(config), unit_table(config, counters)[1:], strict=True))
        for unit, line in units.items():
            found = figures(line)
            assert sum(found) == 1000, line
            for state, share in zip(STATES, found, strict=True):
                assert abs(share - 1000 * counters[f"{unit}_{state}"] / cycles) < 1
            assert len(line.split()[-1]) == 30
        waits = wait_table(counters)[1:]
        assert len(waits) == len(WAITS)
        for line, whole in zip(waits, WAITS, strict=True):
            unit, state = whole.split("_")
            assert f" {state} " in line
            assert sum(figures(line)) == figures(units[unit])[STATES.index(state)]


@pytest.mark.parametrize("depths", [(1, 1), (2, 7), (32, 3), (64, 1024)])
def test_queues(depths, seed):
    rng = random.Random(seed)
    config = Config(dataq_depth=depths[0], ctrlq_depth=depths[1])
    counters = counted(config, rng, 12_345)
    head, *lines = queue_table(config, counters)
    assert re.fullmatch(r"  DataQ level +% +CtrlQ level +%", head)
    at = head.index("CtrlQ")
    for depth, cells in (
        (depths[0], [line[:at] for line in lines]),
        (depths[1], [line[at:] for line in lines]),
    ):
        cells = [cell for cell in cells if cell.strip()]
        assert sum(figures("".join(cells))) == 1000
        labels = [cell.split()[0] for cell in cells]
        assert (labels[0], labels[-1]) == ("0", str(depth))
        assert len(labels) == min(depth + 1, BINS)
        levels = []
        for label in labels:
            first, _, last = label.partition("-")
            levels += range(int(first), int(last or first) + 1)
        assert levels == list(range(depth + 1))


def test_the_tables_whole():
    config = Config.preset("tiny")
    counters = {name: 0 for name, _ in isa.COUNTERS} | {
        "cycles": 1000, "port_mshr": 150, "port_memory": 50, "port_idle": 300,
        "exec_data": 700, "exec_token": 100,
        "dataq_bin0": 900, "dataq_bin7": 100, "ctrlq_bin0": 250, "ctrlq_bin1": 750,
    }  # fmt: skip
    for unit in isa.units(config):
        counters[f"{unit}_starved"] = 1000
    counters |= {"loads_busy": 500, "loads_blocked": 200, "loads_starved": 300}
    counters |= {"execute_busy": 200, "execute_starved": 800}
    tables = [*unit_table(config, counters), *wait_table(counters), *queue_table(config, counters)]
    expected = """\
  % of the cycles     busy  blocked  starved   # busy, x blocked, . starved
    layer 0            0.0      0.0    100.0   ..............................
    layer 1            0.0      0.0    100.0   ..............................
    row layer          0.0      0.0    100.0   ..............................
    load unit         50.0     20.0     30.0   ###############xxxxxx.........
    DataQ              0.0      0.0    100.0   ..............................
    CtrlQ              0.0      0.0    100.0   ..............................
    execute           20.0      0.0     80.0   ######........................
    store              0.0      0.0    100.0   ..............................
  waited for
    load unit      blocked  a free MSHR 15.0, the memory 5.0
                   starved  a free slot in the row buffer 0.0, a request 30.0
    execute        blocked  its own result 0.0, the store unit 0.0
                   starved  a token 10.0, data 70.0
  DataQ level        %                      CtrlQ level        %
    0             90.0   ##################   0             25.0   #####
    1              0.0                        1             75.0   ###############
    2             10.0   ##                   2              0.0"""
    assert "\n".join(tables) == expected
