"""Payloads inside the read cache."""

from amaranth.lib import data

from ..config import Config
from ..layouts import index_width, tag, vector


def sets(config: Config) -> int:
    """Sets of ``cache_ways`` lines."""
    return config.cache_lines // config.cache_ways


def place(config: Config) -> data.StructLayout:
    """Where a line lies. The set is one bit wide even if there is but one."""
    return data.StructLayout(
        {"way": range(config.cache_ways), "set": index_width(sets(config))}
    )


def fetch(config: Config) -> data.StructLayout:
    """What is kept of a line on its way from memory."""
    return data.StructLayout(
        {
            "place": place(config),
            "keep": 1,  # it gets that place; otherwise it only passes by
            "turn": 1,  # of the place, see Directory
        }
    )


def verdict(config: Config) -> data.StructLayout:
    """What is to be done with a request: one of ``hit``, ``wait`` and ``fetch``, or nothing."""
    return data.StructLayout(
        {
            "hit": 1,  # the line is at fetch.place
            "wait": 1,  # it is on its way; ``first`` asked for it
            "get": 1,  # ask the memory for it
            "line": config.line_addr_width,
            "tag": tag(config),
            "nt": 1,
            "first": tag(config),
            "fetch": fetch(config),
        }
    )


def line(config: Config) -> data.StructLayout:
    """What those who wait for a line get. ``known``: the memory was asked for it."""
    return data.StructLayout({"data": vector(config), "error": 1, "known": 1})


def answer(config: Config) -> data.StructLayout:
    """A line for one of those who wait for it."""
    return data.StructLayout({"tag": tag(config), "payload": line(config)})
