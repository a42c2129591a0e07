"""A caller's arrays and integers, checked against what a nest takes and laid out as it says."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays import as_array, check_size
from .bag import integer
from .errors import InputError
from .parts import Config
from .strided import extent, laid_out


def check_arguments(
    values: Mapping[str, object], signature: list[Any], function: str, config: Config
) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Arrays and integers of a nest, in the order of its function.

    Arrays have the strides of the function's types; they are the caller's own where those do.

    Parameters
    ----------
    values : arguments by name
    signature : :class:`ember.compiler.signature.Argument` each
    function : its name, for messages
    config : of the machine, whose address space bounds the arrays

    Raises
    ------
    TypeError, ValueError
        An argument is missing, unknown, or of a wrong type, shape or value.
    """
    if not isinstance(values, Mapping):
        raise TypeError(
            f"arrays must be a dictionary of arguments by name, not {type(values).__name__}"
        )
    names = ", ".join(argument.name for argument in signature) or "no arguments"
    for name in values:
        if name not in [argument.name for argument in signature]:
            raise ValueError(f"arrays must be of {names}, which {function!r} takes, not {name!r}")
    arrays, integers = {}, {}
    for argument in signature:
        if argument.name not in values:
            raise ValueError(
                f"arrays must have {argument.name!r} ({argument.type}), which {function!r} takes"
            )
        value = values[argument.name]
        if argument.shape is None:
            integers[argument.name] = _integer(value, argument)
        else:
            arrays[argument.name] = _array(value, argument, config)
    return arrays, integers


def _integer(value: object, argument: Any) -> int:
    if isinstance(value, np.ndarray):
        if value.ndim or value.dtype.kind not in "iu":
            raise TypeError(
                f"{argument.name} must be an integer, not an array of {value.dtype} "
                f"(shape {value.shape})"
            )
        value = int(value)  # as archives hold them
    number = integer(value, argument.name)
    if argument.dtype == "bool":
        low, high = 0, 1
    else:
        limits = np.iinfo(argument.dtype)
        low, high = int(limits.min), int(limits.max)
    if not low <= number <= high:
        raise ValueError(f"{argument.name} ({argument.type}) must be {low}..{high}, not {number}")
    return number


def _array(value: object, argument: Any, config: Config) -> np.ndarray:
    name, shape = argument.name, argument.shape
    from_list = None if argument.dtype == "bool" else argument.dtype
    array = as_array(
        value, name, (argument.dtype,), (len(shape),), from_list=from_list, config=config,
        name=f"array {name!r}",
    )  # fmt: skip
    if any(wanted not in (None, size) for wanted, size in zip(shape, array.shape, strict=True)):
        found = " x ".join(map(str, array.shape))
        raise ValueError(f"{name} must have the shape of {argument.type}, not {found}")
    if argument.strides is not None:
        return _strided(array, argument, config)
    # Twice, because the stride of a dimension of size 1 may be anything in NumPy.
    return array.reshape(-1).reshape(array.shape)


def _strided(array: np.ndarray, argument: Any, config: Config) -> np.ndarray:
    dense = [int(np.prod(array.shape[n + 1 :])) for n in range(array.ndim)]
    strides = [d if s is None else s for s, d in zip(argument.strides, dense, strict=True)]
    try:
        size = extent(array.shape, strides)
    except ValueError as error:
        raise InputError(f"{argument.name} is of type {argument.type}, whose {error}") from None
    check_size(size * array.itemsize, config, f"array {argument.name!r}")
    return laid_out(array, strides)
