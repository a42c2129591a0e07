"""Loop nests as text: from MLIR to programs, without a front end of ours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ..hw.config import Config
from .asm import disassemble, to_json
from .codegen import generate
from .frontend.coo_to_csr import Layout, layouts
from .frontend.narrow_f64 import NarrowF64Pass
from .frontend.specialize import check_names
from .pipeline import apply, pipeline
from .slc.split_layers import SplitLayersPass
from .source import parse_nests
from .template import Template


def compile_nests(
    config: Config,
    text: str,
    name: str = "input",
    opt: str = "O3",
    arguments: Sequence[str] = (),
    *,
    narrow_f64: bool = False,
) -> dict[str, str]:
    """Compile MLIR text: ``func``, ``scf``, ``memref``, ``arith``, ``math`` and ``cf.assert``.

    Returns the texts of the stages ``scf``, ``slc``, ``dlc``, ``asm`` and ``json``.

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
    narrow_f64 : bool
        Whether f64 becomes f32, see :mod:`ember.compiler.frontend.narrow_f64`.

    Raises
    ------
    CompileError
        The text is no such module, or it cannot be compiled for this machine; the message has the
        file and the line.
    ValueError
        No such level.
    """
    texts = {}
    for stage, module in _stages(config, text, name, opt, arguments, narrow_f64, verify_each=True):
        texts[stage] = str(module)
    templates = generate(module, config)
    asm = "\n".join(disassemble(template, config) for template in templates)
    return texts | {"asm": asm, "json": to_json(templates)}


def nest_templates(
    config: Config,
    text: str,
    name: str = "input",
    opt: str = "O3",
    arguments: Sequence[str] = (),
    *,
    narrow_f64: bool = False,
) -> list[Template]:
    """The launches of a nest, to be linked; parameters and errors as :func:`compile_nests`."""
    *_, (_, module) = _stages(config, text, name, opt, arguments, narrow_f64, verify_each=False)
    return generate(module, config)


def read_module(text: str, name: str = "input", *, narrow_f64: bool = False) -> ModuleOp:
    """A module as SCF; parameters and errors as :func:`compile_nests`."""
    module = parse_nests(text, name)
    if narrow_f64:
        NarrowF64Pass().apply(Context(), module)
    return module


@dataclass(frozen=True)
class NestProgram:
    """A nest for the arguments of a launch.

    Attributes
    ----------
    module : ModuleOp
        As DLC, of which :func:`ember.compiler.llvm.module.lower` makes machine code.
    templates : list of Template
        The launches, to be linked.
    layouts : list of Layout
        What is to be done to the arrays before.
    """

    module: ModuleOp
    templates: list[Template]
    layouts: list[Layout]


def nest_program(
    config: Config, module: ModuleOp, opt: str, arguments: Sequence[str]
) -> NestProgram:
    """The program of a module that :func:`ember.compiler.signature.signature` has looked at.

    The module is not changed; the other parameters and errors are those of :func:`compile_nests`.
    """
    dlc = module.clone()
    for _ in apply(pipeline(config, opt, tuple(arguments)), dlc, verify_each=False):
        pass
    templates = generate(dlc, config)
    found = layouts(module, tuple(arguments))
    return NestProgram(dlc, templates, [one for several in found.values() for one in several])


def host_text(
    config: Config,
    text: str,
    name: str = "input",
    opt: str = "O3",
    arguments: Sequence[str] = (),
    *,
    narrow_f64: bool = False,
) -> str:
    """LLVM IR of a nest for this processor; parameters and errors as :func:`compile_nests`.

    Raises
    ------
    ModuleNotFoundError
        llvmlite is missing.
    """
    from .llvm.host import host
    from .llvm.module import lower

    *_, (_, module) = _stages(config, text, name, opt, arguments, narrow_f64, verify_each=True)
    return lower(module, config, host()).text


def _stages(
    config: Config,
    text: str,
    name: str,
    opt: str,
    arguments: Sequence[str],
    narrow_f64: bool,
    *,
    verify_each: bool,
) -> Iterator[tuple[str, ModuleOp]]:
    """The module as SCF, SLC and DLC; one module, changed in place."""
    module = read_module(text, name, narrow_f64=narrow_f64)
    check_names(module, arguments)
    passes = pipeline(config, opt, tuple(arguments))
    slc = [step.name for step in passes].index(SplitLayersPass.name) + 1
    yield "scf", module
    for stage, steps in (("slc", passes[:slc]), ("dlc", passes[slc:])):
        for _ in apply(steps, module, verify_each=verify_each):
            pass
        yield stage, module
