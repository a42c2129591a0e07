"""Figures of a synthesis, as text and as JSON."""

#: Columns of the table: resources, then the clock.
_COLUMNS = ("lut", "ff", "bram", "dsp")
_NAME_WIDTH = 14


def heading() -> str:
    """Head of the table."""
    columns = "".join(f"{name:>14}" for name in _COLUMNS)
    return f"{'design':<{_NAME_WIDTH}}{columns}{'fmax MHz':>14}"


def row(figures, target, unknown: str | None = None) -> str:
    """One design: what it uses, and of what part of the target.

    ``unknown`` stands for a clock that nobody knows; without it there is none for lack of space.
    """
    fractions = figures.fractions(target)
    cells = "".join(
        f"{used:>7} {100 * fractions[name]:>5.1f}%" for name, used in figures.used().items()
    )
    none = "does not fit" if figures.excess(target) or unknown is None else unknown
    clock = none if figures.fmax_mhz is None else f"{figures.fmax_mhz:.1f}"
    return f"{figures.name:<{_NAME_WIDTH}}{cells}{clock:>14}"


def slowest(design) -> str:
    """The slowest path of a design, net by net."""
    if not design.path:
        return ""
    lines = [f"slowest path of {design.figures.name}, in ns after the clock's edge:"]
    return "\n".join([*lines, *(f"{time:8.2f}  {net}" for time, net in design.path)])


def errors(estimate) -> str:
    """How far off a prediction may be, and how far this one is where that is known."""
    lines = ["error when each measurement is predicted from the others:"]
    for name, (mean, worst) in estimate.error.items():
        lines.append(
            f"  {name:<9}{100 * mean:>6.1f} % on average, {100 * worst:.1f} % at worst, "
            f"{estimate.samples[name]} measurements"
        )
    for name, error in actual_error(estimate).items():
        value = getattr(estimate.measured, name)
        text = f"{value:.1f}" if isinstance(value, float) else f"{value}"
        lines.append(f"  {name:<9}{text:>8} measured of this configuration: {100 * error:+.1f} %")
    return "\n".join(lines)


def actual_error(estimate) -> dict[str, float]:
    """Figure's name -> relative error of the prediction, where it was measured."""
    if estimate.measured is None:
        return {}
    found = {}
    for name in (*_COLUMNS, "fmax_mhz"):
        measured, predicted = getattr(estimate.measured, name), getattr(estimate.figures, name)
        if measured and predicted is not None:
            found[name] = predicted / measured - 1
    return found


def estimate_as_json(preset, config, target, estimate) -> dict:
    """The report of a prediction, shaped like that of a measurement."""
    return {
        **_figures(estimate.figures),
        **_about(preset, config, target),
        "estimate": True,
        "error": {
            name: {"mean": round(mean, 4), "worst": round(worst, 4)}
            for name, (mean, worst) in estimate.error.items()
        },
        "actual_error": {name: round(e, 4) for name, e in actual_error(estimate).items()},
        "designs": [_design(estimate.figures, target)],
    }


def as_json(preset, config, target, seed, versions, designs) -> dict:
    """The report; the five figures of the whole design, if it is there, stand first."""
    whole = [_figures(d.figures) for d in designs if d.figures.name == "machine"]
    return {
        **(whole[0] if whole else {}),
        **_about(preset, config, target),
        "estimate": False,
        "seed": seed,
        "tools": versions,
        "designs": [
            {
                **_design(design.figures, target),
                "path": [{"ns": time, "net": net} for time, net in design.path],
            }
            for design in designs
        ],
    }


def _about(preset, config, target) -> dict:
    return {
        "preset": preset,
        "config": config.to_dict(),
        "config_hash": config.hash,
        "target": target.name,
        "part": target.part,
        "capacity": target.capacity,
    }


def _design(figures, target) -> dict:
    return {
        "name": figures.name,
        **_figures(figures),
        "fraction": {name: round(part, 4) for name, part in figures.fractions(target).items()},
        "misfit": figures.misfit(target),
    }


def _figures(figures) -> dict:
    clock = figures.fmax_mhz
    return {**figures.used(), "fmax_mhz": None if clock is None else round(clock, 2)}
