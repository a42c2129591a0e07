// RUN: decouple

// Loads, loops and addresses go to the access unit; the initialization loop, which loads nothing,
// stays in a callback, and so does the load of %out, which is written here.
func.func @bag_sum(%ptrs: memref<5xi32>, %idxs: memref<20xi32>, %table: memref<10x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      memref.store %zero, %out[%b, %e] : memref<4x8xf32>
    }
    %p = memref.load %ptrs[%b] : memref<5xi32>
    %first = arith.index_cast %p : i32 to index
    %next = arith.addi %b, %c1 : index
    %q = memref.load %ptrs[%next] : memref<5xi32>
    %last = arith.index_cast %q : i32 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idxs[%j] : memref<20xi32>
      %row = arith.index_cast %i : i32 to index
      scf.for %e = %c0 to %dim step %c1 {
        %x = memref.load %table[%row, %e] : memref<10x8xf32>
        %acc = memref.load %out[%b, %e] : memref<4x8xf32>
        %sum = arith.addf %acc, %x : f32
        memref.store %sum, %out[%b, %e] : memref<4x8xf32>
      }
    }
  }
  func.return
}

// CHECK:       slc.func @bag_sum(%ptrs: memref<5xi32>, %idxs: memref<20xi32>, %table: memref<10x8xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p = slc.load %ptrs[%b] : memref<5xi32>
// CHECK-NEXT:      %next = slc.add %b, 1 : index
// CHECK-NEXT:      %q = slc.load %ptrs[%next] : memref<5xi32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %dim = arith.constant 8 : index
// CHECK-NEXT:        %c1 = arith.constant 1 : index
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %b_1 = slc.to_val %b : index
// CHECK-NEXT:        scf.for %e = %c0 to %dim step %c1 {
// CHECK-NEXT:          memref.store %zero, %out[%b_1, %e] : memref<4x8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:        %i = slc.load %idxs[%j] : memref<20xi32>
// CHECK-NEXT:        slc.loop (%e_1 = 0 to 8 step 1) {
// CHECK-NEXT:          %x = slc.load %table[%i, %e_1] : memref<10x8xf32>
// CHECK-NEXT:          slc.callback {
// CHECK-NEXT:            %b_2 = slc.to_val %b : index
// CHECK-NEXT:            %e_2 = slc.to_val %e_1 : index
// CHECK-NEXT:            %x_1 = slc.to_val %x : f32
// CHECK-NEXT:            %acc = memref.load %out[%b_2, %e_2] : memref<4x8xf32>
// CHECK-NEXT:            %sum = arith.addf %acc, %x_1 : f32
// CHECK-NEXT:            memref.store %sum, %out[%b_2, %e_2] : memref<4x8xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A condition around the rest of an iteration is a skip; other arithmetic on indices stays.
func.func @condition(%idxs: memref<20xi64>, %table: memref<10xf32>, %out: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  %padding = arith.constant 3 : i64
  scf.for %j = %c0 to %n step %c1 {
    %i = memref.load %idxs[%j] : memref<20xi64>
    %wanted = arith.cmpi ne, %i, %padding : i64
    scf.if %wanted {
      %row = arith.index_cast %i : i64 to index
      %x = memref.load %table[%row] : memref<10xf32>
      %at = arith.addi %j, %c0 : index
      memref.store %x, %out[%at] : memref<20xf32>
    }
  }
  func.return
}

