"""Area and speed of a design."""

from dataclasses import dataclass

from .targets import Target

#: What a design uses; the unit is that of :attr:`~.targets.Target.capacity`.
RESOURCES = ("lut", "ff", "bram", "dsp")


@dataclass(frozen=True)
class Figures:
    """What a design uses, and its clock.

    Attributes
    ----------
    name : see :func:`~.blocks.blocks`
    lut, ff, bram, dsp : see :attr:`~.targets.Target.capacity`
    fmax_mhz : None where it is not known
    """

    name: str
    lut: int
    ff: int
    bram: int
    dsp: int
    fmax_mhz: float | None

    def used(self) -> dict[str, int]:
        """Resource -> how much of it."""
        return {resource: getattr(self, resource) for resource in RESOURCES}

    def fractions(self, target: Target) -> dict[str, float]:
        """Resource -> part of what the target has."""
        return {name: used / target.capacity[name] for name, used in self.used().items()}

    def excess(self, target: Target) -> dict[str, int]:
        """Resource -> how much more than the target has; only those."""
        return {
            name: used - target.capacity[name]
            for name, used in self.used().items()
            if used > target.capacity[name]
        }

    def misfit(self, target: Target) -> str | None:
        """What is missing, as a sentence; None if the design fits."""
        missing = [
            f"{self.used()[name]} {name}, {more} more than the {target.capacity[name]} there are"
            for name, more in self.excess(target).items()
        ]
        if not missing:
            return None
        return f"{self.name} does not fit {target.name}: it needs {'; '.join(missing)}"
