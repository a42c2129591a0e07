"""The processor that code is made for, as LLVM sees it."""

import functools
from dataclasses import dataclass

from llvmlite import binding

#: Feature -> floats in a vector register; the first one that the processor has counts.
_WIDTHS = (("avx512f", 16), ("avx", 8))
_NARROW = 4  # SSE2, NEON


@dataclass(frozen=True)
class Host:
    """What the text and the machine code depend on.

    Attributes
    ----------
    triple : target triple, ``x86_64-unknown-linux-gnu``
    layout : LLVM's data layout string
    cpu : LLVM's name of the processor
    features : as LLVM takes them, ``+avx,+avx2,-avx512f..``
    lanes : floats in a vector register
    """

    triple: str
    layout: str
    cpu: str
    features: str
    lanes: int


@functools.cache
def host() -> Host:
    """The processor that this process runs on."""
    features = binding.get_host_cpu_features()
    lanes = next((width for name, width in _WIDTHS if features.get(name)), _NARROW)
    triple, cpu, flags = (
        binding.get_process_triple(), binding.get_host_cpu_name(), features.flatten(),
    )  # fmt: skip
    layout = str(target_machine(triple, cpu, flags).target_data)
    return Host(triple, layout, cpu, flags, lanes)


def target_machine(triple: str, cpu: str, features: str) -> binding.TargetMachine:
    """LLVM's code generator."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=3, jit=True)