// CHECK:       slc.func @condition(%idxs: memref<20xi64>, %table: memref<10xf32>, %out: memref<20xf32>) {
// CHECK-NEXT:    slc.loop (%j = 0 to 20 step 1) {
// CHECK-NEXT:      %i = slc.load %idxs[%j] : memref<20xi64>
// CHECK-NEXT:      slc.skip %i equal 3 : i64
// CHECK-NEXT:      %x = slc.load %table[%i] : memref<10xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %j_1 = slc.to_val %j : index
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %x_1 = slc.to_val %x : f32
// CHECK-NEXT:        %at = arith.addi %j_1, %c0 : index
// CHECK-NEXT:        memref.store %x_1, %out[%at] : memref<20xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A stream that a callback uses as an index is cast there.
func.func @scatter(%idxs: memref<20xi32>, %table: memref<20xf32>, %out: memref<10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n = arith.constant 10 : index
  scf.for %j = %c0 to %n step %c1 {
    %twice = arith.muli %two, %j : index
    %i = memref.load %idxs[%twice] : memref<20xi32>
    %row = arith.index_cast %i : i32 to index
    %x = memref.load %table[%row] : memref<20xf32>
    memref.store %x, %out[%row] : memref<10xf32>
  }
  func.return
}

// CHECK:       slc.func @scatter(%idxs: memref<20xi32>, %table: memref<20xf32>, %out: memref<10xf32>) {
// CHECK-NEXT:    slc.loop (%j = 0 to 10 step 1) {
// CHECK-NEXT:      %twice = slc.mul %j, 2 : index
// CHECK-NEXT:      %i = slc.load %idxs[%twice] : memref<20xi32>
// CHECK-NEXT:      %x = slc.load %table[%i] : memref<20xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %x_1 = slc.to_val %x : f32
// CHECK-NEXT:        %row = slc.to_val %i : i32
// CHECK-NEXT:        %0 = arith.index_cast %row : i32 to index
// CHECK-NEXT:        memref.store %x_1, %out[%0] : memref<10xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: carried: %b: %j: scf.for: the loop carries %acc in iter_args, and it has no home: the access unit has no state, and what %acc becomes is not stored to an array, in the block of the loop, that nothing uses before that
func.func @carried(%table: memref<4x8xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %sum = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
      %x = memref.load %table[%b, %j] : memref<4x8xf32>
      %next = arith.addf %acc, %x : f32
      scf.yield %next : f32
    }
    memref.store %sum, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// ERROR: written: %b: memref.load: %next is written in this function, so its values cannot be addresses, bounds or conditions of the access unit
func.func @written(%next: memref<4xi64>, %table: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %one = arith.constant 1 : i64
  scf.for %b = %c0 to %n step %c1 {
    %i = memref.load %next[%b] : memref<4xi64>
    %row = arith.index_cast %i : i64 to index
    %x = memref.load %table[%row] : memref<4xf32>
    memref.store %x, %out[%b] : memref<4xf32>
    memref.store %one, %next[%b] : memref<4xi64>
  }
  func.return
}

// -----

