"""Is a result right? To the last bit, against NumPy and, where it is installed, torch."""

import importlib.util
import warnings
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from . import parts
from .bag import NO_POOLING
from .lookup import Request
from .result import Result


@dataclass(frozen=True)
class Mismatch:
    """The first value that differs: where it is, and both bit patterns."""

    table: str
    bag: int
    element: int
    got: np.float32
    expected: np.float32
    count: int

    def __str__(self) -> str:
        return (
            f"{self.count} values differ, first {self.table}[{self.bag}, {self.element}]: "
            f"{self.got!s} (0x{self.got.view(np.uint32):08x}) instead of "
            f"{self.expected!s} (0x{self.expected.view(np.uint32):08x})"
        )


@dataclass(frozen=True)
class Comparison:
    """A result compared with one reference.

    Attributes
    ----------
    reference : ``"NumPy"`` or ``"torch"`` with its version, or what else it is
    values : how many were compared
    mismatch : the first difference, or None
    skipped : why nothing was compared, or None
    """

    reference: str
    values: int
    mismatch: Mismatch | str | None
    skipped: str | None = None

    @property
    def bit_exact(self) -> bool:
        """Everything that was compared is equal."""
        return self.mismatch is None


def compare_numpy(result: Result) -> Comparison:
    """Compare every output with the golden reference, NaN included."""
    golden = parts.golden()
    mismatch = None
    for request, output in zip(result.requests, result.outputs, strict=True):
        bag = request.bag
        if bag.mode == NO_POOLING:
            expected = request.table[request.indices]
            mismatch = mismatch or _first(request, output, expected, any_nan=False)
            continue
        with np.errstate(all="ignore"):
            expected = golden.embedding_bag(
                request.table, request.indices, request.offsets, bag.mode,
                weights=request.weights, padding_idx=bag.padding_idx, include_last_offset=True,
                nan=bag.nan, fma=bag.fma,
            )  # fmt: skip
        mismatch = mismatch or _first(request, output, expected, any_nan=False)
    values = sum(output.size for output in result.outputs)
    return Comparison(f"NumPy {np.__version__}", values, mismatch)


def compare_torch(result: Result) -> Comparison:
    """Compare with ``torch.nn.functional.embedding_bag`` where it offers the same operation.

    A NaN equals a NaN, whatever its payload: torch's depends on the processor.
    """
    if importlib.util.find_spec("torch") is None:
        return Comparison("torch", 0, None, "not installed")
    torch = import_module("torch")

    reference = f"torch {torch.__version__}"
    values, mismatch, skipped = 0, None, None
    for request, output in zip(result.requests, result.outputs, strict=True):
        bag = request.bag
        reason = _not_in_torch(request)
        if reason:
            skipped = skipped or reason
            continue
        if bag.mode == NO_POOLING:
            indices, table = _tensor(request.indices.astype(np.int64)), _tensor(request.table)
            expected = torch.nn.functional.embedding(indices, table)
            mismatch = mismatch or _first(request, output, expected.numpy(), any_nan=False)
            values += output.size
            continue
        expected = torch.nn.functional.embedding_bag(
            _tensor(request.indices.astype(np.int64)), _tensor(request.table),
            _tensor(request.offsets.astype(np.int64)), mode=bag.mode,
            per_sample_weights=None if request.weights is None else _tensor(request.weights),
            include_last_offset=True, padding_idx=bag.padding_idx,
        )  # fmt: skip
        mismatch = mismatch or _first(request, output, expected.numpy(), any_nan=True)
        values += output.size
    return Comparison(reference, values, mismatch, None if values else skipped or "no values")


def _not_in_torch(request: Request) -> str | None:
    bag = request.bag
    if not bag.lookups or not bag.dim:
        return "torch has no such empty operation"
    if bag.mode == "max" and bag.nan != "torch":
        return f"torch has no nan={bag.nan!r}"
    if bag.weighted and bag.fma is not None and bag.fma != (bag.padding_idx is None):
        return f"torch does not offer fma={bag.fma}"
    return None


def _tensor(array: np.ndarray):
    torch = import_module("torch")
    # Twice, because the stride of a dimension of size 1 may be anything in NumPy, and torch takes
    # another path, with other roundings, if it is not 1.
    array = array.reshape(-1).reshape(array.shape)
    with warnings.catch_warnings():
        # Arrays that may not be written make a warning; nothing here writes.
        warnings.simplefilter("ignore", UserWarning)
        return torch.from_numpy(array)


def _first(
    request: Request, output: np.ndarray, expected: np.ndarray, *, any_nan: bool
) -> Mismatch | None:
    wrong = output.view(np.uint32) != expected.view(np.uint32)
    if any_nan:
        wrong &= ~(np.isnan(output) & np.isnan(expected))
    if not wrong.any():
        return None
    bag, element = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return Mismatch(
        request.name, int(bag), int(element), output[bag, element], expected[bag, element],
        int(wrong.sum()),
    )  # fmt: skip
