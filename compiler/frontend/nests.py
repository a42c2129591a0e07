"""What a pass does with each nest of a module."""

from collections.abc import Callable

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp

from .simplify import SimplifyPass


def rewrite_nests(ctx: Context, module: ModuleOp, rewrite: Callable[[scf.ForOp], bool]) -> None:
    """Rewrite nests that hand nothing on, in order; what changes is simplified in the end.

    Parameters
    ----------
    rewrite : callable
        It says whether it changed anything, and may remove other nests.
    """
    changed = False
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks:
            for nest in list(function.body.block.ops):
                if isinstance(nest, scf.ForOp) and nest.parent is not None and not nest.results:
                    changed |= rewrite(nest)
    if changed:
        SimplifyPass().apply(ctx, module)
