"""``ember bench cache``: read caches of several sizes on lookups with reuse."""

import argparse

from .bench_arguments import (
    add_json,
    add_lines,
    add_locality,
    add_memories,
    chosen_shares,
    json_target,
    latency_text,
    run_options,
    text_stream,
    write_report,
)
from .bench_cache import LINES, MEMORIES, SIZES, CachePoint, cache_points, cached
from .cli_arguments import (
    add_level,
    add_limits,
    add_machine,
    configuration,
    level,
    numbers,
)
from .cli_errors import WRONG, reading_input, running
from .cli_memory import add_clock, at_clock
from .columns import heading, line
from .progress import Progress

_COLUMNS = (
    ("shape", 11), ("dim", 4), ("pooling", 7), ("memory", 12), ("cache", 6), ("cycles", 10),
    ("utilization", 11), ("speedup", 7), ("hits", 7), ("merged", 7), ("lines read", 10),
    ("of port", 8), ("", 9),
)  # fmt: skip


def add_parser(kinds) -> None:
    """Add the command."""
    cache = kinds.add_parser(
        "cache", help="with read caches and without one",
        description="ember bench cache: the machine with read caches of several sizes, and without "
        "one, on lookups with the reuse of production traces. Without a cache as many loads are "
        "outstanding as lines are on their way to the caches, --set cache_fetches=N.",
    )  # fmt: skip
    cache.set_defaults(command=_bench)
    cache.add_argument(
        "--sizes", type=numbers(1, 1 << 16), default=",".join(map(str, SIZES)),
        help="lines of the caches, powers of two",
    )  # fmt: skip
    add_memories(cache, MEMORIES)
    add_clock(cache)
    add_locality(cache)
    add_lines(cache, LINES)
    add_json(cache)
    add_machine(cache, preset="paper")
    add_level(cache)
    add_limits(cache)


def _bench(options: argparse.Namespace) -> int:
    out = text_stream(options)
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            json_target(options)
            without, caches = cached(config, options.sizes)
            options.latency = at_clock(options, options.memories)
            source, shares = chosen_shares(options)
            run = run_options(options, options.latency[0], progress)
        print(
            f"ember bench cache: preset {options.preset}, seed {options.seed}\n"
            f"  locality {source}\n"
            f"  without {without.hash}: mshrs {without.mshrs}\n"
            + "".join(
                f"  cache {c.hash}: {c.cache_lines} lines of {c.line_bytes} bytes, {c.cache_ways} "
                f"ways, {c.cache_fetches} fetches, mshrs {c.mshrs}\n"
                for c in caches.values()
            )
            + "\n" + heading(_COLUMNS),
            file=out, flush=True,
        )  # fmt: skip
        points: list[CachePoint] = []
        with running():
            for point in cache_points(
                without, caches, options.latency, shares, level(options), run, options.lines
            ):
                points.append(point)
                progress.hide()
                print(_row(point), file=out, flush=True)
    report = {
        "config": without.to_dict(),
        "config_hash": without.hash,
        "caches": {str(size): c.hash for size, c in caches.items()},
        "cache_ways": config.cache_ways,
        "cache_fetches": config.cache_fetches,
        "cache_mshrs": config.mshrs,
        "seed": options.seed,
        "memories": latency_text(options),
        "locality": source,
        "points": [point.to_dict() for point in points],
    }
    write_report(options, report)
    return 0 if all(point.bit_exact for point in points) else WRONG


def _row(point: CachePoint) -> str:
    cells = (
        point.shape, str(point.dim), str(point.pooling), point.memory,
        str(point.cache_lines or "-"), f"{point.cycles:,}", f"{100 * point.utilization:.1f} %",
        f"{point.speedup:.2f}", f"{100 * point.hit_rate:.1f} %",
        f"{100 * point.merged_rate:.1f} %", f"{point.lines_memory:,}",
        f"{100 * point.lines_memory / max(point.lines_port, 1):.1f} %",
        "bit-exact" if point.bit_exact else "WRONG",
    )  # fmt: skip
    return line(_COLUMNS, cells)
