"""``python -m ember.synth.sweep``: measure the machines that estimates are fitted to.

Each differs from ``tiny`` in one parameter or a few; the presets that fit are among them. Those of
:data:`ROUTED` are placed and routed, the others only synthesized, which takes a tenth of the time.
"""

import json
import time
from dataclasses import asdict
from pathlib import Path

from ..hw.config import Config
from . import tools
from .blocks import MACHINE, blocks
from .estimate import FILE, counts
from .measure import measure
from .targets import TARGETS

TARGET = "ecp5-85f"
SEED = 4

#: Changes to ``tiny``; the first is the preset itself.
CHANGES: tuple[dict[str, int], ...] = (
    {},
    {"lanes": 2},
    {"lanes": 8},
    {"lanes": 8, "div_interval": 26, "fiber_lanes": 1},
    {"div_interval": 2},
    {"layers": 2},
    {"layers": 4, "fiber_lanes": 4},
    {"line_slots": 16, "mshrs": 32},
    {"addr_width": 48},
    {"cache_lines": 128},
    {"lanes": 2, "addr_width": 40, "fiber_lanes": 4, "line_slots": 8, "code_depth": 128},
    {"dataq_depth": 64, "ctrlq_depth": 64, "run_ahead": 64, "row_chunks": 64, "fiber_depth": 8},
)
#: Indices of :data:`CHANGES`.
ROUTED = (0, 1)


def main() -> None:
    """Measure, and write the file that :mod:`.estimate` reads."""
    machines = [
        (Config.preset("tiny").replace(**change), n in ROUTED) for n, change in enumerate(CHANGES)
    ]
    machines.append((Config.preset("default"), True))
    found = []
    for config, routed in machines:
        started = time.monotonic()
        measured = measure(
            MACHINE, blocks(config)[MACHINE](), TARGETS[TARGET], SEED, routed=routed
        )
        figures = asdict(measured.figures)
        del figures["name"]
        found.append({"config": config.to_dict(), "counts": counts(config), "figures": figures})
        print(config.hash, figures, f"{time.monotonic() - started:.0f} s", flush=True)
    report = {"target": TARGET, "seed": SEED, "tools": tools.versions(), "machines": found}
    Path(__file__).with_name(FILE).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
