"""Dependencies between the directories point one way."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Directory -> the others that it may import from.
ALLOWED = {
    "hw": set(),
    "compiler": {"hw"},
    "sim": {"hw", "compiler"},
    "synth": {"hw", "sim"},
    "boards": {"hw", "sim", "synth"},
    "ember": {"hw", "compiler", "sim", "synth", "boards"},
}
#: compiler/ knows the hardware by these alone.
COMPILER_USES = {"hw.config", "hw.isa", "hw.program"}

FILES = [
    pytest.param(path, id=str(path.relative_to(ROOT)))
    for directory in ALLOWED
    for path in sorted((ROOT / directory).rglob("*.py"))
]


def imported(path: Path) -> set[str]:
    """Modules of this project that a file imports, as paths from the root: ``hw.isa``."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1]
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}".lstrip(".") for alias in node.names]
        else:
            continue
        found |= {name for name in names if name.split(".")[0] in ALLOWED}
    return found


@pytest.mark.parametrize("path", FILES)
def test_directions(path):
    own = path.relative_to(ROOT).parts[0]
    for name in imported(path):
        other = name.split(".")[0]
        assert other == own or other in ALLOWED[own], f"{path}: {own} must not import {name}"
        assert not (own != "ember" and other == "ember"), f"{path}: {name}"


@pytest.mark.parametrize("path", [p for p in FILES if p.id and p.id.startswith("compiler")])
def test_the_compiler_uses_the_contract_only(path):
    for name in imported(path):
        if name.startswith("hw"):
            module = ".".join(name.split(".")[:2])
            assert module in COMPILER_USES, f"{path}: {name}"


@pytest.mark.parametrize("module", ["ember", "ember.cli", "ember.api"])
def test_importing_the_public_face_is_quick(module):
    code = (
        f"import sys, {module}\n"
        f"heavy = {{'amaranth', 'xdsl', 'torch', 'cocotb', 'llvmlite'}} & set(sys.modules)\n"
        f"sys.exit(f'{{heavy}}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
