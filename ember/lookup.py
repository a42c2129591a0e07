"""What a caller asks for: the lookups in one table, not yet checked."""

from dataclasses import dataclass

import numpy as np

from .bag import Bag


@dataclass(frozen=True, eq=False)
class Lookup:
    """One embedding-bag operation on arrays; several can be run together.

    Nothing is checked here: :func:`ember.validate.check_lookup` does, whenever one is run.

    Attributes
    ----------
    table : float32 [rows, dim]
    indices : int32 or int64, [lookups] with ``offsets`` or ``lengths``, or [bags, L] without
    offsets : int32 or int64 [bags], or [bags + 1] with ``include_last_offset``
    lengths : int32 or int64 [bags], entries of each bag; instead of ``offsets``
    per_sample_weights : float32, one per index, mode ``"sum"`` only
    mode : ``"sum"``, ``"mean"`` or ``"max"``; ``"none"``: no pooling, a row for each index, without
        offsets, lengths, weights and padding
    padding_idx : entries with this index are skipped; negative values count from the end
    include_last_offset : ``offsets`` ends with the number of indices
    nan : what max does with NaN, ``"torch"`` or ``"propagate"``
    fma : weighted sums round once (True) or twice (False); None does what torch does
    max_norm : must be None
    name : of the table, for messages and reports; None is ``table`` or ``table<n>``
    first_position : position of ``indices[0]`` in the array that a user knows, for messages
    """

    table: object
    indices: object
    offsets: object = None
    lengths: object = None
    per_sample_weights: object = None
    mode: str = "mean"
    padding_idx: int | None = None
    include_last_offset: bool = False
    nan: str = "torch"
    fma: bool | None = None
    max_norm: float | None = None
    name: str | None = None
    first_position: int = 0


@dataclass(frozen=True, eq=False)
class Request:
    """A lookup that was checked, in the form that is compiled and run.

    Attributes
    ----------
    bag : the shape
    table : float32 [rows, dim]
    indices : int32 or int64 [lookups]
    offsets : int32 or int64 [bags + 1], first 0, last ``lookups``; empty with mode ``"none"``
    weights : float32 [lookups], or None
    columns : L if the indices came as a [bags, L] array, else None; for messages
    first_position : see :class:`Lookup`
    output_shape : of :attr:`ember.Result.output`, if it is not [bags, dim]
    """

    bag: Bag
    table: np.ndarray
    indices: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray | None
    columns: int | None = None
    first_position: int = 0
    output_shape: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """Name of the table."""
        return self.bag.name

    @property
    def counted(self) -> np.ndarray:
        """bool [lookups]: which entries are not padding."""
        if self.bag.padding_idx is None:
            return np.ones(self.indices.shape, bool)
        return self.indices != self.bag.padding_idx
