// RUN: promote-accumulator{fiber-lanes=2 max-dim=8}

// The row of %out that an iteration works on moves to a register, stored at the end.
slc.func @sum(%table: memref<32xf32>, %out: memref<4x8xf32, strided<[20, 1], offset: 3>>) {
  slc.loop (%b = 0 to 4 step 1) {
    %base = slc.mul %b, 8 : index
    slc.callback {
      %row = slc.to_val %b : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %dim = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      scf.for %e = %c0 to %dim step %c1 {
        memref.store %zero, %out[%row, %e] : memref<4x8xf32, strided<[20, 1], offset: 3>>
      }
    }
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %base, %e : index
      %x = slc.load %table[%at] : memref<32xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %acc = memref.load %out[%row, %column] : memref<4x8xf32, strided<[20, 1], offset: 3>>
        %sum = arith.addf %acc, %value : f32
        memref.store %sum, %out[%row, %column] : memref<4x8xf32, strided<[20, 1], offset: 3>>
      }
    }
  }
}

// CHECK:       slc.func @sum(%table: memref<32xf32>, %out: memref<4x8xf32, strided<[20, 1], offset: 3>>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %base = slc.mul %b, 8 : index
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.to_val %b : index
// CHECK-NEXT:        %acc_row = slc.row %out[%row] : memref<4x8xf32, strided<[20, 1], offset: 3>> to memref<8xf32>
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %c1 = arith.constant 1 : index
// CHECK-NEXT:        %dim = arith.constant 8 : index
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        scf.for %e = %c0 to %dim step %c1 {
// CHECK-NEXT:          memref.store %zero, %acc_row[%e] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%e_1 = 0 to 8 step 1) {
// CHECK-NEXT:        %at = slc.add %base, %e_1 : index
// CHECK-NEXT:        %x = slc.load %table[%at] : memref<32xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row_1 = slc.to_val %b : index
// CHECK-NEXT:          %acc_row_1 = slc.row %out[%row_1] : memref<4x8xf32, strided<[20, 1], offset: 3>> to memref<8xf32>
// CHECK-NEXT:          %column = slc.to_val %e_1 : index
// CHECK-NEXT:          %value = slc.to_val %x : f32
// CHECK-NEXT:          %acc = memref.load %acc_row_1[%column] : memref<8xf32>
// CHECK-NEXT:          %sum = arith.addf %acc, %value : f32
// CHECK-NEXT:          memref.store %sum, %acc_row_1[%column] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %b_1 = slc.to_val %b : index
// CHECK-NEXT:        %acc_row_2 = slc.row %out[%b_1] : memref<4x8xf32, strided<[20, 1], offset: 3>> to memref<8xf32>
// CHECK-NEXT:        slc.emit %acc_row_2 : memref<8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Cells and loops that store nothing are left alone.
slc.func @cell(%table: memref<32xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    %x = slc.load %table[%b] : memref<32xf32>
    slc.callback {
      %one = arith.constant 1 : i32
      memref.store %one, %count[] : memref<i32>
    }
  }
}

// CHECK:       slc.func @cell(%table: memref<32xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %count = memref.alloca() : memref<i32>
// CHECK-NEXT:      %x = slc.load %table[%b] : memref<32xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %one = arith.constant 1 : i32
// CHECK-NEXT:        memref.store %one, %count[] : memref<i32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: two: %b: slc.loop: callbacks work on 2 arrays (%out, %more), but there is 1 accumulator
slc.func @two(%out: memref<4x8xf32>, %more: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.to_val %b : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %out[%row, %row] : memref<4x8xf32>
      memref.store %zero, %more[%row, %row] : memref<4x8xf32>
    }
  }
}

// -----

// ERROR: kind: %b: slc.loop: %out must be an array of rows of f32, not memref<4xf32>
slc.func @kind(%out: memref<4xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.to_val %b : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %out[%row] : memref<4xf32>
    }
  }
}

// -----

// ERROR: columns: %b: slc.loop: %out must have rows of consecutive elements
slc.func @columns(%out: memref<4x8xf32, strided<[1, 4]>>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.to_val %b : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %out[%row, %row] : memref<4x8xf32, strided<[1, 4]>>
    }
  }
}

// -----

