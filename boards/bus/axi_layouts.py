"""Payloads of the AXI channels, but for what is the same in every transfer."""

from amaranth.lib import data

from ...hw.config import Config


def read_address(config: Config, id_width: int) -> data.StructLayout:
    """AR: the line is the address without its bits inside a line."""
    return data.StructLayout({"line": config.line_addr_width, "id": id_width})


def read_data(data_width: int, id_width: int) -> data.StructLayout:
    """R: ``error`` is bit 1 of RRESP, set in SLVERR and DECERR."""
    return data.StructLayout({"data": data_width, "id": id_width, "error": 1})


def write_address(config: Config) -> data.StructLayout:
    """AW: all writes have ID 0."""
    return data.StructLayout({"line": config.line_addr_width})


def write_data(data_width: int) -> data.StructLayout:
    """W: a strobe bit for each byte."""
    return data.StructLayout({"data": data_width, "strobe": data_width // 8, "last": 1})


def write_response() -> data.StructLayout:
    """B: ``error`` is bit 1 of BRESP."""
    return data.StructLayout({"error": 1})
