"""What the compiler is measured on: operations with arrays, and the same by hand.

Each workload is compiled from a bag or from a loop nest, and has microcode that was written by
hand for the same shapes, ``workloads/*.asm``. What the compiler is told, sizes but no contents, is
what the hand-written program may use: both are right for every content of the arrays.
"""

import math
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import parts
from .bench_coupled import MODELS, model_lookup
from .bench_data import graph, triples
from .bench_locality import LEVELS
from .parts import Config
from .tables import random_table

_TEXTS = Path(__file__).parent / "workloads"

#: Lines that a workload moves, about: enough that starting does not count, and O0 ends soon.
LINES = 12_000

#: Name, graph, row length, aggregation, and the program that was written by hand for it.
AGGREGATIONS = (
    ("cora sum", "cora", 32, {"mode": "sum"}, "sum"),
    ("citeseer mean", "citeseer", 32, {"mode": "mean"}, "mean"),
    ("pubmed max", "pubmed", 32, {"mode": "max"}, "max"),
    ("cora weighted", "cora", 64, {"mode": "sum", "weighted": True, "fma": True}, "weighted"),
    ("pubmed SpMM", "pubmed", 16, {"mode": "sum", "weighted": True, "fma": False}, "spmm"),
    ("cora SpMM", "cora", 128, {"mode": "sum", "weighted": True, "fma": False}, "spmm_long"),
)
#: Row lengths of the knowledge graph's vectors, as they are used with TransE and DistMult.
TRANSE, DISTMULT = 50, 64
#: Row length of a gather, rows in a block of it if a register holds as many, and how many there
#: are to choose from.
GATHER, BLOCK, ROWS = 64, 16, 2000


@dataclass(frozen=True)
class Workload:
    """An operation with its arrays; functions and arguments are named ``op`` and as in ``arrays``.

    Attributes
    ----------
    name : as it is printed
    source : where the contents are from
    dim, lookups : elements of a row, and rows that are looked up
    operation : a ``BagSpec``, or the text of a nest
    arguments : of the nest, as ``ember.compiler.nest`` takes them
    arrays : what is read, by name
    expected : the output, float32
    by_hand : name of the assembly text
    numbers : the sizes that stand in it as ``$name``
    """

    name: str
    source: str
    dim: int
    lookups: int
    operation: object
    arrays: dict[str, np.ndarray]
    expected: np.ndarray
    by_hand: str
    numbers: dict[str, int]
    arguments: tuple[str, ...] = field(default=())

    def compile(self, config: Config, opt: str) -> Sequence:
        """The launches, :class:`ember.compiler.template.Template` each."""
        if isinstance(self.operation, str):
            nest, _ = parts.nests()
            return nest.nest_templates(config, self.operation, self.name, opt, self.arguments)
        _, pipeline = parts.compiler()
        return pipeline.compile_bags(config, [self.operation], opt).templates

    def assembly(self, config: Config) -> str:
        """The program that was written by hand, for a machine."""
        return hand_written(self.by_hand, config, self.dim, self.numbers)


def workloads(
    config: Config, shares: Sequence[float], source: str, seed: int, lines: int
) -> Iterator[Workload]:
    """All of them, one after the other; ``shares`` and ``source`` are of the reuse of lookups."""
    for model in MODELS:
        for level in LEVELS:
            _, lookup = model_lookup(config, model, level, shares, seed, lines)
            yield _bag(
                f"{model} {level}", source, np.asarray(lookup.table), np.asarray(lookup.offsets),
                np.asarray(lookup.indices), None, "sum", mode="sum",
            )  # fmt: skip
    for name, kind, dim, options, by_hand in AGGREGATIONS:
        yield _aggregation(config, name, kind, dim, options, by_hand, seed, lines)
    yield _translation(config, seed, lines)
    yield _score(config, seed, lines)
    yield _gather(config, "gather", GATHER, seed, lines)
    yield _gather(config, "block gather", min(BLOCK * GATHER, config.max_dim), seed, lines)


