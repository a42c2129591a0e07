"""``ember report``: a page that stands alone, from every kind of file, and what it refuses."""

import json
import math
import re
from html.parser import HTMLParser

import pytest

from ember.cli import main
from ember.report_html.documents import read_document
from ember.report_html.svg import cycles, number, ticks

CONFIG = {"lanes": 4, "layers": 3, "mshrs": 8, "dataq_depth": 4}
COUNTERS = {
    "cycles": 100, "port_busy": 40, "port_mshr": 30, "port_memory": 0, "port_ring": 10,
    "port_idle": 20, "exec_busy": 50, "exec_token": 20, "exec_data": 30, "exec_hazard": 0,
    "exec_store": 0, "row_busy": 60, "row_blocked": 30, "row_starved": 10,
    "layer2_busy": 0, "layer2_blocked": 0, "layer2_starved": 0,
}  # fmt: skip
TIMELINE = {
    "launches": [60, 40], "bin_cycles": 32, "bins": [32, 28, 32, 8],
    "units": {"row": {"busy": [20, 20, 20, 0], "blocked": [2, 8, 12, 8], "starved": [10, 0, 0, 0]}},
    "ports": {"read": [10, 20, 10, 0], "write": [0, 1, 2, 3]},
    "levels": {
        "dataq_level": {"sum": [32, 28, 64, 0], "peak": [1, 1, 4, 0],
                        "histogram": [8, 60, 16, 8, 8], "capacity": 4},
        "outstanding": {"sum": [256, 224, 64, 0], "peak": [8, 8, 8, 1],
                        "histogram": [10, 10, 20, 0, 0, 0, 0, 0, 60], "capacity": 8},
    },
}  # fmt: skip
RUN = {
    "title": "ember run text x", "config": CONFIG, "config_hash": "0123abcd", "opt": "O3",
    "engine": "rtl", "latency": "20", "seed": 3,
    "tables": [{"name": "t", "rows": 9, "dim": 8, "bags": 5, "lookups": 10}],
    "bags": 5, "lookups": 10, "launches": 2, "cycles": 100, "bound_cycles": 40,
    "bound_lines": {"table": 20}, "utilization": 0.4, "bytes_per_cycle": 9.5,
    "counters": COUNTERS, "bit_exact": True, "timeline": TIMELINE,
}  # fmt: skip
BENCH = {
    "config": CONFIG, "config_hash": "0123abcd", "seed": 0, "latency": "5,20",
    "points": [
        {"dim": 8, "pooling": pooling, "mode": "sum", "index_type": "i64", "weighted": True,
         "tables": 2, "opt": "O3", "latency": latency, "lookups": 10, "cycles": 100,
         "bound_cycles": 40, "utilization": 0.4, "bit_exact": True, "counters": COUNTERS}
        for pooling in (1, "zipf") for latency in ("ddr4-2400", "10..30")
    ],
}  # fmt: skip
COUPLED = {
    **BENCH,
    "points": [
        {"shape": "RM1 low", "dim": 8, "pooling": 4, "latency": 20, "baseline": "coupled",
         "cycles": 900, "decoupled_cycles": 100, "utilization": 0.05,
         "decoupled_utilization": 0.45, "ratio": 9.0, "limit": 9.5, "bit_exact": True}
    ],
}  # fmt: skip
MEMORY = {
    **{name: value for name, value in BENCH.items() if name != "latency"},
    "memories": "200,hbm2:16", "rows": 1 << 20,
    "points": [
        {"shape": "RM1 low", "dim": 8, "pooling": 4, "locality": "low", "memory": memory,
         "bags": 5, "lookups": 20, "cycles": 100, "bound_cycles": 50, "utilization": 0.5,
         "read_port": 0.4, "bytes_per_cycle": 9.0, "bit_exact": True, "dram": None}
        for memory in ("200", "hbm2:16")
    ],
}  # fmt: skip
CACHE = {
    **{name: value for name, value in MEMORY.items() if name != "rows"},
    "caches": {"64": "ffffffff"},
    "points": [
        {"shape": "RM1 low", "dim": 8, "pooling": 4, "locality": "low", "memory": "200",
         "cache_lines": lines, "config_hash": "x", "cycles": 100, "utilization": 0.02,
         "speedup": 1.0, "hit_rate": 0.0, "merged_rate": 0.0, "lines_port": 50,
         "lines_memory": 50, "bit_exact": True}
        for lines in (0, 64)
    ],
}  # fmt: skip
WRITERS = "`ember run --json`, `ember run --trace` or `ember bench --json`"
TRACE = {"displayTimeUnit": "ms", "traceEvents": [], "otherData": {"ember": RUN}}