// ERROR: long: %b: slc.loop: a row of %out has 9 elements, but a register holds 8: run tile-columns first
slc.func @long(%out: memref<4x9xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.to_val %b : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %out[%row, %row] : memref<4x9xf32>
    }
  }
}

// -----

// ERROR: scatter: %j: memref.store: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
slc.func @scatter(%idxs: memref<4xindex>, %out: memref<4x8xf32>) {
  slc.loop (%j = 0 to 4 step 1) {
    %i = slc.load %idxs[%j] : memref<4xindex>
    slc.callback {
      %row = slc.to_val %i : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %out[%row, %row] : memref<4x8xf32>
    }
  }
}

// -----

// ERROR: partial: %b: %e: memref.store: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
slc.func @partial(%out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.to_val %b : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %dim = arith.constant 7 : index
      %zero = arith.constant 0.0 : f32
      scf.for %e = %c0 to %dim step %c1 {
        memref.store %zero, %out[%row, %e] : memref<4x8xf32>
      }
    }
  }
}

// -----

// A row of an inner loop, with a constant that goes to the array's address. It is stored at the end
// of that loop's iteration.
slc.func @inner(%out: memref<6x8xf32>) {
  slc.loop (%g = 0 to 2 step 1) {
    %base = slc.mul %g, 2 : index
    slc.loop (%b = 0 to 2 step 1) {
      %sum = slc.add %base, %b : index
      %at = slc.add %sum, 2 : index
      slc.callback {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %row = slc.to_val %at : index
        scf.for %e = %c0 to %c8 step %c1 {
          memref.store %zero, %out[%row, %e] : memref<6x8xf32>
        }
      }
    }
  }
}

// CHECK:       slc.func @inner(%out: memref<6x8xf32>) {
// CHECK-NEXT:    %out_from = memref.subview %out[2, 0] [4, 8] [1, 1] : memref<6x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 16>>
// CHECK-NEXT:    slc.loop (%g = 0 to 2 step 1) {
// CHECK-NEXT:      %base = slc.mul %g, 2 : index
// CHECK-NEXT:      slc.loop (%b = 0 to 2 step 1) {
// CHECK-NEXT:        %sum = slc.add %base, %b : index
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %sum_1 = slc.to_val %sum : index
// CHECK-NEXT:          %acc_row = slc.row %out_from[%sum_1] : memref<4x8xf32, strided<[8, 1], offset: 16>> to memref<8xf32>
// CHECK-NEXT:          %c0 = arith.constant 0 : index
// CHECK-NEXT:          %c1 = arith.constant 1 : index
// CHECK-NEXT:          %c8 = arith.constant 8 : index
// CHECK-NEXT:          %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          scf.for %e = %c0 to %c8 step %c1 {
// CHECK-NEXT:            memref.store %zero, %acc_row[%e] : memref<8xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:          slc.emit %acc_row : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Rows that are loaded may be the same in two iterations: all stays in one fiber lane.
slc.func @loaded(%idx: memref<4xi64>, %out: memref<6x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idx[%b] : memref<4xi64>
      slc.callback {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %row = slc.to_val %i : i64
        %cast = arith.index_cast %row : i64 to index
        scf.for %e = %c0 to %c8 step %c1 {
          memref.store %zero, %out[%cast, %e] : memref<6x8xf32>
        }
      }
  }
}

