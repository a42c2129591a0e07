"""Every stream that a block of the machine offers: valid holds its payload until taken."""

from .bench import Bench
from .fifo import QueueInside
from .narrow import narrow
from .streams import find_streams, free_inputs, prove_held


def held(block, name: str, *arguments, queues: tuple[str, ...] = (), steady=(), **config) -> Bench:
    """Prove it of all output streams of the class ``name`` with every input free.

    ``queues`` are local names of queues, or lists of them, behind an output; ``steady`` inputs that
    do not change.
    """
    bench = Bench()
    dut = bench.add(getattr(block, name)(narrow(**config), *arguments))
    if queues:
        inside = bench.inside(dut)
        for local in queues:
            found = getattr(inside, local)
            for queue in found if isinstance(found, list) else [found]:
                QueueInside(bench, queue)
    free_inputs(bench, dut, except_for=steady)
    for port in steady:
        signal = getattr(dut, port)
        bench.m.d.comb += signal.eq(bench.constant(len(signal)))
    outputs = [(path, port) for path, is_input, port in find_streams(dut) if not is_input]
    if not outputs:
        raise ValueError(f"{name} must have an output stream")
    for path, port in outputs:
        prove_held(bench, port, path)
    return bench