def hand_written(name: str, config: Config, dim: int, numbers: dict[str, int]) -> str:
    """An assembly text of this package, with sizes for ``$name``, for ``assemble``.

    A row that is longer than a register is several segments: the lines up to ``code`` are there
    once for each tile, with ``$dim`` and ``$start`` of the tile. ``$rest`` stands for the layers
    that the program does not use.
    """
    text = (_TEXTS / f"{name}.asm").read_text()
    segment, code = text.split("\ncode\n")
    used = segment.count("\n  layer")
    rest = "\n  ".join(
        f"layer{layer} step=1 e0=ENV0" for layer in range(used, config.scalar_layers)
    )
    starts = range(0, dim, config.max_dim)
    result = []
    for first in range(0, len(starts), config.segments):
        result.append(f"program {config.hash}")
        for number, start in enumerate(starts[first : first + config.segments]):
            width = min(config.max_dim, dim - start)
            chunks = -(-width // config.lanes)
            here = {
                "number": number, "start": 4 * start, "dim": width, "stride": dim,
                "bytes": 4 * dim, "chunks": chunks, "tail": width - (chunks - 1) * config.lanes,
                "rest": rest,
            }  # fmt: skip
            result.append(string.Template(segment).substitute(here | numbers))
        result += ["code", code]
    return "\n".join(result)


def _bag(
    name: str,
    source: str,
    table: np.ndarray,
    offsets: np.ndarray | None,
    indices: np.ndarray,
    weights: np.ndarray | None,
    by_hand: str,
    pooling: int | None = None,
    **options,
) -> Workload:
    spec, _ = parts.compiler()
    rows, dim = table.shape
    starts = np.arange(0, indices.size + 1, pooling) if offsets is None else offsets
    bags = starts.size - 1
    operation = spec.BagSpec(
        "op", rows=rows, dim=dim, bags=bags, lookups=indices.size, index_type="i32",
        offset_type="i32", pooling=pooling, **options,
    )  # fmt: skip
    found = {"offsets": offsets, "indices": indices, "table": table, "weights": weights}
    expected = parts.golden().embedding_bag(
        table, indices, starts, options["mode"], weights, include_last_offset=True,
        fma=options.get("fma"),
    )  # fmt: skip
    return Workload(
        name, source, dim, indices.size, operation,
        {role: array for role, array in found.items() if array is not None}, expected, by_hand,
        {"bags": bags, "rows": rows, "offsets": indices.size + 1},
    )  # fmt: skip


def _aggregation(
    config: Config, name: str, kind: str, dim: int, options: dict, by_hand: str, seed: int,
    lines: int,
) -> Workload:  # fmt: skip
    """Messages to the first nodes of a graph, from all of them."""
    whole = graph(kind, seed)
    moved = whole.offsets[1:].astype(np.int64) * -(-dim // config.lanes)
    nodes = min(whole.nodes, int(np.searchsorted(moved, lines)) + 1)
    offsets = whole.offsets[: nodes + 1]
    indices = whole.indices[: offsets[-1]]
    rng = np.random.default_rng((seed, dim, nodes))
    weights = rng.standard_normal(indices.size, np.float32) if "weighted" in options else None
    table = random_table(whole.nodes, dim, seed)
    return _bag(name, whole.source, table, offsets, indices, weights, by_hand, **options)


def _translation(config: Config, seed: int, lines: int) -> Workload:
    """TransE, but for the norm: head + relation - tail of each fact."""
    facts = triples(seed)
    count = min(len(facts.triples), math.ceil(lines / (3 * -(-TRANSE // config.lanes))))
    weights = np.tile(np.array([1, 1, -1], np.float32), count)
    return _bag(
        "TransE residual", facts.source, random_table(facts.rows, TRANSE, seed), None,
        facts.triples[:count].reshape(-1), weights, "translation", pooling=3, mode="sum",
        weighted=True, fma=True,
    )  # fmt: skip


def _score(config: Config, seed: int, lines: int) -> Workload:
    """DistMult: candidates for the tail of a fact, scored against head * relation."""
    facts = triples(seed)
    table = random_table(facts.rows, DISTMULT, seed)
    head, relation, _ = facts.triples[0]
    candidates = facts.triples[: math.ceil(lines / DISTMULT), 2].copy()
    arrays = {"indices": candidates, "query": table[head] * table[relation], "table": table}
    fma = parts.fp32().fma
    expected = np.zeros(candidates.size, np.float32)
    for e in range(DISTMULT):
        expected = fma(arrays["query"][e], table[candidates, e], expected)
    return _nest("DistMult score", facts.source, "score", 1, DISTMULT, arrays, expected)


def _gather(config: Config, name: str, dim: int, seed: int, lines: int) -> Workload:
    count = math.ceil(lines / -(-dim // config.lanes))
    rng = np.random.default_rng((seed, dim))
    table = random_table(ROWS, dim, seed)
    indices = rng.integers(0, ROWS, count, np.int32)
    arrays = {"indices": indices, "table": table}
    return _nest(name, "uniform", "gather", dim, 1, arrays, table[indices])


def _nest(
    name: str,
    source: str,
    file: str,
    dim: int,
    inner: int,
    arrays: dict[str, np.ndarray],
    expected: np.ndarray,
) -> Workload:
    text = (_TEXTS / f"{file}.mlir").read_text()
    count, rows = arrays["indices"].size, len(arrays["table"])
    known = tuple(
        f"{key}={'x'.join(map(str, array.shape))}"
        for key, array in (arrays | {"out": expected}).items()
    )
    return Workload(
        name, source, dim, count, text, arrays, expected, file,
        {"bags": count, "rows": rows, "inner": inner}, known,
    )  # fmt: skip
