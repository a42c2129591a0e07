"""Nests in the dialect ``affine``: what becomes of maps, and what is refused with its line."""

import pytest
from ember.compiler.errors import CompileError
from ember.compiler.source import parse_nests


def nest(body: str) -> str:
    return (
        "func.func @nest(%n: index, %a: memref<9x9xf32>, %i: memref<9xindex>) {\n"
        f"  %z = arith.constant 0.0 : f32\n{body}\n  func.return\n}}\n"
    )


def test_maps_become_sums():
    module = parse_nests(
        nest(
            "  affine.for %b = 1 to 9 step 2 {\n"
            "    %k = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 - 1)>(%b)[%n]\n"
            "    affine.store %z, %a[%k mod 4, %b floordiv 2] : memref<9x9xf32>\n"
            "  }"
        )
    )
    text = str(module)
    assert "affine" not in text and "scf.for %b = " in text
    for operation in ("arith.muli", "arith.addi", "arith.remsi", "arith.floordivsi"):
        assert operation in text


def test_what_is_handed_on_stays():
    module = parse_nests(
        nest(
            "  %s = affine.for %b = 0 to 9 iter_args(%t = %z) -> (f32) {\n"
            "    %x = affine.load %a[%b, 0] : memref<9x9xf32>\n"
            "    %u = arith.addf %t, %x : f32\n"
            "    affine.yield %u : f32\n"
            "  }\n"
            "  affine.store %s, %a[0, 0] : memref<9x9xf32>"
        )
    )
    assert "iter_args(%t = %z) -> (f32)" in str(module)


@pytest.mark.parametrize(
    "body, message",
    [
        (
            "  affine.for %b = 0 to min affine_map<()[s0] -> (s0, 4)>()[%n] {\n  }",
            "a.mlir:3: nest: affine.for: a map must have 1 result here, not 2",
        ),
        (
            "  %m = affine.min affine_map<(d0) -> (d0, 4)> (%n)\n"
            "  affine.store %z, %a[%m, 0] : memref<9x9xf32>",
            "a.mlir:3: nest: affine.min: of affine there are loops, applied maps, loads and stores",
        ),
    ],
)
def test_what_is_refused(body, message):
    with pytest.raises(CompileError) as info:
        parse_nests(nest(body), "a.mlir")
    assert str(info.value) == message
