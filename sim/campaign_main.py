"""``python -m ember.sim.campaign_main``: a long campaign over fixed and random configurations.

A configuration runs as many programs as asked for, and goes on, up to four times as many, while
legal bins are missing. A record of each one that has finished goes to ``--records``; a campaign
that is started again with the same records goes on where it stopped.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from ..hw.config import PRESETS, Config
from .campaign import Mismatch, Tally, run_campaign
from .campaign_configs import CONFIGS, campaign_config, random_config
from .cover_report import coverage_text
from .coverage import machine_coverage
from .engine import RtlEngine
from .result import Hang

#: A machine whose legal bins are not all hit runs up to so many times the programs asked for.
MOST = 4


def machines(names: list[str], configurations: int, seed: int) -> dict[str, Config]:
    """The fixed machines by name, then random ones, ``random-SEED``."""
    fixed = {n: campaign_config(n) if n in CONFIGS else Config.preset(n) for n in names}
    seeds = range(seed, seed + configurations)
    return fixed | {f"random-{n}": random_config(n) for n in seeds}


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1: a mismatch, a hang, or a legal bin that no program hit."""
    parser = argparse.ArgumentParser(prog="ember.sim.campaign_main", description=__doc__)
    parser.add_argument("--programs", type=int, default=500, help="on each, at least")
    parser.add_argument("--configurations", type=int, default=13, help="random configurations")
    parser.add_argument("--seed", type=int, default=0, help="of programs and configurations")
    parser.add_argument(
        "--config", action="append", choices=sorted({*CONFIGS, *PRESETS}),
        help="a fixed one; may be repeated (default: all of the campaign's)",
    )  # fmt: skip
    parser.add_argument("--records", type=Path, help="file of JSON lines, one per configuration")
    options = parser.parse_args(arguments)
    chosen = machines(options.config or list(CONFIGS), options.configurations, options.seed)
    known = _known(options.records, options.programs, options.seed)
    total, failed = 0, 0
    for name, config in chosen.items():
        record = known.get(name)
        if record is None or record["hash"] != config.hash:
            record = _run(name, config, options.programs, options.seed)
            if options.records is not None:
                options.records.parent.mkdir(parents=True, exist_ok=True)
                with options.records.open("a") as lines:
                    lines.write(json.dumps(record) + "\n")
        print(_line(record), flush=True)
        total += record["tally"]["programs"]
        failed += bool(record["failure"] or record["missing"] or record["impossible"])
    print(
        f"{total} programs on {len(chosen)} configurations: "
        f"{f'{failed} configurations FAILED' if failed else 'all agree, all legal bins hit'}"
    )
    return 1 if failed else 0


def _known(path: Path | None, programs: int, seed: int) -> dict[str, dict]:
    if path is None or not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {r["name"]: r for r in records if (r["programs"], r["seed"]) == (programs, seed)}


def _run(name: str, config: Config, programs: int, seed: int) -> dict:
    coverage, tally, failure, full = machine_coverage(config), Tally(), None, None
    with RtlEngine(config, progress=lambda line: print(f"{name}: {line}", flush=True)) as engine:
        engine.build()
        started = time.monotonic()
        try:
            seeds = range(seed, seed + MOST * programs)
            for tally in run_campaign(engine, seeds, coverage=coverage):
                if full is None and not coverage.missing:
                    full = tally.programs
                if full is not None and tally.programs >= programs:
                    break
                if sys.stdout.isatty() or tally.programs % 100 == 0:
                    missing = len(coverage.missing)
                    print(f"{name}: {tally.programs} programs, {missing} bins missing", flush=True)
        except (Mismatch, Hang) as error:
            failure = str(error)
    seconds = time.monotonic() - started
    if not coverage.complete:
        print(coverage_text(coverage))
    return {
        "name": name, "hash": config.hash, "config": config.to_dict(), "programs": programs,
        "seed": seed, "tally": asdict(tally), "seconds": round(seconds, 1), "failure": failure,
        "legal": coverage.legal, "full_after": full,
        "missing": [f"{group.name} {group.text(at)}" for group, at in coverage.missing],
        "impossible": [f"{group.name} {group.text(at)}" for group, at in coverage.impossible],
    }  # fmt: skip


def _line(record: dict) -> str:
    tally = record["tally"]
    if record["failure"]:
        return f"{record['name']}: FAILED: {record['failure']}"
    covered = record["legal"] - len(record["missing"])
    after = f", all after {record['full_after']} programs" if record["full_after"] else ""
    return (
        f"{record['name']}: {tally['programs']} programs, {tally['runs']} runs, "
        f"{tally['cycles']} cycles, {record['seconds']} s; {covered} of {record['legal']} bins"
        f"{after}{'; impossible bins hit' if record['impossible'] else ''}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
