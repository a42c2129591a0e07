"""Queue levels in classes, for the histograms of the counters."""

#: Classes of a histogram.
BINS = 8


def occupancy_bin(level: int, depth: int) -> int:
    """The class of a queue's level: 0 is empty, 7 is full, six equal parts lie between.

    A queue of fewer than 7 entries leaves some of them out.

    Raises
    ------
    ValueError
        ``depth`` is below 1, or ``level`` not in 0..depth.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth!r}")
    if not 0 <= level <= depth:
        raise ValueError(f"level must be in 0..{depth}, not {level!r}")
    if level in (0, depth):
        return 0 if level == 0 else BINS - 1
    return 1 + (level - 1) * (BINS - 2) // (depth - 1)


def bin_levels(depth: int) -> tuple[range, ...]:
    """The levels of each class; an empty range where it has none."""
    bins = [occupancy_bin(level, depth) for level in range(depth + 1)]
    first = [sum(b < k for b in bins) for k in range(BINS + 1)]
    return tuple(range(first[k], first[k + 1]) for k in range(BINS))


def occupancy(level, depth: int) -> list:
    """Of a signal with a queue's level: one bit per class, exactly the one of its class set."""
    above = [level >= levels.start for levels in bin_levels(depth)]
    return [above[k] & ~above[k + 1] for k in range(BINS - 1)] + [above[-1]]
