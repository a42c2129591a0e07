"""The sparse address space."""

import numpy as np
import pytest
from ember.hw.config import Config
from ember.sim.memory import Memory

CONFIG = Config(lanes=4, addr_width=32)


def message(error):
    return str(error.value)


def test_bytes_outside_every_array_are_zero():
    memory = Memory(CONFIG)
    memory.map(0x104, np.array([1, 2], np.uint32))
    memory.map(0x110, np.array([3], np.uint32))
    assert memory.read_line(0x10).tolist() == [0, 1, 2, 0]
    assert memory.load(0x100, 24).view("<u4").tolist() == [0, 1, 2, 0, 3, 0]
    assert memory.load(0, 8).tolist() == [0] * 8
    assert memory.read_line((1 << 28) - 1).tolist() == [0] * 4


def test_load_sees_the_callers_array():
    memory, array = Memory(CONFIG), np.zeros(64, np.float32)
    base = memory.place(array, writable=True)
    array[5] = 1.0
    assert memory.load(base + 20, 4).view(np.float32)[0] == 1.0
    memory.store(base + 24, np.array([2.0], np.float32))
    assert array[6] == 2.0


def test_place_aligns_and_leaves_a_line_free():
    memory = Memory(CONFIG)
    first = memory.place(np.zeros(5, np.uint8))
    second = memory.place(np.zeros(4, np.uint32), offset=12)
    third = memory.place(np.zeros(4, np.uint32), align=256)
    assert (first, second % 16, third % 256) == (16, 12, 0)
    assert second - (first + 5) >= 16 and third - (second + 16) >= 16


def test_place_aligns_elements_wider_than_a_line():
    memory = Memory(CONFIG.replace(lanes=1))
    assert memory.place(np.zeros(1, np.uint64)) % 8 == 0


def test_place_goes_around_mapped_arrays():
    memory = Memory(CONFIG)
    memory.map(0x30, np.zeros(16, np.uint8))
    assert memory.place(np.zeros(16, np.uint8)) == 0x10
    assert memory.place(np.zeros(16, np.uint8)) == 0x50


def test_empty_arrays_take_no_place():
    memory = Memory(CONFIG)
    assert memory.place(np.zeros(0, np.float32)) > 0
    memory.map(0x100, np.zeros((0, 8)))
    assert memory.segments() == []


def test_write_line_masks_words():
    memory, array = Memory(CONFIG), np.zeros(3, np.uint32)
    memory.map(0x104, array, writable=True)
    memory.write_line(0x10, np.array([9, 1, 2, 3], np.uint32), mask=0b1010)
    assert array.tolist() == [1, 0, 3]
    with pytest.raises(ValueError) as error:
        memory.write_line(0x10, np.zeros(4, np.uint32))
    assert message(error) == "store of 4 bytes at 0x100 must lie in a writable array"


def test_store_to_read_only_array():
    memory = Memory(CONFIG)
    memory.map(0x100, np.zeros(4, np.uint32))
    with pytest.raises(ValueError) as error:
        memory.store(0x104, np.zeros(1, np.uint32))
    assert message(error) == "store of 4 bytes at 0x104 must lie in a writable array"


def test_segments_are_sorted_views():
    memory = Memory(CONFIG)
    high, low = np.arange(4, dtype=np.float32), np.arange(6, dtype=np.int64)
    memory.map(0x1000, high, writable=True)
    memory.map(0x200, low)
    (base0, size0, view0, writable0), (base1, size1, view1, writable1) = memory.segments()
    assert (base0, size0, writable0) == (0x200, 48, False)
    assert (base1, size1, writable1) == (0x1000, 16, True)
    assert view0.dtype == view1.dtype == np.uint8 and view0.ndim == view1.ndim == 1
    assert np.shares_memory(view0, low) and np.shares_memory(view1, high)


def test_overlap():
    memory = Memory(CONFIG)
    memory.map(0x100, np.zeros(16, np.uint8))
    with pytest.raises(ValueError) as error:
        memory.map(0xF8, np.zeros(9, np.uint8))
    assert message(error) == "array at 0xf8..0x101 must not overlap the one at 0x100..0x110"
    memory.map(0xF8, np.zeros(8, np.uint8))


def test_array_beyond_the_address_space():
    memory = Memory(CONFIG)
    with pytest.raises(ValueError) as error:
        memory.map(0xFFFFFFF8, np.zeros(3, np.uint32))
    assert message(error) == (
        "array of 12 bytes at address 0xfffffff8 must end within the address space of 2**32 bytes"
    )


def test_table_that_does_not_fit():
    memory = Memory(CONFIG)
    memory.place(np.zeros(48, np.uint8))
    with pytest.raises(ValueError) as error:
        memory.place(np.zeros((1 << 20, 1 << 10), np.float32), name="table")
    assert message(error) == (
        "table needs 4294967296 bytes, but the address space of 2**32 bytes has 4294967216 left"
    )


def test_array_must_be_contiguous():
    with pytest.raises(ValueError) as error:
        Memory(CONFIG).place(np.zeros((4, 4), np.float32)[:, :2])
    assert message(error) == "array of shape (4, 2) and strides (16, 4) must be C-contiguous"


def test_read_only_array_is_not_writable():
    array = np.zeros(4, np.float32)
    array.flags.writeable = False
    with pytest.raises(ValueError) as error:
        Memory(CONFIG).place(array, writable=True)
    assert message(error) == "array of shape (4,) must be writable to receive stores"


@pytest.mark.parametrize(
    "arguments, text",
    [
        (dict(offset=6), "offset must be a multiple of 4 bytes, not 6"),
        (dict(offset=-4), "offset must be a multiple of 4 bytes, not -4"),
        (dict(align=0), "align must be at least 1 byte, not 0"),
    ],
)
def test_place_arguments(arguments, text):
    with pytest.raises(ValueError) as error:
        Memory(CONFIG).place(np.zeros(4, np.float32), **arguments)
    assert message(error) == text


def test_many_gigabytes_without_a_copy():
    """Row 2**15 of 2**16 columns starts at 8 GiB: the product needs more than 32 bits."""
    config = Config(addr_width=40)
    memory = Memory(config)
    table = np.zeros(((1 << 15) + 1, 1 << 16), np.float32)
    before = memory.place(np.full(8, 7, np.uint32))
    base = memory.place(table)
    after = memory.place(np.full(8, 9, np.uint32))
    table[1 << 15, -1] = 1.5
    assert after > base + table.nbytes > 1 << 33
    last = base + ((1 << 15) << 16) * 4 + 4 * ((1 << 16) - 1)
    assert memory.load(last, 4).view(np.float32)[0] == 1.5
    assert memory.read_line(last // config.line_bytes)[-1] == 0x3FC00000
    assert memory.load(before, 4)[0] == 7 and memory.load(after, 4)[0] == 9
    with pytest.raises(ValueError) as error:
        Memory(config.replace(addr_width=33)).place(table, name="table")
    assert message(error) == (
        "table needs 8590196736 bytes, but the address space of 2**33 bytes has 8589934560 left"
    )
