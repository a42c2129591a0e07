"""Tree pseudo-LRU: which way of a set to replace, in ``ways - 1`` bits."""

from amaranth.hdl import Cat, Const, Mux, Value


def victim(bits: Value, ways: int) -> Value:
    """The way that the tree points at, ``log2(ways)`` bits.

    ``bits`` are the tree's nodes, the root first, then level by level. A node is 0 if the way to
    replace is in its lower half.
    """

    def below(node: int, count: int) -> Value:
        if count == 1:
            return Const(0, 0)
        low, high = below(2 * node + 1, count // 2), below(2 * node + 2, count // 2)
        return Cat(Mux(bits[node], high, low)[: len(low)], bits[node])

    return below(0, ways)


def touched(bits: Value, way: Value, ways: int) -> Value:
    """The tree after a use of ``way``: the nodes above it point away from it."""
    levels = ways.bit_length() - 1
    nodes = []
    for level in range(levels):
        direction = way[levels - 1 - level]
        for n in range(1 << level):
            on_path = way[levels - level : levels] == n if level else Const(1)
            nodes.append(Mux(on_path, ~direction, bits[len(nodes)]))
    return Cat(nodes)
