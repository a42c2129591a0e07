"""What a proof is: a block, a bench around it, how it is proven, and mutants that break it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

from .bench import Bench
from .garbage import anything, garbage
from .mutant import Edit, load


@dataclass(frozen=True)
class Mutant:
    """A change of the block that the proof has to find within ``depth`` cycles from reset.

    ``also`` makes a constant smaller, and ``parameters`` are other ones for the bench, so that the
    solver finds it sooner.
    """

    name: str
    old: str
    new: str
    depth: int = 12
    also: tuple[Edit, ...] = ()
    parameters: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Proof:
    """One block with one set of parameters.

    ``depth`` is the length of the induction, or of the bounded check from reset, in cycles.
    ``edits`` turn a constant of the module into a parameter.
    """

    name: str
    module: str
    bench: Callable[..., Bench]
    parameters: dict[str, object] = field(default_factory=dict)
    depth: int = 2
    bounded: bool = False
    edits: tuple[Edit, ...] = ()
    mutants: tuple[Mutant, ...] = ()

    def build(self, mutant: Mutant | None = None) -> str:
        """The netlist, with one of the mutants instead of the block if asked for.

        What a block RAM reads while it is written is the solver's choice.
        """
        edits, parameters = self.edits, self.parameters
        if mutant is not None:
            edits += (Edit(mutant.old, mutant.new), *mutant.also)
            parameters = {**parameters, **mutant.parameters}
        module: ModuleType = load(self.module, edits)
        with garbage(anything):
            return self.bench(module, **parameters).rtlil(lemmas=mutant is None)
