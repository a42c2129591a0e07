"""Loading program memories in benches of single blocks."""

from amaranth.lib import wiring
from ember.hw import isa
from ember.hw.config import Config
from ember.hw.program import Fields

from .streams import Bench


def load_memory(
    bench: Bench, port: wiring.PureInterface, config: Config, memory: str, entries: list[Fields]
) -> int:
    """Write ``entries`` over a ProgramWrite port; returns the cycle at which that is done."""
    window, layout, _ = isa.windows(config)[memory]
    words = [
        (n, word, layout.encode(entry) >> 32 * word & 0xFFFFFFFF)
        for n, entry in enumerate(entries)
        for word in range(layout.words)
    ]

    async def process(ctx):
        ctx.set(port.window, window)
        for entry, word, value in words:
            ctx.set(port.entry, entry)
            ctx.set(port.word, word)
            ctx.set(port.value, value)
            await ctx.tick()
        ctx.set(port.window, 0)

    bench.process(process)
    return len(words) + 1
