"""A coverage report for people and for programs."""

from ..hw.config import Config
from .cover_bins import Coverage, Group

#: Missing bins that are listed one by one for each group.
LISTED = 8


def coverage_text(coverage: Coverage) -> str:
    """A line for each group, then what is missing, excluded and not asked for."""
    width = max(len("group"), *(len(group.name) for group in coverage))
    lines = [f"{'group':<{width}}  {'hit':>5}  {'legal':>5}  what"]
    for group in coverage:
        lines.append(
            f"{group.name:<{width}}  {group.reached:>5}  {len(group.legal):>5}  {group.meaning}"
        )
    reached = coverage.legal - len(coverage.missing)
    share = 100 * reached / coverage.legal
    lines.append(f"{'all':<{width}}  {reached:>5}  {coverage.legal:>5}  {share:.1f} %")
    for group in coverage:
        lines += _details(group)
    return "\n".join(lines)


def _details(group: Group) -> list[str]:
    lines = [f"missing: {group.name} {group.text(at)}" for at in group.missing[:LISTED]]
    if len(group.missing) > LISTED:
        lines.append(f"missing: {group.name}, {len(group.missing) - LISTED} more")
    for at in group.impossible[:LISTED]:
        lines.append(
            f"impossible, yet hit: {group.name} {group.text(at)}: {group.excluded[at]}"
        )
    for what, bins in (("impossible", group.excluded), ("not asked for", group.optional)):
        reasons: dict[str, int] = {}
        for reason in bins.values():
            reasons[reason] = reasons.get(reason, 0) + 1
        lines += [f"{what}: {group.name}, {n} bins: {why}" for why, n in reasons.items()]
    return lines


def coverage_dict(config: Config, coverage: Coverage) -> dict:
    """For JSON: totals, and each group with its bins."""
    return {
        "config": config.to_dict(),
        "config_hash": config.hash,
        "legal": coverage.legal,
        "hit": coverage.legal - len(coverage.missing),
        "complete": coverage.complete,
        "groups": {group.name: _group_dict(group) for group in coverage},
    }


def _group_dict(group: Group) -> dict:
    return {
        "meaning": group.meaning,
        "axes": {name: list(values) for name, values in group.axes.items()},
        "legal": len(group.legal),
        "hit": group.reached,
        "missing": [group.text(at) for at in group.missing],
        "impossible_yet_hit": [group.text(at) for at in group.impossible],
        "impossible": {group.text(at): why for at, why in group.excluded.items()},
        "not_asked_for": {group.text(at): why for at, why in group.optional.items()},
        "hits": {group.text(at): times for at, times in sorted(group.hits.items(), key=str)},
    }
