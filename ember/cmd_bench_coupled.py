"""``ember bench coupled``: the machine against a coupled and a windowed one."""

import argparse

from .bench_arguments import (
    add_json,
    add_lines,
    add_locality,
    chosen_shares,
    json_target,
    latency_text,
    run_options,
    text_stream,
    write_report,
)
from .bench_coupled import (
    COUPLED_TARGET,
    LATENCIES,
    LINES,
    WINDOW,
    WINDOWED_TARGET,
    Comparison,
    baselines,
    comparisons,
    furthest_above,
    furthest_below,
    geomean,
)
from .cli_arguments import add_level, add_limits, add_machine, configuration, level, number
from .cli_errors import WRONG, reading_input, running
from .cli_memory import add_latencies
from .columns import heading, line
from .progress import Progress

_COLUMNS = (
    ("shape", 11), ("dim", 4), ("pooling", 7), ("latency", 7), ("baseline", 8), ("cycles", 10),
    ("decoupled", 10), ("ratio", 8), ("limit", 8), ("of limit", 8), ("", 9),
)  # fmt: skip


def add_parser(kinds) -> None:
    """Add the command."""
    coupled = kinds.add_parser(
        "coupled", help="decoupled over coupled and over windowed",
        description="ember bench coupled: the machine against the same RTL that requests the next "
        "row only when the last is consumed (coupled), and that has few loads outstanding "
        "(windowed).",
    )  # fmt: skip
    coupled.set_defaults(command=_bench)
    coupled.add_argument(
        "--window", type=number(1, 256), default=WINDOW,
        help="outstanding loads of the windowed machine, a power of two",
    )  # fmt: skip
    add_locality(coupled)
    add_lines(coupled, LINES, more="; a tenth of them where coupled")
    add_json(coupled)
    add_machine(coupled, preset="paper")
    add_level(coupled)
    add_latencies(coupled, ",".join(map(str, LATENCIES)))
    add_limits(coupled)


def _bench(options: argparse.Namespace) -> int:
    out = text_stream(options)
    with Progress() as progress:
        with reading_input():
            config = configuration(options)
            json_target(options)
            others = baselines(config, options.window)
            for latency in options.latency:
                if not isinstance(latency, int):
                    raise ValueError(f"latency must be fixed, not {latency_text(options)}")
            source, shares = chosen_shares(options)
            run = run_options(options, options.latency[0], progress)
        print(
            f"ember bench coupled: preset {options.preset}, seed {options.seed}\n"
            f"  locality {source}\n"
            f"  decoupled {config.hash}: mshrs {config.mshrs}\n"
            + "".join(
                f"  {name} {c.hash}: mshrs {c.mshrs}, row_window {c.row_window}\n"
                for name, c in others.items()
            )
            + "\n" + heading(_COLUMNS),
            file=out, flush=True,
        )  # fmt: skip
        points: list[Comparison] = []
        with running():
            for point in comparisons(
                config, others, options.latency, shares, level(options), run, options.lines
            ):
                points.append(point)
                progress.hide()
                print(_row(point), file=out, flush=True)
        summary = _summary(points)
        print(f"\n{_summary_text(options, summary)}", file=out, flush=True)
    report = {
        "config": config.to_dict(),
        "config_hash": config.hash,
        "baselines": {name: other.hash for name, other in others.items()},
        "seed": options.seed,
        "latency": latency_text(options),
        "locality": source,
        "points": [point.to_dict() for point in points],
        "summary": summary,
    }
    write_report(options, report)
    return 0 if all(point.bit_exact for point in points) else WRONG


def _row(point: Comparison) -> str:
    cells = (
        point.shape, str(point.dim), str(point.pooling), str(point.latency), point.baseline,
        f"{point.cycles:,}", f"{point.decoupled_cycles:,}", f"{point.ratio:.2f}",
        f"{point.limit:.2f}", f"{100 * point.ratio / point.limit:.1f} %",
        "bit-exact" if point.bit_exact else "WRONG",
    )  # fmt: skip
    return line(_COLUMNS, cells)


def _summary(points: list[Comparison]) -> dict[str, dict]:
    """For each baseline: geometric means and the targets."""
    out: dict[str, dict] = {}
    for name in dict.fromkeys(point.baseline for point in points):
        mine = [point for point in points if point.baseline == name]
        by_latency = {
            str(latency): geomean([point for point in mine if point.latency == latency])
            for latency in dict.fromkeys(point.latency for point in mine)
        }
        out[name] = {
            "geomean": geomean(mine),
            "geomean_by_latency": by_latency,
            "furthest_below_limit": furthest_below(mine),
            "furthest_above_limit": furthest_above(mine),
        }
    out["coupled"] |= {"target": COUPLED_TARGET}
    out["coupled"]["met"] = out["coupled"]["geomean"] >= COUPLED_TARGET
    out["windowed"] |= {"target": WINDOWED_TARGET}
    out["windowed"]["met"] = out["windowed"]["furthest_below_limit"] <= WINDOWED_TARGET
    return out


def _summary_text(options: argparse.Namespace, summary: dict[str, dict]) -> str:
    lines = []
    for name, figures in summary.items():
        each = ", ".join(f"{k}: {v:.2f}" for k, v in figures["geomean_by_latency"].items())
        lines.append(f"over {name}: geometric mean {figures['geomean']:.2f} (latency {each})")
    coupled, windowed = summary["coupled"], summary["windowed"]
    lines += [
        f"coupled: target {coupled['target']:g}: {'met' if coupled['met'] else 'MISSED'}",
        f"windowed: {100 * windowed['furthest_below_limit']:.1f} % below Little's law at most "
        f"({100 * max(windowed['furthest_above_limit'], 0):.1f} % above), "
        f"target {100 * windowed['target']:g} %: {'met' if windowed['met'] else 'MISSED'}",
    ]
    return "\n".join(lines)