class Page(HTMLParser):
    """Checks that all that is opened is closed, and gathers what is shown."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.open, self.texts, self.counts = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        assert not {name for name, _ in attrs} & {"src", "href", "onload", "onclick", "style"}
        assert len({name for name, _ in attrs}) == len(attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip() and "style" not in self.open:
            self.texts.append(data.strip())


@pytest.fixture
def made(tmp_path):
    """Function of file contents: the page made of them, checked, and its text."""

    def make(*contents):
        paths = []
        for n, content in enumerate(contents):
            paths.append(tmp_path / f"{n}.json")
            paths[-1].write_text(json.dumps(content))
        out = tmp_path / "x.html"
        assert main(["report", *map(str, paths), "-o", str(out)]) == 0
        text = out.read_text()
        assert not re.search(r"https?:|url\(|@import|<script|<link|NaN|nan|inf\b", text)
        return Page(text)

    return make


def test_a_run(made):
    page = made(RUN)
    for text in (
        "ember run text x", "0123abcd", "bit-exact", "40.0 %", "Roofline",
        "port bound: 1 line of 16 bytes per cycle", "execute pipeline: 4 per cycle",
        "8 loads / 20 cycles: 0.4 lines per cycle", "What each unit does", "row layer",
        "Units over time", "Lines per cycle", "DataQ occupancy", "Loads outstanding", "MSHRs: 8",
        "All counters", "exec_data", "cycles in which it waited for the DataQ",
    ):  # fmt: skip
        assert text in page.texts, text
    assert "layer 2" not in page.texts, "a unit that the machine does not have"
    # Roofline, units, port, execute, activity, throughput, two levels with histograms.
    assert page.texts.count("cycles from the start of the run") == 4


def test_the_stalls_add_up(made, tmp_path):
    made(RUN)
    text = (tmp_path / "x.html").read_text()
    svg = re.search(r"aria-label=\"Cycles of each unit\">(.*?)</svg>", text)[1]
    widths = [float(w) for w in re.findall(r"<rect [^>]*width=\"([\d.]+)\"", svg)]
    [plot] = {float(x2) - float(x1) for x1, x2 in re.findall(r'x1="(110.0)".*?x2="(900.0)"', svg)}
    assert sum(widths) == pytest.approx(plot, abs=0.1)
    assert widths == pytest.approx([plot * share for share in (0.6, 0.3, 0.1)], abs=0.1)


def test_a_trace_is_as_good_as_its_run(made, tmp_path):
    made(RUN)
    run = (tmp_path / "x.html").read_text()
    made(TRACE)
    assert (tmp_path / "x.html").read_text() == run


@pytest.mark.parametrize(
    ("content", "title", "points"), [(BENCH, "bag", 4), (COUPLED, "coupled", 2),
                                     ({**BENCH, "rows": []}, "rate", 4), (MEMORY, "memory", 2),
                                     (CACHE, "cache", 2)],
)  # fmt: skip
def test_a_bench(made, content, title, points):
    page = made(content)
    assert f"ember bench {title}" in page.texts
    assert "A bench keeps no course of time: run one point with" in page.texts
    assert page.counts["circle"] == points
    assert "Utilization" in page.texts and "Units over time" not in page.texts


def _limits(tmp_path):
    """Where the dashed marks beside the bars are, as parts of a bound of 1."""
    text = (tmp_path / "x.html").read_text()
    svg = re.search(r"aria-label=\"Utilization of each point\">(.*?)</svg>", text)[1]
    left = float(re.search(r"<rect x=\"([\d.]+)\"", svg)[1])
    marks = re.findall(r"<line x1=\"([\d.]+)\"[^>]*class=\"limit\"", svg)
    return [(float(mark) - left) / (850 - left) for mark in marks]


def test_each_bar_has_the_limit_of_its_own_machine(made, tmp_path):
    """8 loads outstanding; a baseline moves a 9.5th of what they allow; a cache has no such law."""
    made(COUPLED)
    assert _limits(tmp_path) == pytest.approx([8 / 20, 8 / 20 / 9.5], abs=1e-3)
    made(CACHE)
    assert _limits(tmp_path) == pytest.approx([8 / 200], abs=1e-3)
    law = "8 loads / 20 cycles: 0.4 lines per cycle"
    assert law in made(RUN).texts
    assert law not in made({**RUN, "config": {**CONFIG, "cache_lines": 64}}).texts


@pytest.mark.parametrize(
    ("lookups", "latency", "utilization"),
    [(22, "20", 0.38), (22, "20", 0.35), (32, "5", 0.45), (32, "5", 0.48)],
)
def test_no_point_is_on_the_text_of_a_roof(made, tmp_path, lookups, latency, utilization):
    text = "8 loads / 20 cycles: 0.4 lines per cycle"
    one = {**BENCH["points"][0], "latency": "20", "lookups": 5, "utilization": 0.1}
    other = {**one, "lookups": lookups, "latency": latency, "utilization": utilization}
    made({**BENCH, "points": [one, other]})
    svg = (tmp_path / "x.html").read_text()
    [(x, y, turn)] = re.findall(rf'<text x="([\d.]+)" y="([\d.]+)"[^>]*\((-?\d+)[^>]*>{text}', svg)
    circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', svg)
    assert len(circles) == 2
    for cx, cy, r in circles:
        dx = float(cx) - float(x)
        above = float(y) + dx * math.tan(math.radians(float(turn))) - float(cy)
        # A letter is some 6 pixels wide, from 3 below to 10 above the line that it stands on.
        assert abs(dx) > 3 * len(text) or not -3 - float(r) < above < 10 + float(r)


def test_several_files(made):
    other = {**BENCH, "config_hash": "ffffffff"}
    page = made(RUN, BENCH, other)
    assert "3 reports" in page.texts
    assert page.texts.count("Roofline") == 2, "one for each machine"
    assert page.counts["circle"] == 1 + 4 + 4


def test_nothing_measured(made):
    functional = {**RUN, "cycles": None, "bytes_per_cycle": None, "counters": {}, "timeline": None}
    page = made(functional)
    assert "The functional engine has no clock: no cycles, counters or course of time." in (
        page.texts
    )
    assert "Roofline" not in page.texts
    assert "The run was not recorded: no course of time." in made({**RUN, "timeline": None}).texts


def test_a_wrong_result_is_seen(made):
    page = made({**RUN, "bit_exact": False})
    assert "WRONG" in page.texts
    page = made({**BENCH, "points": [{**BENCH["points"][0], "bit_exact": False}]})
    assert "0 of 1" in page.texts and "40.0 %, WRONG" in page.texts


def test_text_cannot_break_out(made, tmp_path):
    evil = "<script>alert(1)</script>&\"'"
    page = made({**RUN, "title": evil, "latency": evil, "config_hash": evil,
                 "counters": {**COUNTERS, evil: 1}})  # fmt: skip
    assert evil in page.texts and "script" not in page.counts
    page = made({**BENCH, "points": [{**BENCH["points"][0], "mode": evil}]})
    assert any(evil in text for text in page.texts) and "script" not in page.counts


def test_every_single_value_may_be_missing_or_wrong(tmp_path, capsys):
    path, out = tmp_path / "x.json", tmp_path / "x.html"
    for content in (RUN, BENCH, COUPLED, MEMORY, CACHE):
        for name in content:
            for value in (None, "x", -1, [], {}, [1], {"a": "b"}, 1e400):
                path.write_text(json.dumps({**content, name: value}))
                code = main(["report", str(path), "-o", str(out)])
                err = capsys.readouterr().err
                assert (code, err.count("\n")) in ((0, 0), (2, 1)), (name, value, err)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON: Expecting value: line 1 column 1 (char 0)"),
        ("{", "must be JSON: Expecting property name"),
        ("[]", f"must be what {WRITERS} writes"),
        ("{}", f"must be what {WRITERS} writes"),
        ('{"points": []}', "must have 'config'"),
        ('{"points": [], "compile_times": []}', "is of `ember bench compiler`, which measures no"),
        ('{"points": [], "torch": "2"}', "is of `ember bench cpu`, which measures no utilization"),
        ('{"traceEvents": []}', "is the trace of a run that did not finish: it has no report"),
        (
            json.dumps({**RUN, "config": {**CONFIG, "lanes": 0}}),
            "has a value that no report has: lanes must be at least 1, not 0",
        ),
        (
            json.dumps({**RUN, "seed": "x"}),
            "has a value that no report has: must be an integer of at least 0, not 'x'",
        ),
    ],
)  # fmt: skip
def test_refusals(tmp_path, capsys, text, message):
    path = tmp_path / "x.json"
    path.write_text(text)
    assert main(["report", str(path), "-o", str(tmp_path / "x.html")]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"ember: {path} {message}") and err.count("\n") == 1
    assert not (tmp_path / "x.html").exists()


def test_files_that_cannot_be_used(tmp_path, capsys):
    missing = tmp_path / "no.json"
    assert main(["report", str(missing), "-o", "x"]) == 2
    assert capsys.readouterr().err == f"ember: cannot read {missing}: no such file or directory\n"
    path = tmp_path / "x.json"
    path.write_text(json.dumps(RUN))
    assert main(["report", str(path), "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"ember: cannot write {tmp_path}: is a directory\n"
    assert main(["report", str(path), "-o", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"ember: --output must be another file than the input, not {path}\n"
    )
    assert json.loads(path.read_text()) == RUN
    assert main(["report", str(path)]) == 2
    assert "the following arguments are required: -o/--output" in capsys.readouterr().err


def test_numbers_on_axes():
    assert ticks(100) == [0, 20, 40, 60, 80, 100]
    assert ticks(7, 4) == [0, 2, 4, 6]
    assert ticks(0) == [0]
    assert [number(v) for v in (0, 0.25, 3, 1234.5, 12345)] == [
        "0", "0.25", "3", "1,234.50", "12,345",
    ]  # fmt: skip
    assert [cycles(v) for v in (0, 999, 1500, 2e6, 3e9)] == ["0", "999", "1.5 k", "2 M", "3 G"]


def test_a_point_is_below_the_roof_by_its_utilization(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(RUN))
    [point] = read_document(str(path)).points
    # 10 lookups of 8 elements; 40 lines of 16 bytes; 100 cycles.
    assert point.intensity == 80 / (40 * 16)
    assert point.rate == pytest.approx(80 / 100)
    assert point.rate == pytest.approx(0.4 * 16 * point.intensity)
