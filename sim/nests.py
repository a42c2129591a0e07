"""Random lookup nests through the compiler: every form of the program gives the same bits.

The interpreter of SCF is the reference. Against it: SLC after every pass of O0 to O3, DLC, the
microcode on the functional model, machine code of this processor, and maybe the RTL. What the
compiler refuses must be refused with a place and a reason. A nest that fails is made smaller and
written to a file.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ..compiler.codegen import generate
from ..compiler.errors import CompileError
from ..compiler.frontend.coo_to_csr import Layout, layouts
from ..compiler.frontend.from_affine import from_affine
from ..compiler.frontend.plain_loops import plain_loops
from ..compiler.frontend.specialize import given
from ..compiler.interpret.interpret import InterpretError, Outcome, interpret
from ..compiler.llvm.host import host
from ..compiler.llvm.jit import Function
from ..compiler.llvm.module import lower
from ..compiler.pipeline import LEVELS, pipeline
from ..compiler.source import DIALECTS, FormsParser
from ..hw.config import Config
from ..hw.program import Program
from .engine import RtlEngine
from .latency import RandomLatency
from .legal import check
from .lookup_nest import Nest, arrays, scalars
from .lookup_text import text
from .memory import Memory
from .model import run
from .random_lookup import PROFILES, random_lookup
from .shrink_lookup import shrink

#: Machines that differ in what the compiler sees of them: layers, lanes, length of a register.
CONFIGS: dict[str, Config] = {
    "tiny": Config.preset("tiny"),
    "four layers": Config.preset("tiny").replace(layers=4),
    "two layers": Config.preset("tiny").replace(layers=2, fiber_lanes=1),
    "short registers": Config.preset("tiny").replace(layers=4, row_chunks=2, fiber_lanes=4),
    "one lane": Config.preset("tiny").replace(layers=4, lanes=1, row_chunks=32),
    "wide": Config.preset("default").replace(layers=4, lanes=16),
    "both ways": Config.preset("tiny").replace(layers=4, store_streams=1),
    "no execute unit": Config.preset("tiny").replace(layers=4, store_streams=1, execute=0),
}

#: Shares of the profiles in a campaign.
MIX = {"today": 0.85, "any": 0.08, "faulty": 0.07}

#: Share of copies among the nests for machines with store streams.
COPIES = 0.5

#: A refusal starts with the function and names what is refused.
REFUSAL = re.compile(r"(nest: |table 'nest' |callbacks need ).+", re.S)


class Disagreement(AssertionError):
    """Two forms of a nest differ, or the compiler failed instead of refusing."""


@dataclass
class Verdict:
    """What became of a nest: refusals by level, and the programs of the others."""

    refused: dict[str, str] = field(default_factory=dict)
    programs: dict[str, list[Program]] = field(default_factory=dict)


@dataclass
class Tally:
    """What a campaign has covered."""

    nests: int = 0
    accepted: int = 0
    faults: int = 0
    forms: int = 0
    rtl: int = 0
    levels: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        levels = ", ".join(f"{opt} {self.levels[opt]}" for opt in LEVELS)
        return (
            f"{self.nests} nests, accepted at every level {self.accepted} ({levels}), "
            f"with faults {self.faults}, forms run {self.forms}, on RTL {self.rtl}"
        )


def parse(source: str) -> ModuleOp:
    """A module in the dialects of a front end, verified, of plain loops and accesses."""
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    module = FormsParser(context, source).parse_module()
    module.verify()
    from_affine(module)
    plain_loops(module)
    return module


@dataclass(frozen=True)
class Source:
    """A nest as text, with what it is to run on.

    Parameters
    ----------
    text : str
        A module with the function ``nest``.
    arrays : function
        Its arrays by name, always the same ones; those that are written begin with ``out``.
    scalars : dict
        Its integers by name.
    fault : str
        As in :class:`ember.sim.lookup_nest.Nest`.
    seed : int
    """

    text: str
    arrays: Callable[[], dict[str, np.ndarray]]
    scalars: dict[str, int] = field(default_factory=dict)
    fault: str = ""
    seed: int = 0

    @staticmethod
    def of(nest: Nest) -> "Source":
        """A described nest."""
        return Source(text(nest), lambda: arrays(nest), scalars(nest), nest.fault, nest.seed)


class Trial:
    """One nest on one machine."""

    def __init__(self, nest: Nest | Source, config: Config):
        self.source = nest if isinstance(nest, Source) else Source.of(nest)
        self.config = config
        self.module = parse(self.source.text)
        self.given = given(self.source.arrays() | self.source.scalars)
        self.layouts = self._find_layouts()
        self.verdict = Verdict()
        #: The forms that were run.
        self.forms = 0
        self.faults = False
        #: By the passes that made it: a module, or why it was refused.
        self._modules: dict[tuple[ModulePass, ...], ModuleOp | str] = {}
        #: What the interpreter made of a module.
        self._outcomes: dict[ModuleOp, Outcome] = {}

    def run(self, engine: RtlEngine | None = None) -> Verdict:
        """Compare every form.

        Raises
        ------
        Disagreement
            The message says which form, and how.
        """
        self.expected, failure = self._interpret("scf", self.module)
        self.invalid = failure is not None
        for opt in LEVELS:
            self._level(opt, engine)
        return self.verdict

    def _find_layouts(self) -> list[Layout]:
        """What is converted before a launch: nothing, if the nest is refused."""
        try:
            return [one for several in layouts(self.module, self.given).values() for one in several]
        except CompileError:
            return []

    def _arrays(self, module: ModuleOp | None = None) -> dict[str, np.ndarray]:
        """The arrays that a form takes; without one, those of a program."""
        data = self.source.arrays()
        for layout in self.layouts:
            if module is None or layout.offsets in _names(module):
                data, _ = layout.apply(data)
        return data

    def _interpret(
        self, stage: str, module: ModuleOp
    ) -> tuple[tuple[dict[str, np.ndarray], Outcome], InterpretError | None]:
        data = self._arrays(module)
        self.forms += 1
        try:
            outcome = interpret(
                module, data | self.source.scalars, fiber_lanes=self.config.fiber_lanes,
                addr_width=self.config.addr_width,
            )  # fmt: skip
        except InterpretError as error:
            return (data, Outcome()), error
        except Exception as error:
            raise Disagreement(f"{stage}: the interpreter failed: {error!r}") from error
        return (data, outcome), None

    def _level(self, opt: str, engine: RtlEngine | None) -> None:
        prefix: tuple[ModulePass, ...] = ()
        module = self.module
        checked = False
        for step in pipeline(self.config, opt, self.given):
            prefix += (step,)
            known = self._modules.get(prefix)
            checked = checked or step.name == "check-bounds"
            if known is None:
                known = self._apply(step, module.clone(), opt)
                if isinstance(known, ModuleOp):
                    if known.is_structurally_equivalent(module):
                        known = module
                    else:
                        self._verify(f"{opt}, after {step.name}", known)
                        self._compare(f"{opt}, after {step.name}", known, checked)
                self._modules[prefix] = known
            if isinstance(known, str):
                self.verdict.refused[opt] = known
                return
            module = known
        try:
            templates = generate(module, self.config)
        except CompileError as error:
            self.verdict.refused[opt] = self._refusal(opt, error)
            return
        except Exception as error:
            raise Disagreement(f"{opt}: generate failed: {error!r}") from error
        self._execute(opt, module, templates, engine)
        # At one level: LLVM's own passes take longer than all else.
        if opt == LEVELS[self.source.seed % len(LEVELS)]:
            self._call(opt, module)

    def _apply(self, step: ModulePass, module: ModuleOp, opt: str) -> ModuleOp | str:
        """The module after a pass, or why it was refused."""
        try:
            step.apply(Context(), module)
        except CompileError as error:
            return self._refusal(f"{opt}, {step.name}", error)
        except Exception as error:
            raise Disagreement(f"{opt}: {step.name} failed: {error!r}"[:2000]) from error
        return module

    def _verify(self, stage: str, module: ModuleOp) -> None:
        try:
            module.verify()
        except VerifyException as error:
            raise Disagreement(f"{stage}: {error}"[:2000]) from error

    def _refusal(self, where: str, error: CompileError) -> str:
        if not REFUSAL.fullmatch(str(error)):
            raise Disagreement(f"{where}: the refusal names no place: {error}") from error
        return str(error)

    def _compare(self, stage: str, module: ModuleOp, checked: bool) -> None:
        result, failure = self._interpret(stage, module)
        if failure is not None:
            # An assertion that is left in a callback reports the input, and no program has it.
            if self.invalid and (not checked or "cf.assert: does not hold" in str(failure)):
                return
            raise Disagreement(f"{stage}: {failure}")
        self._outcomes[module] = result[1]
        self._same(stage, *result, checked)

    def _same(self, stage: str, data: dict[str, np.ndarray], outcome: Outcome, checked: bool):
        """Whether a form did what SCF did: report a fault, or leave the same arrays."""
        if outcome.faults:
            self.faults = True
            # A range that is wrong, or an index in an iteration that a condition leaves out, is
            # reported although SCF does not come to use it.
            source = self.source
            conditional = source.fault == "index" and "scf.if" in source.text
            if not self.invalid and not conditional and source.fault not in ("order", "end"):
                raise Disagreement(f"{stage}: reports {outcome.faults[0]} of a good input")
            return
        if self.invalid:
            if checked:
                raise Disagreement(f"{stage}: an access is out of range, but nothing is reported")
            return
        expected, _ = self.expected
        converted = {name for one in self.layouts for name in (one.offsets, *one.entries)}
        for name, array in data.items():
            if name in converted:
                continue
            if difference := _difference(expected[name], array):
                raise Disagreement(f"{stage}: {name}{difference}")

    # Microcode ----------------------------------------------------------------------------

    def _execute(self, opt: str, module: ModuleOp, templates, engine: RtlEngine | None) -> None:
        stage = f"{opt}, microcode"
        data, memory, addresses = self._placed()
        try:
            programs = [template.link(addresses, self.config) for template in templates]
            for program in programs:
                check(program, self.config)
            runs = [run(program, self.config, memory) for program in programs]
        except Exception as error:
            raise Disagreement(f"{stage} failed: {error!r}") from error
        outcome = self._outcomes[module]
        found = Counter(
            (report.kind, report.layer, report.position, report.value)
            for one in runs
            for report in one.queues.errors
        )
        # With one lane only the low half of an element of 8 bytes is read.
        mask = (1 << (32 if self.config.lanes == 1 else 64)) - 1
        wanted = Counter((*fault[:3], fault.value & mask) for fault in outcome.faults)
        if found != wanted:
            raise Disagreement(f"{stage}: reports {dict(found)}, DLC {dict(wanted)}")
        for what in ("tokens", "vectors"):
            crossed = sum(getattr(one.queues, what) for one in runs)
            counted = sum(
                getattr(queues, {"vectors": "operands"}.get(what, what))
                for queues in outcome.queues
            )
            if crossed != counted:
                raise Disagreement(f"{stage}: {crossed} {what} cross, in DLC {counted}")
        self._same(stage, data, outcome, True)
        self.forms += 1
        self.verdict.programs[opt] = programs
        if engine is not None:
            self._simulate(opt, templates, engine)

    def _call(self, opt: str, module: ModuleOp) -> None:
        """DLC as machine code of this processor, which ends at the first error."""
        stage, data = f"{opt}, LLVM", self._arrays()
        try:
            function = Function(lower(module, self.config, host()))
        except Exception as error:
            raise Disagreement(f"{stage} failed: {error!r}") from error
        failure = function([data[name].ctypes.data for _, name in function.arrays])
        if (failure is not None) != bool(self._outcomes[module].faults):
            raise Disagreement(f"{stage}: reports {failure}, DLC {self._outcomes[module].faults}")
        if failure is None:
            self._same(stage, data, Outcome(), True)
        self.forms += 1

    def _placed(self) -> tuple[dict[str, np.ndarray], Memory, dict[tuple[str, str], int]]:
        """The arrays in a memory of their own, anywhere within a line."""
        data = self._arrays()
        rng = np.random.default_rng(self.source.seed)
        memory, addresses = Memory(self.config), {}
        for name, array in data.items():
            offset = 8 * int(rng.integers(0, 3))
            addresses["nest", name] = memory.place(
                _owner(array), writable=name.startswith("out"), offset=offset
            )
        return data, memory, addresses

    def _simulate(self, opt: str, templates, engine: RtlEngine) -> None:
        data, memory, addresses = self._placed()
        faults = False
        for template in templates:
            program = template.link(addresses, self.config)
            result = engine.run(
                program, memory, latency=RandomLatency(1, 60, 0.3), seed=self.source.seed,
                max_cycles=2_000_000, max_seconds=120,
            )  # fmt: skip
            faults = faults or result.error is not None
        if faults != self.faults:
            raise Disagreement(f"{opt}, RTL: reports {faults}, but the model {self.faults}")
        if not faults:
            self._same(f"{opt}, RTL", data, Outcome(), True)
        self.forms += 1


def _names(module: ModuleOp) -> set[str | None]:
    """The arguments of a module's only function."""
    [function] = module.body.block.ops
    return {argument.name_hint for argument in function.regions[0].block.args}


