"""Loop nests as text: from MLIR to programs, without a front end of ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context

from ..hw.config import Config
from .asm import disassemble, to_json
from .codegen import generate
from .frontend.specialize import check_names
from .pipeline import pipeline
from .source import parse_nests
from .template import Template

STAGES = ("scf", "slc", "dlc", "asm", "json")


@dataclass(frozen=True)
class NestCompilation:
    """The functions of a module, compiled: programs to link, and the text of every stage.

    ``stages`` has the name of each pass and the text after it; the first is the input.
    """

    config: Config
    stages: tuple[tuple[str, str], ...]
    templates: tuple[Template, ...]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts of :data:`STAGES`."""
        return {
            "scf": self.stages[0][1],
            "slc": self.stages[-2][1],
            "dlc": self.stages[-1][1],
            "asm": "\n".join(disassemble(template, self.config) for template in self.templates),
            "json": to_json(self.templates),
        }


def compile_nests(
    config: Config,
    text: str,
    name: str = "input",
    opt: str = "O3",
    arguments: Sequence[str] = (),
) -> NestCompilation:
    """Compile MLIR text in the dialects ``func``, ``scf``, ``memref``, ``arith`` and ``math``.

    Parameters
    ----------
    config : Config
        The machine.
    text, name : str
        The module, and what messages call its file.
    opt : str
        ``O0`` to ``O3``, see :func:`ember.compiler.pipeline.pipeline`.
    arguments : sequence of str
        What is known of the functions' arguments, see :mod:`ember.compiler.frontend.specialize`.

    Raises
    ------
    CompileError
        The text is no such module, or it cannot be compiled for this machine; the message has the
        file and the line.
    ValueError
        No such level.
    """
    module = parse_nests(text, name)
    check_names(module, arguments)
    stages = [("input", str(module))]
    for step in pipeline(config, opt, tuple(arguments)):
        step.apply(Context(), module)
        module.verify()
        stages.append((step.name, str(module)))
    return NestCompilation(config, tuple(stages), tuple(generate(module, config)))
