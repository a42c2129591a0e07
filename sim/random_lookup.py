"""Random lookup nests: everything that a front end could write, or what one compiler takes."""

from dataclasses import dataclass, field, replace

import numpy as np

from .lookup_nest import (
    CASTS,
    CHOICES,
    ODD,
    OPERATIONS,
    PLACES,
    SCALED,
    STRIDED,
    SUMS,
    WEIGHTS,
    Index,
    Loop,
    Nest,
)  # fmt: skip


@dataclass(frozen=True)
class Profile:
    """How often something is in a nest; weights need not add up to 1.

    Parameters
    ----------
    depths : tuple of float
        Weights of 1, 2, .. loops, the loop over the elements included.
    chains : tuple of float
        Weights of 0, 1, .. index arrays.
    bounds, operations : mapping to float
        Weights of the bounds of inner loops, and of what is stored.
    together : float
        Share of index arrays that are read in the loop that has just read the one before.
    literal : float
        Share of weights that are a literal.
    arithmetic : mapping to float
        How often each kind is applied to the index.
    asserts : float
        Share of nests that say that what they do arithmetic to is not below 0.
    dynamic : float
        Share of nests whose arrays have no sizes, and of those with integer arguments.
    flat : float
        Share of nests whose rows have one element and no dimension.
    places : mapping to float
        Weights of the rows of ``out``.
    odd : float
        Share of nests with one or two of :data:`ember.sim.lookup_nest.ODD`.
    features : mapping to float
        How often each of them is in a nest, beside those.
    batches : mapping to float
        Weights of what other nests the function has.
    fault : float
        Share of nests with a wrong input.
    """

    depths: tuple[float, ...] = (1, 4, 8, 6, 2)
    chains: tuple[float, ...] = (2, 8, 3, 1)
    bounds: dict[str, float] = field(
        default_factory=lambda: {
            "dense": 3,
            "pair": 8,
            "two": 3,
            "index": 3,
            "product": 3,
            "length": 2,
            "from": 1,
        }
    )
    operations: dict[str, float] = field(default_factory=lambda: dict.fromkeys(OPERATIONS, 1.0))
    together: float = 0.5
    literal: float = 0.2
    arithmetic: dict[str, float] = field(
        default_factory=lambda: {"add": 0.15, "sub": 0.05, "mul": 0.15, "shl": 0.1, "from": 0.05}
    )
    asserts: float = 0.5
    dynamic: float = 0.15
    flat: float = 0.05
    places: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(PLACES, 1.0) | {"outer": 10.0}
    )
    odd: float = 0.5
    features: dict[str, float] = field(default_factory=dict)
    batches: dict[str, float] = field(
        default_factory=lambda: {
            "": 0.86, "batched": 0.04, "joined": 0.03, "tables": 0.03, "rolled": 0.02,
            "separate": 0.02,
        }  # fmt: skip
    )
    fault: float = 0.0


#: ``any`` is all that the description has; ``today`` is what the compiler takes for the most part;
#: ``faulty`` is that with wrong inputs.
PROFILES: dict[str, Profile] = {
    "any": Profile(),
    "today": Profile(
        depths=(0.5, 3, 8, 5, 0.3),
        chains=(3, 8, 2),
        bounds={"dense": 3, "pair": 8, "two": 3, "index": 3, "product": 3, "length": 2, "from": 1},
        operations=dict.fromkeys(OPERATIONS[:-3], 1.0),
        together=0.05,
        literal=0.15,
        arithmetic={"add": 0.15, "sub": 0.1, "mul": 0.15, "shl": 0.1, "from": 0.03},
        asserts=0.95,
        odd=0.0,
        features={
            "fill": 0.1, "no_init": 0.03, "index_2d": 0.03, "constant_row": 0.03, "plane": 0.05,
            "planes": 0.04, "element_step": 0.02, "element_start": 0.03, "twice": 0.03,
            "two_outputs": 0.03, "registers": 0.15, "entries": 0.05, "side_by_side": 0.02,
            "two_tables": 0.02, "vectors": 0.06, "unrolled": 0.06, "columns": 0.03, "swapped": 0.2,
            "blocks": 0.04, "slices": 0.05, "parallel": 0.05, "affine": 0.05,
            "moved": 0.05, "edges": 0.3,
        },  # fmt: skip
    ),
}
PROFILES["faulty"] = replace(PROFILES["today"], asserts=0.5, fault=1.0)


