"""Smaller lookup nests that still show what a bigger one showed."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from .lookup_nest import Index, Loop, Nest


def shrink(nest: Nest, fails: Callable[[Nest], bool], tries: int = 500) -> Nest:
    """The smallest nest that is found by taking one thing away at a time.

    Parameters
    ----------
    nest : Nest
        For which ``fails`` holds.
    fails : function
        Whether a nest still shows the failure.
    tries : int
        How often ``fails`` is asked at most.
    """
    seen = {nest}
    found = True
    while found and tries:
        found = False
        for smaller in simpler(nest):
            if smaller in seen or not tries:
                continue
            seen.add(smaller)
            tries -= 1
            if fails(smaller):
                nest, found = smaller, True
                break
    return nest


def simpler(nest: Nest) -> Iterator[Nest]:
    """Nests with one thing less, those that take most away first."""
    for level in range(len(nest.loops)):
        if len(nest.loops) > 1:
            loops = nest.loops[:level] + nest.loops[level + 1 :]
            first = replace(loops[0], bounds="dense")
            yield replace(nest, loops=(first, *loops[1:]))
    for number in range(len(nest.chain)):
        yield replace(nest, chain=nest.chain[:number] + nest.chain[number + 1 :])
    for name in nest.odd:
        yield replace(nest, odd=tuple(other for other in nest.odd if other != name))
    for number in range(len(nest.casts)):
        yield replace(nest, casts=nest.casts[:number] + nest.casts[number + 1 :])
    for name in nest.strided:
        yield replace(nest, strided=tuple(other for other in nest.strided if other != name))
    for number in range(len(nest.arithmetic)):
        yield replace(nest, arithmetic=nest.arithmetic[:number] + nest.arithmetic[number + 1 :])
    if nest.batch:
        yield replace(nest, batch="", copies=1)
    if nest.copies > 2:
        yield replace(nest, copies=2)
    plain = dict(
        mean=False, form="ne", mask=False, guard=False, skip=None, weight="", op="add", fault="",
        table_gap=0, out_gap=0, flat=False, place="outer", dynamic=False, scalars=False,
        asserts=False, early=False, apart=2, first=0, dim=1, rows=1, seed=0,
    )  # fmt: skip
    for name, value in plain.items():
        if getattr(nest, name) != value:
            yield replace(nest, **{name: value})
    for level, loop in enumerate(nest.loops):
        for change in _loop(loop):
            yield replace(nest, loops=(*nest.loops[:level], change, *nest.loops[level + 1 :]))
    for number, index in enumerate(nest.chain):
        for change in _index(index):
            yield replace(nest, chain=(*nest.chain[:number], change, *nest.chain[number + 1 :]))
    for name, least in (("dim", 1), ("rows", 1)):
        if getattr(nest, name) > least:
            yield replace(nest, **{name: getattr(nest, name) - 1})


def _loop(loop: Loop) -> Iterator[Loop]:
    for name, value in dict(bounds="dense", start=0, step=1, count=1, width=64).items():
        if getattr(loop, name) != value:
            yield replace(loop, **{name: value})
    if loop.count > 1:
        yield replace(loop, count=loop.count - 1)


def _index(index: Index) -> Iterator[Index]:
    if index.width != 64:
        yield replace(index, width=64)
    if index.level:
        yield replace(index, level=index.level - 1)
