"""Engine ``cpu`` beside ``torch.nn.EmbeddingBag``, both on one thread of this processor."""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np

from .api import compile_bags
from .bench_coupled import MODELS
from .bench_locality import LEVELS, local_indices
from .check import compare_numpy, compare_torch
from .cpu import array_addresses
from .errors import InputError, RunError
from .lookup import Lookup
from .options import RunOptions
from .parts import Config
from .validate import check_lookups

#: Beyond any cache: of a table, and lookups that reach a good part of it.
TABLE_MIB = 256
LOOKUPS = 1 << 20
REPEATS = 15

#: Torch's time by ours: what is wanted at least, and what would be fine.
TARGET, STRETCH = 0.8, 1.0


@dataclass(frozen=True)
class CpuPoint:
    """A shape on this processor.

    Attributes
    ----------
    used_rows : rows that are looked up at least once
    seconds, torch_seconds : processor time of a call, median; the output's memory is part of it
    ratio : torch's time by ours, median over pairs of calls that follow each other
    check_seconds : what validating the arguments takes, which the Python API does first
    compile_seconds : passes, LLVM IR and machine code
    bit_exact : equal to NumPy and torch, to the last bit
    """

    shape: str
    dim: int
    pooling: int
    locality: str
    index_type: str
    rows: int
    used_rows: int
    bags: int
    lookups: int
    seconds: float
    torch_seconds: float
    ratio: float
    check_seconds: float
    compile_seconds: float
    bit_exact: bool

    def to_dict(self) -> dict:
        """For the report."""
        return asdict(self)


def torch_module() -> Any:
    """The module ``torch``.

    Raises
    ------
    RunError
        It is missing.
    """
    try:
        return import_module("torch")
    except ModuleNotFoundError:
        raise RunError(
            "ember bench cpu compares with torch, which is missing: pip install torch==2.13.0"
        ) from None


def points(
    config: Config,
    opt: str,
    shares: Sequence[float],
    *,
    index_type: str,
    table_mib: int,
    lookups: int,
    repeats: int,
    seed: int,
) -> Iterator[CpuPoint]:
    """Measure every model's shape at every level of locality.

    Raises
    ------
    InputError
        The table is too small for the rows that the lookups reach.
    """
    torch = torch_module()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for model, (dim, pooling) in MODELS.items():
            rows = max(1, (table_mib << 20) // (4 * dim))
            # Memory of torch's is aligned as its kernels like it; both read the same.
            table = torch.empty(rows, dim)
            np.random.default_rng((seed, dim)).standard_normal(out=table.numpy(), dtype=np.float32)
            bags = math.ceil(lookups / pooling)
            for level in LEVELS:
                rng = np.random.default_rng((seed, dim, pooling, LEVELS.index(level)))
                indices, used = _indices(bags * pooling, rows, level, shares, rng)
                kind = np.int64 if index_type == "i64" else np.int32
                offsets = np.arange(bags + 1, dtype=kind) * kind(pooling)
                lookup = Lookup(
                    table.numpy(), indices.astype(kind), offsets, include_last_offset=True,
                    mode="sum",
                )  # fmt: skip
                yield _measure(config, opt, model, level, used, lookup, table, repeats)
    finally:
        torch.set_num_threads(threads)


def _indices(
    lookups: int, rows: int, level: str, shares: Sequence[float], rng: np.random.Generator
) -> tuple[np.ndarray, int]:
    """Indices with a level of reuse, anywhere in the table; and the rows that they reach."""
    indices, numbered = local_indices(lookups, level, shares, rng)
    if numbered > rows:
        raise InputError(
            f"table must have at least {numbered} rows for {lookups} lookups of {level} "
            f"locality, not {rows}"
        )
    indices = rng.choice(rows, numbered, replace=False)[indices]
    return indices, int(np.unique(indices).size)


def _measure(
    config: Config,
    opt: str,
    model: str,
    level: str,
    used: int,
    lookup: Lookup,
    table: Any,
    repeats: int,
) -> CpuPoint:
    torch = torch_module()
    started = time.thread_time()
    requests = check_lookups([lookup], config=config)
    check_seconds = time.thread_time() - started
    [request] = requests
    bag = request.bag
    compiled = compile_bags([bag], config, opt)
    result = compiled.run_checked(requests, RunOptions(engine="cpu"))
    exact = compare_numpy(result).bit_exact and compare_torch(result).bit_exact
    operation = torch.nn.EmbeddingBag(
        bag.rows, bag.dim, mode="sum", include_last_offset=True, _weight=table
    )
    arguments = torch.from_numpy(request.indices), torch.from_numpy(request.offsets)

    def ours() -> np.ndarray:
        output = np.empty((bag.bags, bag.dim), np.float32)
        assert compiled.cpu.run(array_addresses(requests, [output])) is None
        return output

    def theirs() -> np.ndarray:
        return operation(*arguments).numpy()

    pairs = []
    with torch.inference_mode():
        for repeat in range(repeats):
            # Whoever comes second finds the caches as the other left them: take turns.
            order = (ours, theirs) if repeat % 2 else (theirs, ours)
            timed = {which: _timed(which) for which in order}
            for _, output in timed.values():
                exact = exact and bool(
                    (output.view(np.uint32) == result.output.view(np.uint32)).all()
                )
            pairs.append((timed[ours][0], timed[theirs][0]))
    return CpuPoint(
        shape=f"{model} {level}", dim=bag.dim, pooling=bag.lookups // bag.bags, locality=level,
        index_type=bag.index_type, rows=bag.rows, used_rows=used, bags=bag.bags,
        lookups=bag.lookups, seconds=statistics.median(mine for mine, _ in pairs),
        torch_seconds=statistics.median(other for _, other in pairs),
        ratio=statistics.median(other / mine for mine, other in pairs),
        check_seconds=check_seconds, compile_seconds=compiled.seconds + compiled.cpu.seconds,
        bit_exact=exact,
    )  # fmt: skip


def _timed(call: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Processor time of this thread: the turns of other processes do not count."""
    started = time.thread_time()
    output = call()
    return time.thread_time() - started, output