// CHECK:       slc.func @loaded(%idx: memref<4xi64>, %out: memref<6x8xf32>) {
// CHECK-NEXT:    slc.loop (%lane = 0 to 1 step 1) {
// CHECK-NEXT:      slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:        %i = slc.load %idx[%b] : memref<4xi64>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %c0 = arith.constant 0 : index
// CHECK-NEXT:          %c1 = arith.constant 1 : index
// CHECK-NEXT:          %c8 = arith.constant 8 : index
// CHECK-NEXT:          %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          %row = slc.to_val %i : i64
// CHECK-NEXT:          %cast = arith.index_cast %row : i64 to index
// CHECK-NEXT:          %acc_row = slc.row %out[%cast] : memref<6x8xf32> to memref<8xf32>
// CHECK-NEXT:          scf.for %e = %c0 to %c8 step %c1 {
// CHECK-NEXT:            memref.store %zero, %acc_row[%e] : memref<8xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:          slc.emit %acc_row : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Two nests that write the same rows in different orders.
// ERROR: orders: %c: slc.loop: rows of %out are also written by the nest of %b, maybe on other fiber lanes, so that their order is not known: put the nests into functions of their own
slc.func @orders(%out: memref<6x8xf32>) {
  slc.loop (%b = 0 to 6 step 1) {
      slc.callback {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %row = slc.to_val %b : index
        scf.for %e = %c0 to %c8 step %c1 {
          memref.store %zero, %out[%row, %e] : memref<6x8xf32>
        }
      }
  }
  slc.loop (%c = 0 to 5 step 1) {
    %d = slc.add %c, 1 : index
      slc.callback {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %row = slc.to_val %d : index
        scf.for %e = %c0 to %c8 step %c1 {
          memref.store %zero, %out[%row, %e] : memref<6x8xf32>
        }
      }
  }
}

// -----

// Rows that are counted from the end: the constant is no part of the array's address, as what is
// left would be below 0.
slc.func @backwards(%table: memref<4x8xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %three = slc.const 3 : index
    %row = slc.sub %three, %b : index
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%b, %e] : memref<4x8xf32>
      slc.callback {
        %r = slc.to_val %row : index
        %e_1 = slc.to_val %e : index
        %x_1 = slc.to_val %x : f32
        memref.store %x_1, %out[%r, %e_1] : memref<4x8xf32>
      }
    }
  }
}

// CHECK:       slc.func @backwards
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %three = slc.const 3 : index
// CHECK-NEXT:      %row = slc.sub %three, %b : index
// CHECK:             %acc_row = slc.row %out[%r] : memref<4x8xf32> to memref<8xf32>

// -----

// A nest of one iteration goes on with the row that the one before has left in the register.
slc.func @resumed(%t: memref<3x4xf32>, %out: memref<2x4xf32>) {
  slc.loop (%b = 1 to 2 step 1) {
    slc.loop (%e = 0 to 4 step 1) {
      %x = slc.load %t[%b, %e] : memref<3x4xf32>
      slc.callback {
        %b1 = slc.to_val %b : index
        %e1 = slc.to_val %e : index
        %x1 = slc.to_val %x : f32
        memref.store %x1, %out[%b1, %e1] : memref<2x4xf32>
      }
    }
  }
  slc.loop (%c = 1 to 2 step 1) {
    slc.loop (%f = 0 to 4 step 1) {
      %y = slc.load %t[%c, %f] : memref<3x4xf32>
      slc.callback {
        %c1 = slc.to_val %c : index
        %f1 = slc.to_val %f : index
        %y1 = slc.to_val %y : f32
        %a = memref.load %out[%c1, %f1] : memref<2x4xf32>
        %s = arith.addf %a, %y1 : f32
        memref.store %s, %out[%c1, %f1] : memref<2x4xf32>
      }
    }
  }
}

// CHECK:       slc.func @resumed
// CHECK:         slc.loop (%b = 1 to 2 step 1) {
// CHECK:           slc.emit
// CHECK:         slc.loop (%c = 1 to 2 step 1) resumed {
// CHECK:           slc.emit

// -----

// Not with another row.
// ERROR: other: %c: %f: memref.load: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
slc.func @other(%t: memref<3x4xf32>, %out: memref<2x4xf32>) {
  slc.loop (%b = 0 to 1 step 1) {
    slc.loop (%e = 0 to 4 step 1) {
      %x = slc.load %t[%b, %e] : memref<3x4xf32>
      slc.callback {
        %b1 = slc.to_val %b : index
        %e1 = slc.to_val %e : index
        %x1 = slc.to_val %x : f32
        memref.store %x1, %out[%b1, %e1] : memref<2x4xf32>
      }
    }
  }
  slc.loop (%c = 1 to 2 step 1) {
    slc.loop (%f = 0 to 4 step 1) {
      %y = slc.load %t[%c, %f] : memref<3x4xf32>
      slc.callback {
        %c1 = slc.to_val %c : index
        %f1 = slc.to_val %f : index
        %y1 = slc.to_val %y : f32
        %a = memref.load %out[%c1, %f1] : memref<2x4xf32>
        %s = arith.addf %a, %y1 : f32
        memref.store %s, %out[%c1, %f1] : memref<2x4xf32>
      }
    }
  }
}

