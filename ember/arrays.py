"""Whatever a caller passes as an array, as a NumPy array of an allowed type; never changed."""

import numpy as np

INTEGERS = ("int32", "int64")
FLOATS = ("float32",)


def as_array(
    value: object,
    argument: str,
    dtypes: tuple[str, ...],
    ranks: tuple[int, ...],
    *,
    from_list: str | None = None,
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

    Raises
    ------
    TypeError
        Not an array, or not of an allowed element type.
    ValueError
        Not of an allowed rank; a ragged list.
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
    return np.require(array, requirements=["C", "A"])


def _from_list(
    value: list | tuple, argument: str, dtypes: tuple[str, ...], dtype: str
) -> np.ndarray:
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError(f"{argument} must be rectangular, not a ragged list") from None
    if array.size == 0:
        return array.astype(dtype)
    # Integers are fine where floats are wanted; bool is an int to Python but not to us.
    allowed = "iu" if np.dtype(dtype).kind == "i" else "iuf"
    if array.dtype.kind not in allowed:
        raise TypeError(f"{argument} must hold {_either(dtypes)}, not {array.dtype.name}")
    if array.dtype == np.uint64:
        raise ValueError(f"{argument} must fit {_either(dtypes)}, not {array.max()}")
    return array.astype(dtype)


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
