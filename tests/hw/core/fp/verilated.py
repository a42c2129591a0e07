"""A component under Verilator, driven with arrays."""

import ctypes

import numpy as np
from amaranth.hdl import Shape
from ember.sim.build import build_library
from ember.sim.ports import mangled, ports
from ember.sim.verilog import to_verilog

_HARNESS = """\
#include "Vtop.h"
#include <cstdint>
#include <type_traits>

#define EXPORT extern "C" __attribute__((visibility("default")))

// Ports of up to 64 bits are integers in the model, wider ones arrays of 32-bit words.
template <typename T> static void put(T &port, const uint32_t *row, int words) {
    if constexpr (std::is_integral_v<T>) {
        uint64_t value = words ? row[0] : 0;
        if (words > 1) value |= uint64_t(row[1]) << 32;
        port = T(value);
    } else {
        for (int i = 0; i < words; i++) port[i] = row[i];
    }
}
template <typename T> static void get(const T &port, uint32_t *row, int words) {
    if constexpr (std::is_integral_v<T>) {
        row[0] = uint32_t(port);
        if (words > 1) row[1] = uint32_t(uint64_t(port) >> 32);
    } else {
        for (int i = 0; i < words; i++) row[i] = port[i];
    }
}
static void edge(Vtop &top) {
    top.clk = 1;
    top.eval();
    top.clk = 0;
    top.eval();
}
static void reset(Vtop &top) {
    top.clk = 0;
    top.rst = 1;
    top.eval();
    edge(top);
    top.rst = 0;
}
"""

_RUN = """
EXPORT void run(uint64_t cycles, const uint32_t *in, uint32_t *out) {{
    VerilatedContext context;
    Vtop top{{&context}};
    reset(top);
    for (uint64_t n = 0; n < cycles; n++, in += {in_words}, out += {out_words}) {{
        {puts}
        top.eval();
        {gets}
        edge(top);
    }}
}}
"""

_STREAM = """
EXPORT uint64_t stream(uint64_t count, uint64_t limit, const uint32_t *in, uint32_t *out,
                       uint64_t period, const uint8_t *offer, const uint8_t *take,
                       uint64_t *sent_at, uint64_t *received_at) {{
    VerilatedContext context;
    Vtop top{{&context}};
    reset(top);
    uint64_t sent = 0, received = 0, n = 0;
    bool offered = false, held = false;
    uint32_t before[{o_words}], now[{o_words}];
    for (; n < limit && received < count; n++) {{
        // Once offered, a payload stays until it is taken.
        offered = sent < count && (offered || offer[n % period]);
        top.{i_valid} = offered;
        if (offered) put(top.{i_payload}, in + sent * {i_words}, {i_words});
        top.{o_ready} = take[n % period];
        top.eval();
        // The component must do the same.
        if (top.{o_valid}) get(top.{o_payload}, now, {o_words});
        if (held && !top.{o_valid}) return 0;
        for (int i = 0; held && i < {o_words}; i++)
            if (now[i] != before[i]) return 0;
        held = top.{o_valid} && !top.{o_ready};
        for (int i = 0; held && i < {o_words}; i++) before[i] = now[i];
        if (top.{o_valid} && top.{o_ready}) {{
            for (int i = 0; i < {o_words}; i++) out[received * {o_words} + i] = now[i];
            received_at[received++] = n;
        }}
        if (offered && top.{i_ready}) {{
            sent_at[sent++] = n;
            offered = false;
        }}
        edge(top);
    }}
    return received == count ? n : limit;
}}
"""


def _words(width):
    return (width + 31) // 32


def _build(component, code):
    library = build_library(to_verilog(component), {"harness.cpp": _HARNESS + code})
    return ctypes.CDLL(str(library))


def _pointer(array):
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)


class Pipeline:
    """A free-running component, one row of inputs and one of outputs each cycle.

    Parameters
    ----------
    component : wiring.Component
        Only ports of 1 to 32 bits.
    """

    def __init__(self, component):
        flows = dict(
            ("__".join(map(str, path)), member.flow.name)
            for path, member, _ in component.signature.flatten(component)
        )
        self._inputs = [name for name, flow in flows.items() if flow == "In"]
        self._outputs = [name for name, flow in flows.items() if flow == "Out"]
        code = _RUN.format(
            in_words=len(self._inputs),
            out_words=len(self._outputs),
            puts="\n        ".join(
                f"put(top.{mangled(name)}, in + {n}, 1);" for n, name in enumerate(self._inputs)
            ),
            gets="\n        ".join(
                f"get(top.{mangled(name)}, out + {n}, 1);" for n, name in enumerate(self._outputs)
            ),
        )
        self._library = _build(component, code)

    def run(self, **columns):
        """Drive each input with its column from reset on.

        Returns the outputs by name, sampled before the clock edge that ends the cycle.
        """
        rows = np.ascontiguousarray(
            np.stack([columns[name] for name in self._inputs], axis=1), dtype=np.uint32
        )
        out = np.zeros((len(rows), len(self._outputs)), dtype=np.uint32)
        self._library.run(ctypes.c_uint64(len(rows)), _pointer(rows), _pointer(out))
        return {name: out[:, n] for n, name in enumerate(self._outputs)}


class Stream:
    """A component with a stream ``i`` and a stream ``o``.

    Parameters
    ----------
    component : wiring.Component
    """

    def __init__(self, component):
        widths = {"__".join(path): Shape.cast(shape).width for path, shape in ports(component)}
        self._i_words = _words(widths["i__payload"])
        self._o_words = _words(widths["o__payload"])
        names = {
            f"{s}_{m}": mangled(f"{s}__{m}") for s in "io" for m in ("payload", "valid", "ready")
        }
        code = _STREAM.format(i_words=self._i_words, o_words=self._o_words, **names)
        self._library = _build(component, code)
        self._library.stream.restype = ctypes.c_uint64

    def run(self, rows, limit, offer=(1,), take=(1,)):
        """Send payloads, as rows of 32-bit words, and receive as many.

        A payload is first offered, and taken, only in cycles that the (repeated) patterns allow.
        Returns ``(rows, cycle of each transfer in, cycle of each transfer out)``.
        """
        rows = np.ascontiguousarray(rows, dtype=np.uint32)
        assert rows.shape[1] == self._i_words, rows.shape
        count = len(rows)
        period = len(offer) * len(take)
        offer = np.resize(np.asarray(offer, dtype=np.uint8), period)
        take = np.resize(np.asarray(take, dtype=np.uint8), period)
        out = np.zeros((count, self._o_words), dtype=np.uint32)
        sent = np.zeros(count, dtype=np.uint64)
        received = np.zeros(count, dtype=np.uint64)
        cycles = self._library.stream(
            *(ctypes.c_uint64(count), ctypes.c_uint64(limit), _pointer(rows), _pointer(out)),
            *(ctypes.c_uint64(period), _pointer(offer), _pointer(take)),
            *(_pointer(sent), _pointer(received)),
        )
        assert cycles, "o changed while it waited to be taken"
        assert cycles < limit, f"{count} payloads took more than {limit} cycles"
        return out, sent.astype(np.int64), received.astype(np.int64)