// -----

// Not with one that the nest before may not have begun: its list may be empty.
// ERROR: maybe: %c: %f: memref.load: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
slc.func @maybe(%n: memref<2xi64>, %t: memref<3x4xf32>, %out: memref<2x4xf32>) {
  slc.loop (%b = 1 to 2 step 1) {
    %end = slc.load %n[%b] : memref<2xi64>
    slc.loop (%j = 0 to %end step 1) {
      slc.loop (%e = 0 to 4 step 1) {
        %x = slc.load %t[%j, %e] : memref<3x4xf32>
        slc.callback {
          %b1 = slc.to_val %b : index
          %e1 = slc.to_val %e : index
          %x1 = slc.to_val %x : f32
          memref.store %x1, %out[%b1, %e1] : memref<2x4xf32>
        }
      }
    }
  }
  slc.loop (%c = 1 to 2 step 1) {
    slc.loop (%f = 0 to 4 step 1) {
      %y = slc.load %t[%c, %f] : memref<3x4xf32>
      slc.callback {
        %c1 = slc.to_val %c : index
        %f1 = slc.to_val %f : index
        %y1 = slc.to_val %y : f32
        %a = memref.load %out[%c1, %f1] : memref<2x4xf32>
        %s = arith.addf %a, %y1 : f32
        memref.store %s, %out[%c1, %f1] : memref<2x4xf32>
      }
    }
  }
}

// -----

// Nor if it may leave the whole iteration out.
// ERROR: skips: %c: %f: memref.load: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
slc.func @skips(%n: memref<2xi64>, %t: memref<3x4xf32>, %out: memref<2x4xf32>) {
  slc.loop (%b = 1 to 2 step 1) {
    %some = slc.load %n[%b] : memref<2xi64>
    slc.skip %some equal 0 : i64
    slc.loop (%e = 0 to 4 step 1) {
      %x = slc.load %t[%b, %e] : memref<3x4xf32>
      slc.callback {
        %b1 = slc.to_val %b : index
        %e1 = slc.to_val %e : index
        %x1 = slc.to_val %x : f32
        memref.store %x1, %out[%b1, %e1] : memref<2x4xf32>
      }
    }
  }
  slc.loop (%c = 1 to 2 step 1) {
    slc.loop (%f = 0 to 4 step 1) {
      %y = slc.load %t[%c, %f] : memref<3x4xf32>
      slc.callback {
        %c1 = slc.to_val %c : index
        %f1 = slc.to_val %f : index
        %y1 = slc.to_val %y : f32
        %a = memref.load %out[%c1, %f1] : memref<2x4xf32>
        %s = arith.addf %a, %y1 : f32
        memref.store %s, %out[%c1, %f1] : memref<2x4xf32>
      }
    }
  }
}

// -----

// Nor after a mean: the register has the sum.
// ERROR: mean: %c: %f: memref.load: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
slc.func @mean(%n: memref<2xi64>, %t: memref<3x4xf32>, %out: memref<2x4xf32>) {
  slc.loop (%b = 1 to 2 step 1) {
    slc.loop (%e = 0 to 4 step 1) {
      %x = slc.load %t[%b, %e] : memref<3x4xf32>
      slc.callback {
        %b1 = slc.to_val %b : index
        %e1 = slc.to_val %e : index
        %x1 = slc.to_val %x : f32
        %h = arith.constant 2.0 : f32
        %d = arith.divf %x1, %h : f32
        memref.store %d, %out[%b1, %e1] : memref<2x4xf32>
      }
    }
  }
  slc.loop (%c = 1 to 2 step 1) {
    slc.loop (%f = 0 to 4 step 1) {
      %y = slc.load %t[%c, %f] : memref<3x4xf32>
      slc.callback {
        %c1 = slc.to_val %c : index
        %f1 = slc.to_val %f : index
        %y1 = slc.to_val %y : f32
        %a = memref.load %out[%c1, %f1] : memref<2x4xf32>
        %s = arith.addf %a, %y1 : f32
        memref.store %s, %out[%c1, %f1] : memref<2x4xf32>
      }
    }
  }
}
