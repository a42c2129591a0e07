// RUN: slc-to-dlc{layers=2}

// The sum less the data.
slc.func @difference(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %r = arith.subf %acc, %v : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @difference
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.rsub v0, dataq, v0 at_element r0
// CHECK-NEXT:        }

// -----

// The data less the sum.
slc.func @difference_reversed(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %r = arith.subf %v, %acc : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @difference_reversed
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.sub v0, dataq, v0 at_element r0
// CHECK-NEXT:        }

// -----

// A difference, too.
slc.func @sum_of_a_negation(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %n = arith.negf %v : f32
        %r = arith.addf %n, %acc : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @sum_of_a_negation
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.rsub v0, dataq, v0 at_element r0
// CHECK-NEXT:        }

// -----

// The sign bit is flipped.
slc.func @negation(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %r = arith.negf %v : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @negation
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.neg v0, dataq at_element r0
// CHECK-NEXT:        }

// -----

// That of IEEE 754-2019.
slc.func @minimum(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %r = arith.minimumf %acc, %v : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @minimum
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.minimum v0, dataq, v0 at_element r0
// CHECK-NEXT:        }

// -----

// By comparison: the operands have an order.
slc.func @less(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %r = slc.min %v, %acc : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @less
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.min v0, dataq, v0 at_element r0
// CHECK-NEXT:        }

// -----

// The data has no other way into a register than twice negated.
slc.func @less_reversed(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %r = slc.min %acc, %v : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @less_reversed
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.neg v1, dataq at_element r0
// CHECK-NEXT:        dlc.neg v1, v1 at_element r0
// CHECK-NEXT:        dlc.min v0, v0, v1 at_element r0
// CHECK-NEXT:        }

// -----

// A constant factor.
slc.func @factor(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %r = math.fma %half, %v, %acc : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @factor
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.literal 5.000000e-01 : f32
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.fma v0, dataq, literal, v0 at_element r0
// CHECK-NEXT:        }

// -----

// A product is computed beside the sum.
slc.func @difference_of_a_product(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %p = arith.mulf %v, %half : f32
        %r = arith.subf %acc, %p : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @difference_of_a_product
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.literal 5.000000e-01 : f32
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.mul v1, dataq, literal at_element r0
// CHECK-NEXT:        dlc.rsub v0, v1, v0 at_element r0
// CHECK-NEXT:        }

// -----

// The sum is scaled first.
slc.func @decay(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %p = arith.mulf %acc, %half : f32
        %r = arith.addf %p, %v : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @decay
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.literal 5.000000e-01 : f32
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.mul v1, v0, literal at_element r0
// CHECK-NEXT:        dlc.add v0, dataq, v1 at_element r0
// CHECK-NEXT:        }

// -----

// A constant is added: a factor of 1.0, which one instruction spreads.
slc.func @addend(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %r = arith.addf %v, %half : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @addend
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.literal 5.000000e-01 : f32
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.mul v1, one, literal at_element r0
// CHECK-NEXT:        dlc.add v0, dataq, v1 at_element r0
// CHECK-NEXT:        }

// -----

// To a register in one instruction.
slc.func @addend_of_the_sum(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %r = arith.addf %half, %acc : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @addend_of_the_sum
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.literal 5.000000e-01 : f32
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.fma v0, one, literal, v0 at_element r0
// CHECK-NEXT:        }

// -----

// A longer one, in one register beside the sum.
slc.func @chain(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %zero = arith.constant 0.0 : f32
        %p = arith.mulf %v, %half : f32
        %q = arith.maximumf %zero, %p : f32
        %n = arith.negf %q : f32
        %r = arith.maximumf %acc, %n : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @chain
// CHECK:         execute {
// CHECK-NEXT:      dlc.rows %out : memref<8x8xf32>
// CHECK-NEXT:      dlc.literal 5.000000e-01 : f32
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.mul v1, dataq, literal at_element r0
// CHECK-NEXT:        dlc.maximum v1, v1, zero at_element r0
// CHECK-NEXT:        dlc.neg v1, v1 at_element r0
// CHECK-NEXT:        dlc.maximum v0, v1, v0 at_element r0
// CHECK-NEXT:        }

// -----

// ERROR: two_constants: %b: %e: memref.store: a nest has 1 constant that rows are multiplied by or added to, not both 0.5 and 1.5
slc.func @two_constants(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %more = arith.constant 1.5 : f32
        %p = arith.mulf %v, %half : f32
        %r = arith.addf %p, %more : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: twice: %b: %e: memref.store: the execute unit has no instruction for the stored expression
slc.func @twice(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %p = arith.negf %v : f32
        %r = arith.maximumf %p, %v : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: quotient: %b: %e: memref.store: the execute unit has no instruction for the stored expression: of divisions it has that of a row by the number of its entries, in a mean
slc.func @quotient(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %half = arith.constant 0.5 : f32
        %r = arith.divf %v, %half : f32
        memref.store %r, %row[%column] : memref<8xf32>
      }
    }
  }
}