// ERROR: division: %b: arith.divui: an address, bound or condition of the access unit needs this value, but the access unit cannot compute it
func.func @division(%table: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n = arith.constant 4 : index
  scf.for %b = %c0 to %n step %c1 {
    %half = arith.divui %b, %two : index
    %x = memref.load %table[%half] : memref<4xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// ERROR: step: %b: scf.for: the step must be a constant of at least 1
func.func @step(%steps: memref<1xindex>, %table: memref<4xf32>, %out: memref<4xf32>, %step: index) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 4 : index
  scf.for %b = %c0 to %n step %step {
    %x = memref.load %table[%b] : memref<4xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// A constant index is a stream that is always the same.
func.func @fixed(%table: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  scf.for %b = %c0 to %n step %c1 {
    %x = memref.load %table[%c0] : memref<4xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}

// CHECK:       slc.func @fixed(%table: memref<4xf32>, %out: memref<4xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %0 = slc.const 0 : index
// CHECK-NEXT:      %x = slc.load %table[%0] : memref<4xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %x_1 = slc.to_val %x : f32
// CHECK-NEXT:        %b_1 = slc.to_val %b : index
// CHECK-NEXT:        memref.store %x_1, %out[%b_1] : memref<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: less: %j: scf.if: a condition around loads must be of the form: value != constant; a comparison of %i with a sign leaves out more than one value
func.func @less(%idxs: memref<20xi64>, %table: memref<10xf32>, %out: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  %limit = arith.constant 3 : i64
  scf.for %j = %c0 to %n step %c1 {
    %i = memref.load %idxs[%j] : memref<20xi64>
    %wanted = arith.cmpi slt, %i, %limit : i64
    scf.if %wanted {
      %row = arith.index_cast %i : i64 to index
      %x = memref.load %table[%row] : memref<10xf32>
      memref.store %x, %out[%j] : memref<20xf32>
    }
  }
  func.return
}

// -----

// ERROR: index: %j: scf.if: a condition around loads must compare a loaded value to a constant
func.func @index(%table: memref<20xf32>, %out: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  scf.for %j = %c0 to %n step %c1 {
    %wanted = arith.cmpi ne, %j, %c1 : index
    scf.if %wanted {
      %x = memref.load %table[%j] : memref<20xf32>
      memref.store %x, %out[%j] : memref<20xf32>
    }
  }
  func.return
}

// -----

// ERROR: otherwise: %j: scf.if: a condition around loads must not have an else branch: the access unit leaves iterations out, and does nothing else instead. Only one branch may load, and it must store to all that the other one stores to before it looks at it
func.func @otherwise(%idxs: memref<20xi64>, %table: memref<10xf32>, %out: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  %padding = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f32
  scf.for %j = %c0 to %n step %c1 {
    %i = memref.load %idxs[%j] : memref<20xi64>
    %wanted = arith.cmpi ne, %i, %padding : i64
    scf.if %wanted {
      %row = arith.index_cast %i : i64 to index
      %x = memref.load %table[%row] : memref<10xf32>
      memref.store %x, %out[%j] : memref<20xf32>
    } else {
      memref.store %zero, %out[%j] : memref<20xf32>
    }
  }
  func.return
}

// -----

// A condition around a part of what an iteration does: that is a loop of one iteration.
func.func @rest(%idxs: memref<20xi64>, %table: memref<10xf32>, %out: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  %padding = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f32
  scf.for %j = %c0 to %n step %c1 {
    memref.store %zero, %out[%j] : memref<20xf32>
    %i = memref.load %idxs[%j] : memref<20xi64>
    %wanted = arith.cmpi ne, %i, %padding : i64
    scf.if %wanted {
      %row = arith.index_cast %i : i64 to index
      %x = memref.load %table[%row] : memref<10xf32>
      memref.store %x, %out[%j] : memref<20xf32>
    }
  }
  func.return
}

// CHECK:       slc.func @rest(%idxs: memref<20xi64>, %table: memref<10xf32>, %out: memref<20xf32>) {
// CHECK-NEXT:    slc.loop (%j = 0 to 20 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %j_1 = slc.to_val %j : index
// CHECK-NEXT:        memref.store %zero, %out[%j_1] : memref<20xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%once = 0 to 1 step 1) {
// CHECK-NEXT:        %i = slc.load %idxs[%j] : memref<20xi64>
// CHECK-NEXT:        slc.skip %i equal 3 : i64
// CHECK-NEXT:        %x = slc.load %table[%i] : memref<10xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %x_1 = slc.to_val %x : f32
// CHECK-NEXT:          %j_2 = slc.to_val %j : index
// CHECK-NEXT:          memref.store %x_1, %out[%j_2] : memref<20xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: crossing: %b: %j: memref.store: %twice is computed in another callback; callbacks share only memory: keep it in a memref cell
func.func @crossing(%scale: memref<4xf32>, %table: memref<4x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  scf.for %b = %c0 to %n step %c1 {
    %s = memref.load %scale[%b] : memref<4xf32>
    %twice = arith.addf %s, %s : f32
    scf.for %j = %c0 to %n step %c1 {
      %x = memref.load %table[%b, %j] : memref<4x8xf32>
      memref.store %twice, %out[%b, %j] : memref<4x8xf32>
    }
  }
  func.return
}

// -----

// A declaration is left alone.
func.func private @declared(%table: memref<9xf32>)

// CHECK:       func.func private @declared

// -----

// ERROR: wide: %b: memref.load: the access unit loads integers and f32, not f64: narrow-f64 makes f32 of it
func.func @wide(%table: memref<9xf64>, %out: memref<9xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %b = %c0 to %c9 step %c1 {
    %x = memref.load %table[%b] : memref<9xf64>
    memref.store %x, %out[%b] : memref<9xf64>
  }
  func.return
}

// -----

// An assertion of a loaded value becomes a check: below 2^31, without a sign, is at least 0 with one.
func.func @asserted(%idx: memref<4xi32>, %table: memref<8xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %none = arith.constant -1 : i32
  %some = arith.constant 5 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi32>
    %above = arith.cmpi slt, %none, %i : i32
    %below = arith.cmpi ult, %i, %some : i32
    %both = arith.andi %above, %below : i1
    cf.assert %both, "no index"
    %r = arith.index_cast %i : i32 to index
    %q = arith.addi %r, %c3 : index
    %x = memref.load %table[%q] : memref<8xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}

// CHECK:       slc.func @asserted
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<4xi32>
// CHECK-NEXT:      slc.check %i below 2147483648 : i32
// CHECK-NEXT:      slc.check %i below 5 : i32
// CHECK-NEXT:      %q = slc.add %i, 3 : i32
// CHECK-NEXT:      %x = slc.load %table[%q] : memref<8xf32>
// CHECK-NEXT:      slc.callback {

// -----

// ERROR: signed: %b: slc.load: %q may be in range where %i is below 0, but the access unit takes no loaded value below 0: assert that %i is at least 0 (cf.assert)
func.func @signed(%idx: memref<4xi32>, %table: memref<8xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi32>
    %r = arith.index_cast %i : i32 to index
    %q = arith.addi %r, %c3 : index
    %x = memref.load %table[%q] : memref<8xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// The index is also one without the constant, which it can only be from 0 on.
func.func @used(%idx: memref<4xi32>, %table: memref<8xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi32>
    %r = arith.index_cast %i : i32 to index
    %q = arith.addi %r, %c3 : index
    %x = memref.load %table[%q] : memref<8xf32>
    %y = memref.load %table[%r] : memref<8xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %out[%b] : memref<4xf32>
  }
  func.return
}

// CHECK:       slc.func @used

// -----

// ERROR: assertion: %b: cf.assert: an assertion must say that a loaded value is at least 0, or below a constant without a sign: value >= 0 or value < constant
func.func @assertion(%idx: memref<4xi32>, %table: memref<8xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi32>
    %good = arith.cmpi sge, %i, %one : i32
    cf.assert %good, "no index"
    %r = arith.index_cast %i : i32 to index
    %x = memref.load %table[%r] : memref<8xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// ERROR: variable: %b: cf.assert: %b must be a loaded value
func.func @variable(%table: memref<8xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %good = arith.cmpi sge, %b, %c0 : index
    cf.assert %good, "no index"
    %x = memref.load %table[%b] : memref<8xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// Below a constant with a sign, where another assertion says that it is at least 0.
func.func @both_signs(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i64
  %n9 = arith.constant 9 : i64
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %below = arith.cmpi slt, %i, %n9 : i64
    cf.assert %below, "too large"
    %above = arith.cmpi sge, %i, %n0 : i64
    cf.assert %above, "below 0"
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       slc.func @both_signs
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<4xi64>
// CHECK-NEXT:      slc.check %i below 9 : i64
// CHECK-NEXT:      slc.check %i below 9223372036854775807 : i64
// CHECK-NEXT:      slc.loop (%e = 0 to 4 step 1) {
