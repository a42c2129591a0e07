"""Criteo display advertising: 26 categorical columns, each with its own table."""

from .coding import Coder, code_bags
from .csvfile import read_columns
from .lookup import Lookup
from .tables import random_table

COLUMNS = tuple(f"C{n}" for n in range(1, 27))


def criteo_lookups(
    path: str, *, coding: str, buckets: int, dim: int, seed: int, **options
) -> list[Lookup]:
    """A lookup per column ``C1`` .. ``C26``, a bag per record: one entry, or none if missing.

    Raises
    ------
    InputError
        See :func:`ember.csvfile.read_columns`.
    """
    lookups = []
    for number, (name, values) in enumerate(read_columns(path, COLUMNS).items()):
        coder = Coder(coding, buckets)
        indices, lengths = code_bags([[value] if value else [] for value in values], coder)
        table = random_table(coder.rows, dim, seed, number)
        lookups.append(Lookup(table, indices, lengths=lengths, name=name, **options))
    return lookups
