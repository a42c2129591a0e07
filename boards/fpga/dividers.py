"""Dividers of a clock generator, found by search."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ranges:
    """What a PLL can do.

    Attributes
    ----------
    phase_detector, oscillator : (low, high), in Hz
    inputs, multipliers, outputs : dividers of the input, of what is fed back, and of the output
    output_is_fed_back : and not the oscillator
    """

    phase_detector: tuple[int, int]
    oscillator: tuple[int, int]
    inputs: range
    multipliers: range
    outputs: range
    output_is_fed_back: bool


def dividers(ranges: Ranges, input_hz: int, output_hz: int) -> tuple[int, int, int]:
    """Input divider, multiplier and output divider that make exactly ``output_hz``.

    The input is divided as little as can be, and the oscillator is near the middle of its range.

    Raises
    ------
    ValueError
        There are none.
    """
    low, high = ranges.oscillator
    found = []
    for input_div in ranges.inputs:
        detector = input_hz / input_div
        if not ranges.phase_detector[0] <= detector <= ranges.phase_detector[1]:
            continue
        for output_div in ranges.outputs:
            oscillator = output_hz * output_div
            fed_back = output_hz if ranges.output_is_fed_back else oscillator
            multiplier, rest = divmod(fed_back * input_div, input_hz)
            if low <= oscillator <= high and not rest and multiplier in ranges.multipliers:
                rank = (input_div, abs(oscillator - (low + high) // 2), oscillator)
                found.append((rank, (input_div, multiplier, output_div)))
    if not found:
        raise ValueError(
            f"clock must be one that the PLL makes of {input_hz / 1e6:g} MHz, as 50, 60 or 75 MHz, "
            f"not {output_hz / 1e6:g}"
        )
    return min(found)[1]
