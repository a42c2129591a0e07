"""MovieLens ratings: the genres of a film are a multi-hot field."""

from .coding import Coder, code_bags
from .csvfile import read_columns
from .lookup import Lookup
from .tables import random_table


def movielens_lookups(
    path: str, *, coding: str, buckets: int, dim: int, seed: int, **options
) -> list[Lookup]:
    """One lookup: a bag per record, of the genres that ``|`` separates in column ``genres``.

    Raises
    ------
    InputError
        See :func:`ember.csvfile.read_columns`.
    """
    fields = read_columns(path, ["genres"])["genres"]
    bags = [[name for name in field.split("|") if name] for field in fields]
    coder = Coder(coding, buckets)
    indices, lengths = code_bags(bags, coder)
    table = random_table(coder.rows, dim, seed)
    return [Lookup(table, indices, lengths=lengths, name="genres", **options)]