def _owner(array: np.ndarray) -> np.ndarray:
    """The whole buffer that an array is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _difference(expected: np.ndarray, found: np.ndarray) -> str:
    """Where two arrays differ in a bit, gaps between rows included; empty if nowhere."""
    a, b = (np.ascontiguousarray(_owner(x)).reshape(-1) for x in (expected, found))
    kind = np.uint32 if a.dtype == np.float32 else a.dtype
    different = np.flatnonzero(a.view(kind) != b.view(kind))
    if not different.size:
        return ""
    at = int(different[0])
    wanted, got = (x.view(kind)[at] for x in (a, b))
    form = "#010x" if kind == np.uint32 else ""
    return f" element {at} must be {format(int(wanted), form)}, not {format(int(got), form)}"


# Campaign ---------------------------------------------------------------------------------


def draw(seed: int) -> tuple[Nest, str, str]:
    """A nest, the name of its profile, and of a machine; the same for the same seed."""
    rng = np.random.default_rng([seed, 0x4E455354])
    profile = str(rng.choice(list(MIX), p=list(MIX.values())))
    nest = random_lookup(rng, PROFILES[profile])
    names = [
        name
        for name, config in CONFIGS.items()
        if config.layers > len(nest.loops) or profile == "any"
    ]
    machine = str(rng.choice(names or list(CONFIGS)))
    if CONFIGS[machine].store_streams and rng.random() < COPIES:
        nest = copies(nest)
    return nest, profile, machine


def copies(nest: Nest) -> Nest:
    """The nest as one that only copies the rows that it looks up, each to a row of its own."""
    place = nest.place if len(nest.loops) == 1 else "inner"
    return replace(nest, op="set", place=place, weight="", mean=False, skip=None, mask=False)


def campaign(
    seeds: Iterator[int], directory: Path, engine: RtlEngine | None = None, rtl: int = 0
) -> Iterator[Tally]:
    """Try the nests of ``seeds``; yields the tally so far after each.

    Parameters
    ----------
    directory : Path
        Where a nest that fails is written.
    engine : RtlEngine or None
        For the first ``rtl`` nests that its configuration takes; these are tried on it.

    Raises
    ------
    Disagreement
        The message names the seed and the file with the smallest nest that shows it.
    """
    tally = Tally()
    for seed in seeds:
        nest, _, machine = draw(seed)
        simulate = engine if engine is not None and tally.rtl < rtl else None
        config = CONFIGS[machine] if simulate is None else simulate.config
        trial = Trial(nest, config)
        try:
            verdict = trial.run(simulate)
        except Disagreement as error:
            raise explain(error, nest, config, seed, directory) from error
        tally.nests += 1
        tally.forms += trial.forms
        tally.faults += trial.faults
        tally.accepted += not verdict.refused
        tally.rtl += simulate is not None and not verdict.refused
        for opt in LEVELS:
            tally.levels[opt] += opt not in verdict.refused
        tally.refusals.update({_reason(why) for why in verdict.refused.values()})
        yield tally


def _reason(message: str) -> str:
    """A refusal without what differs from nest to nest."""
    return re.sub(r"\d+", "N", re.sub(r"%\w+", "%x", message.rpartition(": ")[2]))


def explain(
    error: Disagreement, nest: Nest, config: Config, seed: int, directory: Path
) -> Disagreement:
    """The error of the smallest nest that fails in the same way, which goes to a file."""
    kind = _kind(error)

    def fails(smaller: Nest) -> bool:
        try:
            Trial(smaller, config).run()
        except Disagreement as other:
            return _kind(other) == kind
        return False

    smallest = shrink(nest, fails) if fails(nest) else nest
    try:
        Trial(smallest, config).run()
    except Disagreement as other:
        error = other
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"nest-{seed}.mlir"
    lines = [f"// {line}" for line in str(error).splitlines()[:1]]
    lines += [f"// seed {seed}, configuration {config.to_dict()}", f"// {smallest}"]
    with np.printoptions(threshold=100_000, linewidth=10_000):
        lines += [f"// {name} = {str(array.tolist())}" for name, array in arrays(smallest).items()]
    path.write_text("\n".join(lines) + "\n" + text(smallest))
    return Disagreement(f"seed {seed}: {error}; the smallest such nest is in {path}")


def _kind(error: Disagreement) -> str:
    """What failed, without numbers and names."""
    return re.sub(r"[%\d.]\w*", "", str(error).partition("(")[0].partition(", not")[0])[:60]


def main(arguments: list[str] | None = None) -> int:
    """``python -m ember.sim.nests``: a campaign."""
    parser = argparse.ArgumentParser(prog="ember.sim.nests", description=__doc__)
    parser.add_argument(
        "--nests", type=int, default=1000, help="nests that are to be accepted at every level"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the first")
    parser.add_argument(
        "--rtl", type=int, default=0, help="nests that also run on the RTL of the tiny preset"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("build/nests"), help="where failing nests go"
    )
    options = parser.parse_args(arguments)
    engine = RtlEngine(CONFIGS["tiny"], progress=print) if options.rtl else None
    tally, seed = Tally(), options.seed
    try:
        seeds = iter(range(options.seed, 1 << 62))
        for tally in campaign(seeds, options.output, engine, options.rtl):
            seed += 1
            if tally.nests % 200 == 0:
                print(tally, flush=True)
            if tally.accepted >= options.nests and tally.rtl >= options.rtl:
                break
    except Disagreement as error:
        print(error)
        return 1
    finally:
        if engine is not None:
            engine.close()
    print(f"seeds {options.seed}..{seed - 1} agree: {tally}")
    for reason, count in tally.refusals.most_common():
        print(f"  refused {count:5}  {reason}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
