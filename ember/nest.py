"""``ember.run_nest``: a loop nest as text, compiled for its arrays and run on them."""

from collections.abc import Mapping

from . import parts
from .bag import boolean, choice
from .execute_nest import compile_nest, execute_nest
from .nest_arguments import check_arguments
from .nest_result import NestResult, NestSource
from .options import LEVELS, run_options
from .parts import Config


def run_nest(
    text: str,
    arrays: Mapping[str, object],
    *,
    name: str = "input",
    config: Config | None = None,
    opt: str = "O3",
    narrow_f64: bool = False,
    **options,
) -> NestResult:
    """Compile a loop nest for its arguments, and run it.

    Parameters
    ----------
    text : MLIR, a module with one function: ``func``, ``scf`` or ``affine``, ``memref``, ``arith``,
        ``math``, ``vector`` and ``cf.assert``
    arrays : the function's arguments by name, ``arg0``, .. where it has none: of a memref an array
        of its element type and shape, of an integer a number. They are not changed; those that
        the function stores to are what these arrays hold before
    name : what messages call the text
    config : of the machine; None is the ``default`` preset
    opt : optimization level, ``"O0"`` .. ``"O3"``
    narrow_f64 : make f32 of f64, which is refused otherwise: values are rounded, arrays are float32
    options : of the run, see :class:`RunOptions`; ``engine`` is ``"rtl"``, ``"functional"`` or
        ``"cpu"``

    Raises
    ------
    TypeError, ValueError
        An argument of a wrong type or value; a text that is no module, or a nest that cannot be
        compiled for this machine.
    RunError
        The machine reported an error, such as an index out of range; llvmlite is missing.
    RuntimeError
        The run failed otherwise: a hang, a missing tool.
    """
    check_engine(options.get("engine"))
    settings = run_options(options)
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}")
    if config is not None and not isinstance(config, Config):
        raise TypeError(f"config must be a Config, not {type(config).__name__}")
    machine = Config() if config is None else config
    choice(opt, "opt", LEVELS)
    boolean(narrow_f64, "narrow_f64")
    source = read_nest(text, arrays, name, machine, narrow_f64=narrow_f64)
    return execute_nest(compile_nest(source, machine, opt), settings)


def check_engine(engine: object) -> None:
    """Refuse a board, on which a nest does not run.

    Raises
    ------
    ValueError
        It is one.
    """
    if engine in ("board", "board-sim"):
        raise ValueError(f"engine of a nest must be rtl, functional or cpu, not {engine!r}")


def read_nest(
    text: str, arrays: Mapping[str, object], name: str, config: Config, *, narrow_f64: bool
) -> NestSource:
    """A nest with its arguments, checked; parameters and errors as :func:`run_nest`."""
    nest, signature, _, _ = parts.nest_runs()
    module = nest.read_module(text, name, narrow_f64=narrow_f64)
    function, arguments = signature.signature(module)
    given, integers = check_arguments(arrays, arguments, function, config)
    return NestSource(module, function, arguments, given, integers)
