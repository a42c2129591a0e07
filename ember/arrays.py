"""Whatever a caller passes as an array, as a NumPy array of an allowed type; never changed."""

from collections.abc import Iterator

import numpy as np

from .errors import InputError
from .parts import Config

INTEGERS = ("int32", "int64")
FLOATS = ("float32",)


def as_array(
    value: object,
    argument: str,
    dtypes: tuple[str, ...],
    ranks: tuple[int, ...],
    *,
    from_list: str | None = None,
    config: Config | None = None,
    name: str | None = None,
) -> np.ndarray:
    """A C-contiguous, aligned array with the values of ``value``.

    NumPy arrays, torch tensors and whatever offers NumPy's array protocol are taken without a copy
    where their layout allows it.

    Parameters
    ----------
    argument : name of the argument, for messages
    dtypes : allowed element types
    ranks : allowed numbers of dimensions
    from_list : element type of a list or tuple of numbers; None refuses those
    config : refuse, before a copy is made, what does not fit this machine's address space
    name : what the message about that calls the array; default: ``argument``

    Raises
    ------
    TypeError
        Not an array, or not of an allowed element type.
    ValueError
        Not of an allowed rank; a ragged list; a number that the element type does not hold; too
        large for the machine.
    """
    if isinstance(value, list | tuple):
        if from_list is None:
            raise TypeError(f"{argument} must be an array of {_either(dtypes)}, not a list")
        array = _from_list(value, argument, dtypes, from_list)
    elif hasattr(value, "detach") and hasattr(value, "numpy"):
        array = _from_tensor(value, argument, dtypes)
    elif isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{argument} must be a plain array, not a masked one: the mask would be lost"
        )
    elif isinstance(value, np.ndarray) or hasattr(value, "__array__"):
        array = np.asarray(value)
    else:
        raise TypeError(
            f"{argument} must be an array of {_either(dtypes)}, not {type(value).__name__}"
        )
    _check_dtype(array.dtype.name if array.dtype.isnative else array.dtype.str, argument, dtypes)
    if array.ndim not in ranks:
        allowed = " or ".join(f"{rank}-D" for rank in ranks)
        raise ValueError(f"{argument} must be {allowed}, not {array.ndim}-D (shape {array.shape})")
    if config is not None:
        # A view can be far larger than what it shows.
        check_size(array.nbytes, config, name or argument)
    return np.require(array, requirements=["C", "A"])


def check_size(size: int, config: Config, name: str, address: int | None = None) -> int:
    """Refuse ``size`` bytes that do not fit at ``address`` (default: the first that is used).

    Returns the first address behind them, with the line that stays free; the rule and the message
    are those of :meth:`ember.sim.memory.Memory.place`.

    Raises
    ------
    InputError
        They do not fit.
    """
    line, space = config.line_bytes, 1 << config.addr_width
    address = line if address is None else -(-address // line) * line
    if size > space - address:
        raise InputError(
            f"{name} needs {size} bytes, but the address space of 2**{config.addr_width} bytes "
            f"has {max(0, space - address)} left"
        )
    return address + size + line


def _from_list(
    value: list | tuple, argument: str, dtypes: tuple[str, ...], dtype: str
) -> np.ndarray:
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError(f"{argument} must be rectangular, not a ragged list") from None
    if array.size == 0:
        return array.astype(dtype)
    _check_numbers(value, array, argument, dtypes, dtype)
    # Integers are fine where floats are wanted; bool is an int to Python but not to us.
    allowed = "iu" if np.dtype(dtype).kind == "i" else "iuf"
    if array.dtype.kind not in allowed:
        raise TypeError(f"{argument} must hold {_either(dtypes)}, not {array.dtype.name}")
    return array.astype(dtype)


def _check_numbers(
    value: object, array: np.ndarray, argument: str, dtypes: tuple[str, ...], dtype: str
) -> None:
    """Refuse the first number of a list that ``dtype`` does not hold."""
    kind = array.dtype.kind
    if np.dtype(dtype).kind == "i":
        # Larger integers make the array unsigned, floating-point or one of objects.
        limits = np.iinfo(dtype)
        fine = kind == "i" and limits.min <= array.min() and array.max() <= limits.max
    else:
        limits, fine = np.finfo(dtype), kind in "iu" or kind == "f" and _holds(array, dtype)
    if fine:
        return
    for position, number in _numbers(value):
        if isinstance(number, bool):
            raise TypeError(f"{argument} must hold {_either(dtypes)}, not bool")
        if not isinstance(number, int | float | np.number):
            return  # a matter of type, which the caller knows
        if not _holds(number, dtype):
            place = ", ".join(map(str, position))
            raise ValueError(
                f"{argument}[{place}] is {number}, but {dtype} holds only "
                f"{limits.min}..{limits.max}"
            )


def _holds(numbers, dtype: str) -> bool:
    """Whether each is in the range of ``dtype``; a float is rounded, and may be infinite or NaN."""
    if np.dtype(dtype).kind == "i":
        limits = np.iinfo(dtype)
        return not isinstance(numbers, int | np.integer) or (
            int(limits.min) <= int(numbers) <= int(limits.max)
        )
    try:
        wide = np.asarray(numbers, np.float64)
    except OverflowError:
        return False
    with np.errstate(over="ignore"):
        return not (np.isfinite(wide) & np.isinf(wide.astype(dtype))).any()


def _numbers(value: object, position: tuple[int, ...] = ()) -> Iterator[tuple[tuple, object]]:
    """Position and value of each element of nested lists."""
    if isinstance(value, list | tuple | np.ndarray):
        for n, part in enumerate(value):
            yield from _numbers(part, (*position, n))
    else:
        yield position, value


def _from_tensor(value, argument: str, dtypes: tuple[str, ...]) -> np.ndarray:
    # The type is checked first: NumPy has no bfloat16, and torch's own message is no help.
    _check_dtype(str(value.dtype).removeprefix("torch."), argument, dtypes)
    try:
        return value.detach().cpu().numpy()
    except (TypeError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise TypeError(f"{argument} must be a dense tensor: {first}") from None


def _check_dtype(name: str, argument: str, dtypes: tuple[str, ...]) -> None:
    if name not in dtypes:
        hint = ""
        if argument == "table" and name in ("float16", "bfloat16", "float64"):
            hint = " (other table types are not supported yet; convert it if that is what you want)"
        raise TypeError(f"{argument} must be {_either(dtypes)}, not {name}{hint}")


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(names)
