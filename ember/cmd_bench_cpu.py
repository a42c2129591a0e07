"""``ember bench cpu``: engine ``cpu`` beside ``torch.nn.EmbeddingBag`` on one thread."""

import argparse
import statistics

from . import parts
from .bag import INDEX_TYPES
from .bench_arguments import (
    add_json,
    add_locality,
    chosen_shares,
    json_target,
    text_stream,
    write_report,
)
from .bench_cpu import (
    LOOKUPS,
    REPEATS,
    STRETCH,
    TABLE_MIB,
    TARGET,
    CpuPoint,
    points,
    torch_module,
)
from .cli_arguments import add_level, add_machine, configuration, level, number
from .cli_errors import WRONG, reading_input, running
from .columns import heading, line
from .options import MAX_SEED
from .progress import Progress

_COLUMNS = (
    ("shape", 11), ("dim", 4), ("pooling", 7), ("used rows", 9), ("lookups", 9), ("ms", 8),
    ("torch ms", 8), ("ns/lookup", 9), ("ratio", 6), ("check ms", 8), ("compile s", 9), ("", 9),
)  # fmt: skip


def add_parser(kinds) -> None:
    """Add the command."""
    cpu = kinds.add_parser(
        "cpu", help="engine cpu over torch, on one thread",
        description="ember bench cpu: machine code of this processor beside "
        "torch.nn.EmbeddingBag, on one thread, on tables that no cache holds.",
    )  # fmt: skip
    cpu.set_defaults(command=_bench)
    cpu.add_argument("--index-type", choices=INDEX_TYPES, default="i64", help="of the indices")
    cpu.add_argument(
        "--table-mib", type=number(1, 1 << 20), default=TABLE_MIB, help="size of a table"
    )
    cpu.add_argument(
        "--lookups", type=number(1, 1 << 31), default=LOOKUPS, help="of a call, at least"
    )
    cpu.add_argument(
        "--repeats", type=number(1, 10_000), default=REPEATS, help="pairs of calls at each point"
    )
    add_locality(cpu)
    cpu.add_argument("--seed", type=number(0, MAX_SEED), default=0, help="of made-up data")
    add_json(cpu)
    add_machine(cpu)
    add_level(cpu)


def _bench(options: argparse.Namespace) -> int:
    out = text_stream(options)
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            json_target(options)
            source, shares = chosen_shares(options)
        with running():
            host, _, _ = parts.llvm()
            target, version = host.host(), torch_module().__version__
        print(
            f"ember bench cpu: {target.cpu}, {target.lanes} floats in a vector register, torch "
            f"{version}, one thread\n  {options.index_type}, tables of {options.table_mib} MiB, "
            f"seed {options.seed}, {options.repeats} pairs of calls, locality {source}\n"
            f"\n{heading(_COLUMNS)}",
            file=out, flush=True,
        )  # fmt: skip
        measured: list[CpuPoint] = []
        with running():
            for point in points(
                config, level(options), shares, index_type=options.index_type,
                table_mib=options.table_mib, lookups=options.lookups, repeats=options.repeats,
                seed=options.seed,
            ):  # fmt: skip
                measured.append(point)
                progress.hide()
                print(_row(point), file=out, flush=True)
        ratios = [point.ratio for point in measured]
        worst, mean = min(ratios), statistics.geometric_mean(ratios)
        print(
            f"\ntorch's time by ours: geometric mean {mean:.2f}, lowest {worst:.2f}; target "
            f"{TARGET:g}: {'met' if worst >= TARGET else 'MISSED'}, {STRETCH:g}: "
            f"{'met' if worst >= STRETCH else 'not everywhere'}",
            file=out, flush=True,
        )  # fmt: skip
    report = {
        "config_hash": config.hash,
        "opt": level(options),
        "cpu": target.cpu,
        "torch": version,
        "seed": options.seed,
        "repeats": options.repeats,
        "locality": source,
        "points": [point.to_dict() for point in measured],
        "summary": {"geomean": mean, "lowest": worst, "target": TARGET, "met": worst >= TARGET},
    }
    write_report(options, report)
    return 0 if all(point.bit_exact for point in measured) else WRONG


def _row(point: CpuPoint) -> str:
    cells = (
        point.shape, str(point.dim), str(point.pooling), f"{point.used_rows:,}",
        f"{point.lookups:,}", f"{1e3 * point.seconds:.2f}", f"{1e3 * point.torch_seconds:.2f}",
        f"{1e9 * point.seconds / point.lookups:.1f}", f"{point.ratio:.2f}",
        f"{1e3 * point.check_seconds:.2f}", f"{point.compile_seconds:.2f}",
        "bit-exact" if point.bit_exact else "WRONG",
    )  # fmt: skip
    return line(_COLUMNS, cells)
