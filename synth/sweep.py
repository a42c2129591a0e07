"""``python -m ember.synth.sweep``: measure the machines that estimates are fitted to.

Each configuration differs from ``tiny`` in one parameter or a few, so that what the parameter costs
can be told; the presets that fit are among them. Those of :data:`ROUTED` are placed and routed, the
others only synthesized, which takes a tenth of the time.
"""

import json
import time
from dataclasses import asdict
from pathlib import Path

from ..hw.config import Config
from . import tools
from .blocks import MACHINE, blocks
from .estimate import FILE
from .measure import measure
from .targets import TARGETS

TARGET = "ecp5-85f"
SEED = 1

#: Changes to `tiny`; the first is the preset itself.
CHANGES: tuple[dict[str, int], ...] = (
    {},
    {"lanes": 2},
    {"lanes": 8},
    {"lanes": 8, "div_interval": 26},
    {"div_interval": 2},
    {"layers": 2},
    {"layers": 4, "fiber_lanes": 4},
    {"fiber_lanes": 4},
    {"line_slots": 16},
    {"addr_width": 48},
    {"lanes": 2, "addr_width": 40, "fiber_lanes": 4, "line_slots": 8},
)
#: Indices of :data:`CHANGES`.
ROUTED = (0, 1, 2)


def main() -> None:
    """Measure, and write the file that :mod:`.estimate` reads."""
    machines = [(Config.preset("tiny").replace(**change), n in ROUTED)
                for n, change in enumerate(CHANGES)]  # fmt: skip
    # Routing this one takes longer than all the others together.
    machines.append((Config.preset("default"), False))
    found = []
    for config, routed in machines:
        started = time.monotonic()
        measured = measure(
            MACHINE, blocks(config)[MACHINE](), TARGETS[TARGET], SEED, routed=routed
        )
        figures = asdict(measured.figures)
        del figures["name"]
        found.append({"config": config.to_dict(), "figures": figures})
        print(config.hash, figures, f"{time.monotonic() - started:.0f} s", flush=True)
    report = {"target": TARGET, "seed": SEED, "tools": tools.versions(), "machines": found}
    Path(__file__).with_name(FILE).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
