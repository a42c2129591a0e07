"""What all boards have: a serial line and lamps."""

from typing import Any

from amaranth.lib import io

from .system import System

_IN, _OUT = io.Direction.Input, io.Direction.Output


def serial_line(m, platform: Any, system: System) -> None:
    """The serial line of the board's USB socket; what else the line has stays open."""
    uart = platform.request("uart", 0, dir={"rx": "-", "tx": "-"} | _others(platform))
    m.submodules.rx = rx = io.Buffer(_IN, uart.rx)
    m.submodules.tx = tx = io.Buffer(_OUT, uart.tx)
    m.d.comb += [system.rx.eq(rx.i), tx.o.eq(system.tx)]


def lamps(m, platform: Any, system: System, count: int) -> None:
    """LEDs 0 .. ``count`` - 1: those of the system, and the others dark.

    Where there are LEDs of three colors alone, the green ones.
    """
    for n in range(count):
        m.submodules[f"led{n}"] = led = io.Buffer(_OUT, _lamp(platform, n))
        m.d.comb += led.o.eq(system.leds[n] if n < len(system.leds) else 0)


def _lamp(platform: Any, number: int):
    if ("led", number) in platform.resources:
        return platform.request("led", number, dir="-")
    colors = platform.request("rgb_led", number, dir={"r": "-", "g": "-", "b": "-"})
    return colors.g


def _others(platform: Any) -> dict[str, str]:
    """Handshake lines, where the board's serial line has some."""
    resource = platform.lookup("uart", 0)
    return {signal.name: "-" for signal in resource.ios if signal.name not in ("rx", "tx")}
