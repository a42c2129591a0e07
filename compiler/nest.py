"""Loop nests as text: from MLIR to programs, without a front end of ours."""

from collections.abc import Sequence

from ..hw.config import Config
from .asm import disassemble, to_json
from .codegen import generate
from .frontend.specialize import check_names
from .pipeline import apply, pipeline
from .slc.split_layers import SplitLayersPass
from .source import parse_nests


def compile_nests(
    config: Config,
    text: str,
    name: str = "input",
    opt: str = "O3",
    arguments: Sequence[str] = (),
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
    texts = {"scf": str(module), "slc": ""}
    for name, _ in apply(pipeline(config, opt, tuple(arguments)), module):
        if name == SplitLayersPass.name:
            texts["slc"] = str(module)
    texts["dlc"] = str(module)
    templates = generate(module, config)
    asm = "\n".join(disassemble(template, config) for template in templates)
    return texts | {"asm": asm, "json": to_json(templates)}