def random_lookup(rng: np.random.Generator, profile: Profile) -> Nest:
    """A nest of a few hundred rows at most."""
    depth = _draw(rng, range(1, len(profile.depths) + 1), profile.depths)
    loops = tuple(_loop(rng, profile, level, depth) for level in range(depth - 1))
    chain = _chain(rng, profile, len(loops))
    op = _draw(rng, profile.operations, profile.operations.values())
    weight = ""
    if op in SCALED:
        weight = str(
            rng.choice(WEIGHTS, p=[0.3, 0.15, 0.15, 0.1, 0.2, 0.1])
        )
        if rng.random() < profile.literal:
            weight = ""
    odd: tuple[str, ...] = ()
    if rng.random() < profile.odd:
        odd = tuple(map(str, rng.choice(ODD, int(rng.integers(1, 3)), replace=False)))
    odd += tuple(name for name, share in profile.features.items() if rng.random() < share)
    if "blocks" in odd and len(loops) > 1:
        loops = (*loops[:-1], replace(loops[-1], bounds="dense", start=0))
        level = len(loops) - 2
        chain = tuple(replace(i, level=min(i.level, level)) for i in chain or (Index(level),))
    if "slices" in odd and rng.random() < 0.5:
        op = "set"
    place = _draw(rng, profile.places, profile.places.values())
    batch = _draw(rng, profile.batches, profile.batches.values()) if loops else ""
    if "entries" in odd and loops:
        # Entries are walked from the first one on; mostly there is nothing below.
        below = loops[1:] if rng.random() < 0.2 else ()
        place, loops = "scatter", (replace(loops[0], start=0, step=1), *below)
        # What begins a row is no sum of its entries.
        op = op if op in SUMS else "add"
    if batch in ("batched", "rolled", "separate"):
        # A loop over nests takes a layer; of lookups one after another only two can.
        place, loops = "outer", loops[: int(rng.integers(1, 3))]
    if batch == "separate" and op in CHOICES:
        # These count, and a counter of several lookups is refused.
        op = "add"
    rows = int(rng.integers(1, 10))
    fault = ""
    if rng.random() < profile.fault:
        fault = str(rng.choice(["index", "order", "end"]))
    skip = None
    skips = 0.3 if depth > 2 or profile.odd else 0.02
    if chain and (rng.random() < skips or {"else", "condition"} & set(odd)):
        skip = int(rng.integers(0, rows)) if rng.random() < 0.93 else int(rng.choice([-1, rows]))
    casts = _casts(rng)
    if casts and skip is not None and rng.random() < 0.5:
        # Of all values the one that casts change.
        skip = -1
    return Nest(
        loops=loops,
        chain=chain,
        rows=rows,
        dim=_dim(rng, 0.5 if weight == "column" else 0.2),
        table_gap=int(rng.integers(0, 4)) if rng.random() < 0.3 else 0,
        out_gap=int(rng.integers(0, 4)) if rng.random() < 0.3 else 0,
        arithmetic=_arithmetic(rng, profile),
        skip=skip,
        form=str(rng.choice(["ne", "ne", "left", "else", "select"])),
        guard=bool(rng.random() < 0.06),
        mask=skip is None and depth > 2 and bool(rng.random() < 0.07),
        weight=weight,
        op=op,
        mean=bool(
            rng.random()
            < (0.05 if batch in ("batched", "rolled", "separate") or "entries" in odd else 0.2)
        ),
        flat=bool(rng.random() < profile.flat),
        place=place,
        dynamic=bool(rng.random() < profile.dynamic),
        scalars=bool(rng.random() < profile.dynamic),
        asserts=bool(rng.random() < profile.asserts),
        batch=batch,
        copies=1 if not batch else 2 if batch == "tables" else int(rng.integers(2, 4)),
        casts=casts,
        early=bool(rng.random() < 0.3),
        strided=_strided(rng),
        apart=int(rng.integers(2, 4)),
        first=int(rng.integers(1, 4)) if rng.random() < 0.3 else 0,
        odd=odd,
        fault=fault,
        seed=int(rng.integers(1 << 30)),
    )


def _dim(rng: np.random.Generator, longer: float) -> int:
    """Elements of a row; ``longer`` is the share of rows longer than the shortest register."""
    return int(rng.choice([8, 12, 13, 17] if rng.random() < longer else [1, 2, 3, 4, 5, 6, 7, 9]))


def _casts(rng: np.random.Generator) -> tuple[str, ...]:
    length = int(rng.integers(1, 4)) if rng.random() < 0.12 else 0
    return tuple(map(str, rng.choice(CASTS, length)))


def _strided(rng: np.random.Generator) -> tuple[str, ...]:
    """Mostly none: each costs an integer operation, of which a layer has one."""
    several = int(rng.choice([0, 1, 2, len(STRIDED)], p=[0.85, 0.1, 0.03, 0.02]))
    return tuple(map(str, rng.choice(list(STRIDED), several, replace=False)))


def _draw(rng: np.random.Generator, values, weights):
    weights = np.array(list(weights), float)
    return list(values)[int(rng.choice(len(weights), p=weights / weights.sum()))]


def _loop(rng: np.random.Generator, profile: Profile, level: int, depth: int) -> Loop:
    inner = depth - 1 - level
    most = 7 if level == 0 else 4 if inner < 2 else 2
    count = 0 if rng.random() < 0.04 else int(rng.integers(1, most + 1))
    step = int(rng.choice([2, 3])) if rng.random() < 0.12 else 1
    start = int(rng.integers(1, 5)) if rng.random() < 0.15 else 0
    bounds = "dense"
    if level:
        bounds = _draw(rng, profile.bounds, profile.bounds.values())
    return Loop(bounds, start, count, step, _width(rng))


def _width(rng: np.random.Generator) -> int:
    """Bits of what is loaded; of type ``index`` it is rarely."""
    return int(rng.choice([32, 64, 0], p=[0.45, 0.45, 0.1]))


def _chain(rng: np.random.Generator, profile: Profile, loops: int) -> tuple[Index, ...]:
    if not loops:
        return ()
    length = _draw(rng, range(len(profile.chains)), profile.chains)
    chain: list[Index] = []
    level = loops - 1
    for _ in range(length):
        chain.insert(0, Index(level, _width(rng)))
        if rng.random() >= profile.together:
            level -= 1
        if level < 0:
            break
    return tuple(chain)


def _arithmetic(rng: np.random.Generator, profile: Profile) -> tuple[tuple[str, int], ...]:
    result = []
    for kind, share in profile.arithmetic.items():
        if rng.random() < share:
            result.append((kind, int(rng.integers(1, 3 if kind == "shl" else 5))))
    return tuple(result)
