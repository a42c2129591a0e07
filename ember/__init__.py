"""Ember: embedding operations compiled for a decoupled access-execute machine, and run on it.

>>> import numpy as np, ember
>>> table = np.arange(12, dtype=np.float32).reshape(6, 2)
>>> result = ember.embedding_bag(table, [0, 2, 5], [0, 2], mode="sum", engine="functional")
>>> result.output
array([[ 4.,  6.],
       [10., 11.]], dtype=float32)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import (
        EmbeddingBag,
        compile_bag,
        compile_bags,
        embedding,
        embedding_bag,
        embedding_bags,
    )
    from .bag import Bag
    from .batched import split_features
    from .check import compare_numpy, compare_torch
    from .compiled import CompiledBags
    from .errors import InputError, RunError
    from .lookup import Lookup
    from .nest import run_nest
    from .nest_check import compare_interpreter
    from .nest_result import NestResult
    from .options import RunOptions
    from .parts import Config, Csr, Dram, DramStatistics, DramTiming, coo_to_csr, dram_preset
    from .result import Result
    from .trace import write_trace

__all__ = [
    "Bag", "CompiledBags", "Config", "Csr", "Dram", "DramStatistics", "DramTiming", "EmbeddingBag",
    "InputError", "Lookup", "NestResult", "Result", "RunError", "RunOptions", "compare_interpreter",
    "compare_numpy", "compare_torch", "compile_bag", "compile_bags", "coo_to_csr", "dram_preset",
    "embedding", "embedding_bag", "embedding_bags", "run_nest", "split_features", "write_trace",
]  # fmt: skip

__version__ = "0.1.0"

#: Module of each name. They are imported when first used: ``import ember`` itself is quick.
_HOMES = {
    "Bag": "bag", "CompiledBags": "compiled", "Config": "parts", "Csr": "parts", "Dram": "parts",
    "coo_to_csr": "parts",
    "DramStatistics": "parts", "DramTiming": "parts", "EmbeddingBag": "api",
    "InputError": "errors", "Lookup": "lookup", "NestResult": "nest_result", "Result": "result",
    "RunError": "errors", "RunOptions": "options", "compare_interpreter": "nest_check",
    "compare_numpy": "check", "compare_torch": "check", "run_nest": "nest",
    "compile_bag": "api", "compile_bags": "api", "dram_preset": "parts", "embedding": "api",
    "embedding_bag": "api", "embedding_bags": "api", "split_features": "batched",
    "write_trace": "trace",
}  # fmt: skip


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module 'ember' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
