"""Where arrays are put: without a copy, once each, within the address space."""

import numpy as np
import pytest

import ember
from ember.placement import place
from ember.validate import check_lookups


def test_shared_tables_are_placed_once(rows4, tiny):
    lookups = [ember.Lookup(rows4, [n], [0], name=f"t{n}") for n in range(3)]
    addresses = place(check_lookups(lookups), tiny).addresses
    assert len({addresses[f"t{n}", "table"] for n in range(3)}) == 1
    assert len({addresses[f"t{n}", "out"] for n in range(3)}) == 3


def test_nothing_is_copied(rows4, tiny):
    memory = place(check_lookups([ember.Lookup(rows4, [0], [0])]), tiny).memory
    pointers = [array.ctypes.data for _, _, array, _ in memory.segments()]  # type: ignore[attr-defined]
    assert rows4.ctypes.data in pointers


def test_a_table_larger_than_the_address_space(tiny):
    # Reserved, never touched.
    table = np.zeros((262144, 8960), np.float32)
    with pytest.raises(ValueError) as error:
        place(check_lookups([ember.Lookup(table, [0], [0], name="big")]), tiny)
    assert str(error.value).startswith(
        f"table 'big' needs {table.nbytes} bytes, but the address space of 2**32 bytes"
    )


def test_outputs_are_nan_until_they_are_written(rows4, tiny):
    (output,) = place(check_lookups([ember.Lookup(rows4, [0], [0])]), tiny).outputs
    assert np.isnan(output).all()
