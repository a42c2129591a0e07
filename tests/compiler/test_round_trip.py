"""The text of every stage parses back to the same module, and to the same program."""

from io import StringIO

import pytest
from ember.compiler.asm import assemble, disassemble, from_json, to_json
from ember.compiler.codegen import generate
from ember.compiler.dlc.dialect import DLC
from ember.compiler.pipeline import LEVELS, Compilation, compile_bags
from ember.compiler.slc.dialect import SLC
from ember.compiler.spec import BagSpec
from ember.hw.config import Config
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, math, memref, scf, vector
from xdsl.parser import Parser
from xdsl.printer import Printer

SPECS = [
    BagSpec("sum", 10, 33, 4, 20, index_type="i32"),
    BagSpec("long", 10, 133, 4, 20, mode="mean", offset_type="i32"),
    BagSpec("max", 10, 33, 4, 20, mode="max", out_stride=40),
    BagSpec("maxn", 10, 33, 4, 20, mode="max", nan="propagate", padding_idx=2),
    BagSpec("fma", 10, 33, 4, 20, weighted=True),
    BagSpec("two roundings", 10, 33, 4, 20, weighted=True, fma=False),
    BagSpec("fixed", 10, 33, 4, 20, pooling=5),
]
CONFIGS = {name: Config.preset(name) for name in ("tiny", "paper")}


def context() -> Context:
    result = Context()
    for dialect in (
        builtin.Builtin,
        arith.Arith,
        func.Func,
        math.Math,
        memref.MemRef,
        scf.Scf,
        vector.Vector,
        SLC,
        DLC,
    ):
        result.load_dialect(dialect)
    return result


@pytest.fixture(scope="module", params=[(c, o) for c in CONFIGS for o in LEVELS], ids=str)
def compilation(request) -> Compilation:
    name, opt = request.param
    return compile_bags(CONFIGS[name], SPECS, opt)


def addresses(compilation: Compilation) -> dict[tuple[str, str], int]:
    keys = [(spec.name, role) for spec in compilation.specs for role in spec.roles]
    return {key: 4096 * n for n, key in enumerate(keys)}


def test_every_stage(compilation):
    for name, text in compilation.stages:
        module = Parser(context(), text, name).parse_module()
        module.verify()
        assert str(module) == text


def test_generic_form(compilation):
    for stage in ("slc", "dlc"):
        text, generic = compilation.text(stage), StringIO()
        module = Parser(context(), text).parse_module()
        Printer(stream=generic, print_generic_format=True).print_op(module)
        assert str(Parser(context(), generic.getvalue()).parse_module()) == text


def test_dlc_text_is_all_that_codegen_needs(compilation):
    module = Parser(context(), compilation.text("dlc")).parse_module()
    assert tuple(generate(module, compilation.config)) == compilation.templates


def test_assembler_and_disassembler(compilation):
    config = compilation.config
    programs = compilation.link(addresses(compilation))
    text = "".join(disassemble(program, config) for program in programs)
    again = assemble(text, config)
    assert "".join(disassemble(program, config) for program in again) == text
    assert [p.image(config) for p in again] == [p.image(config) for p in programs]


def test_assembler_with_symbols(compilation):
    symbols = {".".join(key): value for key, value in addresses(compilation).items()}
    text = compilation.text("asm")
    again = assemble(text, compilation.config, symbols)
    linked = compilation.link(addresses(compilation))
    config = compilation.config
    assert [p.image(config) for p in again] == [p.image(config) for p in linked]


def test_json(compilation):
    programs = compilation.link(addresses(compilation))
    again = from_json(to_json(programs))
    config = compilation.config
    assert [p.image(config) for p in again] == [p.image(config) for p in programs]
    assert '"row": {\n          "base": "sum.table"' in compilation.text("json")
