"""``ember verify``: the whole way on a small machine, and on machines that are wrong."""

import json
import re
import sys

import pytest
from ember.hw.top import Machine
from ember.sim.campaign import run_campaign
from ember.sim.compare import Mismatch
from ember.sim.coverage import machine_coverage
from ember.sim.engine import RtlEngine
from ember.sim.result import Hang

from ember import Config
from ember.cli import main
from formal.mutant import Edit, load

#: As small as a machine can be and still have slot numbers that one stream has and another has not.
SMALL = Config(
    lanes=1, layers=2, fiber_lanes=1, mshrs=8, addr_width=32, dataq_depth=2, ctrlq_depth=2,
    row_chunks=4, segments=2, code_depth=32, line_slots=2, run_ahead=4, fiber_depth=1,
    div_interval=26,
)  # fmt: skip
MUTANTS = {
    "a tag cut short": ("ember.hw.tmu.tmu", "Tmu", "answer.valid & ~beyond", "answer.valid"),
    "a bit stuck at 1": (
        "ember.hw.core.core", "Core", "emission.result.eq(vector_unit.result)",
        "emission.result.eq(vector_unit.result.as_value() | 1)",
    ),
}  # fmt: skip


def mutant(monkeypatch, name: str):
    """Makes machines with one line changed."""
    module, block, old, new = MUTANTS[name]
    monkeypatch.setattr(f"ember.hw.top.{block}", getattr(load(module, (Edit(old, new),)), block))
    return lambda config: Machine(config, probes=True)


@pytest.mark.parametrize("name", MUTANTS)
def test_the_campaign_finds_a_mutant_and_says_where(name, monkeypatch) -> None:
    make = mutant(monkeypatch, name)
    coverage = machine_coverage(SMALL)
    with RtlEngine(SMALL, machine=make) as engine, pytest.raises((Mismatch, Hang)) as caught:
        for _ in run_campaign(engine, range(200), coverage=coverage):
            pass
    if isinstance(caught.value, Mismatch):
        place = rf"configuration {SMALL.hash}, seed \d+.*Latency\(.*?\): "
        what = r".* must be .*|lane \d+ has a token too many: .*"
        assert re.fullmatch(f"{place}({what})", str(caught.value), re.DOTALL)


@pytest.mark.xdist_group("rtl-tiny")
class TestCommand:
    @pytest.fixture(autouse=True)
    def cocotb(self) -> None:
        pytest.importorskip("cocotb", reason="cocotb is not installed")

    def test_few_programs_leave_bins_that_are_named(self, tmp_path, capsys) -> None:
        path = tmp_path / "report.json"
        code = main(["verify", "--preset", "tiny", "--programs", "2", "--json", str(path)])
        out, err = capsys.readouterr()
        assert code == 1
        assert "ember: cocotb regression: " in err
        lines = out.splitlines()
        assert lines[0].startswith(f"configuration {Config.preset('tiny').hash}, seed 0, ")
        assert lines[1] == "cocotb regression: 23 tests passed"
        assert lines[2].startswith("random programs: 2 agree in 4 runs, ")
        assert re.fullmatch(
            r"verdict: INCOMPLETE: \d+ legal bins not hit, give it more --programs", lines[-1]
        )
        report = json.loads(path.read_text())
        assert report["passed"] is False and report["failure"] is None
        assert report["legal"] > report["hit"] > 0
        missing = sum(len(group["missing"]) for group in report["groups"].values())
        assert f"INCOMPLETE: {missing} legal" in lines[-1]
        # The regression's own: a read error of the row layer.
        assert report["groups"]["errors"]["hits"]["kind=READ layer=2"] > 0

    def test_a_mutant_fails_with_seed_and_place(self, monkeypatch, capsys) -> None:
        mutant(monkeypatch, "a bit stuck at 1")
        monkeypatch.setattr("ember.sim.verify.Machine", Machine)
        settings = [f"{name}={value}" for name, value in SMALL.to_dict().items()]
        argv = [part for setting in settings for part in ("--set", setting)]
        assert main(["verify", "--seed", "3", "--programs", "5", *argv]) == 1
        out, _ = capsys.readouterr()
        verdict = out[out.index("verdict: ") :]
        assert verdict.startswith("verdict: FAILED: ember.sim.bench_machine, seed 3: ")
        assert re.search(rf"configuration {SMALL.hash}, seed \d+.*output word \d+", verdict)


def test_without_cocotb_there_is_one_line(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "cocotb_tools", None)
    for name in ("verify", "cocotb_support"):
        monkeypatch.delitem(sys.modules, f"ember.sim.{name}", raising=False)
    monkeypatch.delattr("ember.sim.verify", raising=False)
    assert main(["verify", "--preset", "tiny"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == (
        "ember: cocotb is not installed: pip install 'ember-dae[verify]'"
    )


def test_the_default_is_that_of_the_campaign() -> None:
    pytest.importorskip("cocotb", reason="cocotb is not installed")
    from ember.sim import verify

    from ember import cmd_verify

    assert cmd_verify.PROGRAMS == verify.PROGRAMS
