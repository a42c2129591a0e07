"""Traces: strictly of the Chrome format, complete, and equal to the machine's own counters."""

import json
from collections import Counter, defaultdict

import numpy as np
import pytest

import ember
from ember.cli import main
from ember.recorded import Launch, event_name, unit_name
from ember.trace import cut_text

# One worker builds and loads the simulator for all of these.
pytestmark = pytest.mark.xdist_group("rtl-tiny")

KEYS = {
    "M": {"ph", "pid", "tid", "ts", "name", "args"},
    "X": {"ph", "pid", "tid", "ts", "dur", "name", "cat"},
    "C": {"ph", "pid", "tid", "ts", "name", "args"},
}


def checked(path) -> dict:
    """A trace file, after checks of everything that the format asks for."""
    trace = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert set(trace) == {"displayTimeUnit", "traceEvents", "otherData"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    names, time, ends = {}, 0, defaultdict(int)
    for event in trace["traceEvents"]:
        assert KEYS[event["ph"]] <= set(event) <= KEYS[event["ph"]] | {"args"}
        assert all(type(event[key]) is int for key in ("pid", "tid", "ts"))
        assert event["ts"] >= time, "in the order of time"
        time = event["ts"]
        assert isinstance(event["name"], str) and event["name"]
        if event["ph"] == "M":
            assert time == 0
            if event["name"] == "thread_name":
                assert event["tid"] not in names
                names[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            assert type(event["dur"]) is int and event["dur"] > 0
            assert event["tid"] in names, "a thread has its name first"
            assert event["ts"] >= ends[event["tid"]], "slices of a thread do not overlap"
            ends[event["tid"]] = event["ts"] + event["dur"]
        else:
            assert event["args"] and all(type(v) is int for v in event["args"].values())
    assert len(set(names.values())) == len(names)
    return trace


def slices(trace: dict, thread: str) -> list[dict]:
    [number] = [
        event["tid"] for event in trace["traceEvents"]
        if event["name"] == "thread_name" and event["args"]["name"] == thread
    ]  # fmt: skip
    return [e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == number]


def run(rng, tiny, tables=1, trace=(0, 1 << 40), **options):
    lookups = [
        ember.Lookup(
            rng.standard_normal((20, 5), np.float32), rng.integers(0, 20, 40),
            lengths=[0, 7, 3, 30], name=f"table {n}",
        )
        for n in range(tables)
    ]  # fmt: skip
    return ember.embedding_bags(lookups, config=tiny, latency=(5, 40), trace=trace, **options)


@pytest.mark.parametrize("opt", ["O0", "O3"])
def test_a_trace_is_what_the_counters_say(rng, tiny, tmp_path, opt):
    result = run(rng, tiny, opt=opt)
    path = tmp_path / "t.json"
    ember.write_trace(str(path), result.recorded, tiny)
    trace = checked(path)
    counters = result.counters
    assert trace["otherData"]["cut"] == ""
    for unit in result.recorded[0].recording.units:
        spent = Counter()
        for event in slices(trace, unit_name(unit)):
            spent[event["name"]] += event["dur"]
        states = ("busy", "blocked", "starved")
        assert {s: spent[s] for s in states} == {s: counters[f"{unit}_{s}"] for s in states}
        assert sum(spent.values()) == result.cycles
    tokens = slices(trace, "execute: tokens")
    assert len(tokens) == counters["tokens"] + 1
    levels = {e["name"] for e in trace["traceEvents"] if e["ph"] == "C"}
    assert levels == {"DataQ level", "CtrlQ level", "loads outstanding", "read port", "write port"}
    for name, counter in (("read port", "port_busy"), ("write port", "lines_out")):
        changes = [
            (e["ts"], e["args"]["lines"]) for e in trace["traceEvents"] if e["name"] == name
        ]
        ends = [time for time, _ in changes[1:]] + [result.cycles]
        moved = sum(v * (end - t) for (t, v), end in zip(changes, ends, strict=True))
        assert moved == counters[counter]


def test_tokens_are_named(rng, tiny, tmp_path):
    path = tmp_path / "t.json"
    result = run(rng, tiny, tables=2)
    ember.write_trace(str(path), result.recorded, tiny)
    tokens = slices(checked(path), "execute: tokens")
    counted = Counter(token["name"] for token in tokens)
    for n in range(2):
        assert counted[f"table {n}: row"] == 40
        assert counted[f"table {n}: row (empty)"] == 1
        assert counted[f"table {n}: begin of loop 0"] == tiny.fiber_lanes
    assert counted["halt"] == 1
    for token in tokens:
        args = token["args"]
        assert set(args) == {"pushed", "pc", "lane", "segment", "first", "last", "arg"}
        assert args["pushed"] < token["ts"]
    row = next(token for token in tokens if token["name"] == "table 1: row")
    assert row["args"]["segment"] == 1


def test_several_launches_follow_each_other(rng, tiny, tmp_path):
    path = tmp_path / "t.json"
    result = run(rng, tiny, tables=9)
    assert result.launches == 2
    ember.write_trace(str(path), result.recorded, tiny)
    trace = checked(path)
    first, second = slices(trace, "launch")
    assert (first["ts"], first["ts"] + first["dur"]) == (0, second["ts"])
    assert second["ts"] + second["dur"] == result.cycles
    assert second["args"] == {"tables": "table 8"}
    named = [token["name"] for token in slices(trace, "execute: tokens")]
    assert named.count("halt") == 2 and named[-2] == "table 8: row"


def test_a_window_and_what_it_cuts(rng, tiny, tmp_path):
    path = tmp_path / "t.json"
    result = run(rng, tiny, trace=(200, 299))
    ember.write_trace(str(path), result.recorded, tiny)
    trace = checked(path)
    assert trace["otherData"]["cut"] == (
        f"cycles 200 to 299 of {result.cycles:,}; the others are cut"
    )
    for event in trace["traceEvents"]:
        if event["ph"] != "M":
            assert 200 <= event["ts"] and event["ts"] + event.get("dur", 1) <= 300
    for unit in result.recorded[0].recording.units:
        assert sum(event["dur"] for event in slices(trace, unit_name(unit))) == 100
    late = run(rng, tiny, trace=(10**6, 10**6))
    assert cut_text(late.recorded).startswith("no cycle of the run's ")
    ember.write_trace(str(path), late.recorded, tiny)
    assert {event["ph"] for event in checked(path)["traceEvents"]} == {"M"}


def test_equal_callbacks_have_both_names():
    class Program:
        class segments:
            marshal = dict(l0_beg_token=1, l0_beg_pc=3, row_end_token=1, row_end_pc=3, l1_end_pc=3)

    Program.segments = [Program.segments]
    launch = Launch(Program, ("t",), None)
    token = dict(halt=0, segment=0, pc=3, skip=0)
    assert launch.token_name(token) == "t: begin of loop 0 or end of row"
    assert launch.token_name({**token, "pc": 0}) == "t: pc 0"
    assert event_name("l2_end") == "end of loop 2"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("to be or not to be\n\nthat is the question\n" * 20)
    return path


def cli(*argv, code=0):
    assert main([str(arg) for arg in argv]) == code


def test_command_line(capsys, tmp_path, text):
    path, report = tmp_path / "t.json", tmp_path / "r.json"
    cli("run", "text", text, "--preset", "tiny", "--dim", 4, "--latency", 20, "--trace", path,
        "--json", report)  # fmt: skip
    err = capsys.readouterr().err
    trace = checked(path)
    cycles = trace["otherData"]["ember"]["cycles"]
    assert trace["otherData"]["ember"] == json.loads(report.read_text())
    assert cycles < 20_000 and "cut" not in err
    cli("run", "text", text, "--preset", "tiny", "--dim", 4, "--latency", 20, "--trace", path,
        "--trace-from", 50, "--trace-to", 60)  # fmt: skip
    assert (
        f"ember: trace {path}: cycles 50 to 60 of {cycles:,}; the others are cut "
        "(--trace-from and --trace-to choose)"
    ) in capsys.readouterr().err.splitlines()


def test_a_trace_on_standard_output_is_nothing_else(capsys, tmp_path, text):
    cli("run", "text", text, "--preset", "tiny", "--dim", 4, "--latency", 20, "--trace", "-")
    path = tmp_path / "t.json"
    path.write_text(capsys.readouterr().out)
    assert checked(path)["otherData"]["ember"]["bags"] == 60


def test_the_timeline_of_a_report_adds_up(tmp_path, text):
    path = tmp_path / "r.json"
    cli("run", "text", text, "--preset", "tiny", "--dim", 4, "--json", path)
    report = json.loads(path.read_text())
    timeline, counters = report["timeline"], report["counters"]
    assert sum(timeline["bins"]) == sum(timeline["launches"]) == report["cycles"]
    assert 256 < len(timeline["bins"]) <= 1024
    for unit, states in timeline["units"].items():
        for state, cycles in states.items():
            assert sum(cycles) == counters[f"{unit}_{state}"]
        assert [sum(bins) for bins in zip(*states.values(), strict=True)] == timeline["bins"]
    assert sum(timeline["levels"]["outstanding"]["sum"]) == counters["outstanding_sum"]
    assert max(timeline["levels"]["dataq_level"]["peak"]) == counters["dataq_peak"]


def test_a_hang_leaves_its_trace(capsys, tmp_path, text):
    path = tmp_path / "t.json"
    cli("run", "text", text, "--preset", "tiny", "--trace", path, "--max-cycles", 500, code=1)
    assert "machine did not finish within 500 cycles" in capsys.readouterr().err
    trace = checked(path)
    assert slices(trace, "launch")[0]["dur"] == 499
    assert trace["otherData"]["ember"] is None
    cli("report", path, "-o", tmp_path / "x.html", code=2)
    assert capsys.readouterr().err == (
        f"ember: {path} is the trace of a run that did not finish: it has no report\n"
    )


def test_a_window_of_waves_that_is_not_reached(capsys, tmp_path, text):
    path = tmp_path / "w.vcd"
    cli("run", "text", text, "--preset", "tiny", "--dim", 4, "--latency", 20, "--wave", path,
        "--wave-from", 10**9)  # fmt: skip
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"ember: waveform file {path} not written: the run took ")
    assert last.endswith(" cycles, but wave_from is 1,000,000,000")
    assert not path.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trace-from", "3"], "trace_from must come with trace"),
        (["--trace-to", "3"], "trace_to must come with trace"),
        (
            ["--trace", "t.json", "--trace-from", "3", "--trace-to", "2"],
            "trace_from must be at most trace_to, 2, not 3",
        ),
        (["--wave-from", "3"], "wave_from must come with wave"),
        (["--wave", "w.lxt"], "waveform file must end in .vcd or .fst, not 'w.lxt'"),
        (
            ["--trace", "t.json", "--engine", "functional"],
            "trace must come with engine 'rtl', not 'functional'",
        ),
        (["--trace", "no/t.json"], "cannot write no/t.json: no such file or directory"),
    ],
)
def test_refusals(capsys, text, options, message):
    cli("run", "text", text, "--preset", "tiny", *options, code=2)
    assert capsys.readouterr().err == f"ember: {message}\n"
