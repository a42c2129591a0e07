"""Runs filecheck/*.mlir: what each pass does, what it leaves alone, and what it refuses.

A file starts with ``// RUN: <pass pipeline>`` (or ``// RUN:`` alone: parse, verify, print) and has
sections between ``// -----`` lines. The results of all sections together are checked against the
file's CHECK lines, except those of a section with ``// ERROR: <whole message>``, which must fail.
"""

import re
from pathlib import Path

import pytest
from ember.compiler.dlc.dialect import DLC
from ember.compiler.errors import CompileError
from ember.compiler.slc.dialect import SLC
from ember.compiler.universe import UNIVERSE
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser as CheckParser
from xdsl.context import Context
from xdsl.dialects import arith, builtin, cf, func, math, memref, scf, vector
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.utils.exceptions import ParseError, VerifyException

HERE = Path(__file__).parent / "filecheck"
FILES = sorted(HERE.glob("*.mlir"))
DIALECTS = (
    builtin.Builtin,
    arith.Arith,
    cf.Cf,
    func.Func,
    math.Math,
    memref.MemRef,
    scf.Scf,
    vector.Vector,
    SLC,
    DLC,
)


def context() -> Context:
    result = Context()
    for dialect in DIALECTS:
        result.load_dialect(dialect)
    return result


def process(text: str, passes: str, name: str) -> str:
    ctx = context()
    module = Parser(ctx, text, name).parse_module()
    module.verify()
    PassPipeline.parse_spec(UNIVERSE.all_passes, passes).apply(ctx, module)
    module.verify()
    printed = str(module)
    again = Parser(ctx, printed, name).parse_module()
    again.verify()
    assert str(again) == printed, "text must survive a round trip"
    return printed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file(path: Path):
    text = path.read_text()
    run = re.match(r"// RUN:(.*)\n", text)
    assert run, f"{path} must start with // RUN:"
    printed = []
    for number, section in enumerate(text.split("// -----\n")):
        expected = re.findall(r"// ERROR: (.*)", section)
        if not expected:
            printed.append(process(section, run[1].strip(), path.name))
            continue
        with pytest.raises((CompileError, VerifyException, ParseError)) as error:
            process(section, run[1].strip(), path.name)
        value = error.value
        found = value.msg if isinstance(value, ParseError) else str(value).splitlines()[0]
        assert found == expected[0], f"section {number}"
    if "// CHECK" in text:
        options = Options(str(path))
        output = FInput("output", "\n// -----\n".join(printed))
        matcher = Matcher(options, output, CheckParser.from_opts(options))
        assert matcher.run() == 0, f"{path.name}: output does not match its CHECK lines"


def test_every_pass_has_a_file():
    assert {path.stem for path in FILES} >= UNIVERSE.all_passes.keys()
