"""``ember synth``: area and speed of the machine on an FPGA, measured or predicted."""

import argparse
import sys

from . import parts
from .bench_arguments import json_target, text_stream, write_report
from .cli_arguments import add_machine, configuration, number
from .cli_errors import WRONG, reading_input, running
from .progress import Progress
from .synth_report import as_json, errors, estimate_as_json, heading, row, slowest

#: nextpnr's own bound.
_MAX_SEED = 2**31 - 1
#: The best of those that were tried for the preset ``default``.
_SEED = 4


def add_parser(commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "synth", help="area and speed on an FPGA",
        description="ember synth: area and speed of the machine and its blocks on an FPGA, with "
        "Yosys and nextpnr. Results are kept in the build cache.",
    )  # fmt: skip
    parser.set_defaults(command=_synth)
    parser.add_argument("--target", default="ecp5-85f", metavar="NAME", help="the FPGA")
    parser.add_argument(
        "--blocks", metavar="NAME, ..", default=argparse.SUPPRESS,
        help="only these; the whole design is `machine`",
    )  # fmt: skip
    parser.add_argument(
        "--estimate", action="store_true",
        help="predict the whole design from measured ones, without Yosys and nextpnr",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=number(0, _MAX_SEED), default=argparse.SUPPRESS,
        help=f"of placement and routing (default: {_SEED})",
    )  # fmt: skip
    parser.add_argument(
        "--json", metavar="FILE", default=argparse.SUPPRESS,
        help="the figures as JSON; - prints them instead of the table",
    )  # fmt: skip
    add_machine(parser)


def _synth(options: argparse.Namespace) -> int:
    out = text_stream(options)
    targets, blocks, measure, tools = parts.synthesis()
    with reading_input():
        config = configuration(options)
        target = targets.target(options.target)
        if options.estimate and "blocks" in options:
            raise ValueError("--estimate predicts the whole design: it goes without --blocks")
        if options.estimate and "seed" in options:
            raise ValueError("--estimate places and routes nothing: it goes without --seed")
        makers = _chosen(options, blocks.blocks(config))
        json_target(options)
    if options.estimate:
        return _estimate(options, config, target, out)
    seed = getattr(options, "seed", _SEED)
    with Progress() as progress, running():
        tools.require()
        versions = tools.versions()
        print(
            f"ember synth: preset {options.preset}, configuration {config.hash}, {target.part}, "
            f"seed {seed}, "
            + ", ".join(f"{tool} {version}" for tool, version in versions.items()),
            file=out, flush=True,
        )  # fmt: skip
        print(f"\n{heading()}", file=out, flush=True)
        designs = []
        for name, make in makers.items():
            progress(f"synthesizing and routing {name}")
            designs.append(measure.measure(name, make(), target, seed))
            progress.hide()
            print(row(designs[-1].figures, target), file=out, flush=True)
        print(f"\n{slowest(designs[0])}", file=out, flush=True)
    write_report(
        options, as_json(options.preset, config, target, seed, versions, designs)
    )
    misfits = [text for design in designs if (text := design.figures.misfit(target))]
    for text in misfits:
        print(f"ember: {text}", file=sys.stderr)
    return WRONG if misfits else 0


def _estimate(options: argparse.Namespace, config: parts.Config, target, out) -> int:
    predicted = parts.estimate().estimate(config, target)
    print(
        f"ember synth --estimate: preset {options.preset}, configuration {config.hash}, "
        f"{target.part}\n\n{heading()}\n{row(predicted.figures, target)}\n\n"
        f"{errors(predicted)}",
        file=out, flush=True,
    )  # fmt: skip
    write_report(options, estimate_as_json(options.preset, config, target, predicted))
    misfit = predicted.figures.misfit(target)
    if misfit:
        print(f"ember: {misfit}", file=sys.stderr)
    return WRONG if misfit else 0


def _chosen(options: argparse.Namespace, makers: dict) -> dict:
    """The blocks that the options ask for, the whole design first."""
    if "blocks" not in options:
        return makers
    names = [name.strip() for name in options.blocks.split(",")]
    for name in names:
        if name not in makers:
            raise ValueError(f"blocks must be of {', '.join(makers)}, not {name!r}")
    return {name: make for name, make in makers.items() if name in names}
