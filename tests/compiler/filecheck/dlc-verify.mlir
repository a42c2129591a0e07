// RUN:

// Two streams added, a constant row, a store hint: what no bag uses.
dlc.func @legal(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 2 : !dlc.stream<0, index>
    %i = dlc.mem %idxs[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %s = dlc.alu add %i, %b : !dlc.stream<0, index> : !dlc.stream<0, i64> -> !dlc.stream<0, i64>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.push beg of %e, %s : !dlc.stream<1, index>, !dlc.stream<0, i64>
    dlc.token beg of %e, @start : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.literal -0.5 : f32
    dlc.callback @start {
      dlc.pop r3
      dlc.setr r3
      dlc.maxn v1, v0, zero init at_chunk r3 count clear
      dlc.neg v1, one at_element r3
      dlc.sub v1, v0, v1
      dlc.rsub v1, v0, v1
      dlc.min v1, v0, zero init
      dlc.maximum v1, v0, v1
      dlc.minimum v1, v0, v1
      dlc.mul v0, one, literal
      dlc.mov v0, v1 emit last div
      dlc.nop count inc
    }
  }
}

// CHECK:       dlc.func @legal(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
// CHECK-NEXT:    dlc.segment access {
// CHECK-NEXT:      %b = dlc.tu.dense 0 to 8 step 2 : !dlc.stream<0, index>
// CHECK-NEXT:      %i = dlc.mem %idxs[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
// CHECK-NEXT:      %s = dlc.alu add %i, %b : !dlc.stream<0, index> : !dlc.stream<0, i64> -> !dlc.stream<0, i64>
// CHECK-NEXT:      %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
// CHECK-NEXT:      dlc.push beg of %e, %s : !dlc.stream<1, index>, !dlc.stream<0, i64>
// CHECK-NEXT:      dlc.token beg of %e, @start : !dlc.stream<1, index>
// CHECK-NEXT:    } execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.literal -5.000000e-01 : f32
// CHECK-NEXT:      dlc.callback @start {
// CHECK-NEXT:        dlc.pop r3
// CHECK-NEXT:        dlc.setr r3
// CHECK-NEXT:        dlc.maxn v1, v0, zero init at_chunk r3 count clear
// CHECK-NEXT:        dlc.neg v1, one at_element r3
// CHECK-NEXT:        dlc.sub v1, v0, v1
// CHECK-NEXT:        dlc.rsub v1, v0, v1
// CHECK-NEXT:        dlc.min v1, v0, zero init
// CHECK-NEXT:        dlc.maximum v1, v0, v1
// CHECK-NEXT:        dlc.minimum v1, v0, v1
// CHECK-NEXT:        dlc.mul v0, one, literal
// CHECK-NEXT:        dlc.mov v0, v1 emit last div
// CHECK-NEXT:        dlc.nop count inc
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: traversal unit 1 must be of layer 1, not 2
dlc.func @layers(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<2, f32>, !dlc.stream<2, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.segment must have at least 2 traversal units, not 1
dlc.func @few(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<0, f32>, !dlc.stream<0, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: the innermost traversal unit, and no other, must be a row
dlc.func @rowless(%out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %j = dlc.tu.once : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: only 1 loop can be fused, not 2
dlc.func @fused(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 fused : !dlc.stream<0, index>
    %j = dlc.tu.dense 0 to 8 step 1 fused : !dlc.stream<1, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<2, f32>, !dlc.stream<2, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.mem: %b is a stream of layer 0, but layer 1 is needed
dlc.func @skipped(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %j = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<1, index>
    %i = dlc.mem %idxs[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<1, i64>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<2, f32>, !dlc.stream<2, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.mem: the index %i must be the induction variable or a forwarded stream: a layer cannot load from what it has just computed
dlc.func @chained(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %i = dlc.mem %idxs[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %w = dlc.mem %table[%i] : memref<80xf32>, !dlc.stream<0, i64> -> !dlc.stream<0, f32>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.mem_pair: the index must be a loop's with step 1
dlc.func @pair(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 2 : !dlc.stream<0, index>
    %p, %q = dlc.mem_pair %idxs[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>, !dlc.stream<0, i64>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: layer 0 has 2 memory streams that load pairs or skip, but the machine has 1
dlc.func @special(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %i = dlc.mem %idxs[%b] skip 1 : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %j = dlc.mem %idxs[%b] skip 1 : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: layer 0 has 2 integer operations, but the machine has 1
dlc.func @arithmetic(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %i = dlc.alu mul %b by 3 : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %j = dlc.alu shl %b by 3 : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: layer 0 has 4 integers for the next layer, but the machine has 3
dlc.func @slots(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %i = dlc.mem %idxs[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %j = dlc.mem %idxs[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %k = dlc.alu mul %b by 3 : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table[%k : !dlc.stream<0, index>] dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.push beg of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.push beg of %e, %i : !dlc.stream<1, index>, !dlc.stream<0, i64>
    dlc.push end of %e, %j : !dlc.stream<1, index>, !dlc.stream<0, i64>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: row_ite pushes 4 operands, but the machine has 3
dlc.func @operands(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.push ite of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.push ite of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.push ite of %e, %e : !dlc.stream<1, index>, !dlc.stream<1, index>
    dlc.push ite of %e, %x : !dlc.stream<1, index>, !dlc.stream<1, f32>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: row_beg has 2 tokens, but the machine has 1
dlc.func @tokens(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.token beg of %e, @start : !dlc.stream<1, index>
    dlc.token beg of %e, @start : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.seta
    }
  }
}

// -----

// ERROR: dlc.token must name a callback, not @missing
dlc.func @missing(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.token beg of %e, @missing : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.push: %x exists only at row_ite
dlc.func @early(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.push beg of %e, %x : !dlc.stream<1, index>, !dlc.stream<1, f32>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.push: only a row has an ite event, not %b
dlc.func @iteration(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.push ite of %b, %b : !dlc.stream<0, index>, !dlc.stream<0, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.token: %x must be an induction variable
dlc.func @event(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.token beg of %x, @start : !dlc.stream<1, f32>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.seta
    }
  }
}

// -----

// ERROR: dlc.token: the argument must be f32, not index
dlc.func @argument(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.token beg of %e, @start arg %b : !dlc.stream<0, index> : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.seta
    }
  }
}

// -----

// ERROR: dlc.segment must have 1 dlc.rows, not 0
dlc.func @nowhere(%table: memref<80xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.callback @start {
      dlc.seta
    }
  }
}

// -----

// ERROR: step must be 1..65535, not 65536
dlc.func @step(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 65536 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dim must be at least 1, not 0
dlc.func @dim(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 0 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: the second operand of mul must be a literal
dlc.func @product(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %s = dlc.alu mul %b, %b : !dlc.stream<0, index> : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: the literal must be 0..4294967295, not 4294967296
dlc.func @literal(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %s = dlc.alu mul %b by 4294967296 : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: must have a second stream or a literal
dlc.func @operand(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %s = dlc.alu add %b : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: must go to the next layer, 1, not 2
dlc.func @jump(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %f = dlc.fwd %b : !dlc.stream<0, index> -> !dlc.stream<2, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: must keep the type index, not i64
dlc.func @kind(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %f = dlc.fwd %b : !dlc.stream<0, index> -> !dlc.stream<1, i64>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: must hold instructions, not arith.constant
dlc.func @foreign(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      %c = arith.constant 1 : i32
    }
  }
}

// -----

// ERROR: only a whole row can be emitted
dlc.func @part(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.mov v0, v0 at_chunk r0 emit always
    }
  }
}

// -----

// ERROR: div and bump belong to emit
dlc.func @modifiers(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.mov v0, v0 bump
    }
  }
}

// -----

// ERROR: must work on a chunk or on an element, not on both
dlc.func @both(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.mov v0, v0 at_chunk r0 at_element r0
    }
  }
}

// -----

// ERROR: a shift must be 0..63, not 64
dlc.func @shift(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %s = dlc.alu shl %b by 64 : !dlc.stream<0, index> -> !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.segment must have 1 dlc.literal at most, not 2
dlc.func @literals(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.token beg of %e, @start : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.literal 0.5 : f32
    dlc.literal 0.5 : f32
    dlc.callback @start {
      dlc.mul v0, one, literal
    }
  }
}

// -----

// ERROR: dlc.mul: dlc.segment has no dlc.literal
dlc.func @literals(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.token beg of %e, @start : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.callback @start {
      dlc.mul v0, one, literal
    }
  }
}

// -----

// ERROR: must be an f32, not f64
dlc.func @literals(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.token beg of %e, @start : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<8x8xf32>
    dlc.literal 0.5 : f64
    dlc.callback @start {
      dlc.mul v0, one, literal
    }
  }
}

// -----

// ERROR: a segment with a dlc.store must have no other, and no callbacks
dlc.func @stored(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, vector<8xf32>>, !dlc.stream<1, index>
    dlc.store %x, %out[%b : !dlc.stream<0, index>] : !dlc.stream<1, vector<8xf32>>, memref<8x8xf32>
  } execute {
    dlc.rows %out : memref<8x8xf32>
  }
}

// -----

// ERROR: dlc.store: the data must be the vectors of the row
dlc.func @stored(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.store %x, %out[%b : !dlc.stream<0, index>] : !dlc.stream<1, f32>, memref<8x8xf32>
  } execute {
  }
}

// -----

// ERROR: dlc.store: %e is a stream of layer 1, but layer 0 is needed
dlc.func @stored(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, vector<8xf32>>, !dlc.stream<1, index>
    dlc.store %x, %out[%e : !dlc.stream<1, index>] : !dlc.stream<1, vector<8xf32>>, memref<8x8xf32>
  } execute {
  }
}

// -----

// ERROR: dlc.store: %out must have rows of 8 elements
dlc.func @stored(%table: memref<80xf32>, %out: memref<8x9xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 8 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table dim 8 : memref<80xf32> -> !dlc.stream<1, vector<8xf32>>, !dlc.stream<1, index>
    dlc.store %x, %out[%b : !dlc.stream<0, index>] : !dlc.stream<1, vector<8xf32>>, memref<8x9xf32>
  } execute {
  }
}
