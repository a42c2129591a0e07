// RUN: innermost-elements

// What does not depend on the element is done once; what does, in loops over elements inside.
func.func @sum(%idx: memref<8xi64>, %w: memref<8xf32>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %n = memref.alloca() : memref<i32>
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
      memref.store %n0, %n[] : memref<i32>
      scf.for %j = %c0 to %c4 step %c1 {
        %i = memref.load %idx[%j] : memref<8xi64>
        %r = arith.index_cast %i : i64 to index
        %v = memref.load %w[%j] : memref<8xf32>
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %k = memref.load %n[] : memref<i32>
        %m = arith.addi %k, %n1 : i32
        %a = memref.load %out[%b, %e] : memref<4x4xf32>
        %s = math.fma %x, %v, %a : f32
        memref.store %s, %out[%b, %e] : memref<4x4xf32>
        memref.store %m, %n[] : memref<i32>
      }
      %k2 = memref.load %n[] : memref<i32>
      %d = arith.uitofp %k2 : i32 to f32
      %a2 = memref.load %out[%b, %e] : memref<4x4xf32>
      %q = arith.divf %a2, %d : f32
      memref.store %q, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @sum
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %n = memref.alloca() : memref<i32>
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %n0, %n[] : memref<i32>
// CHECK-NEXT:      scf.for %j = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %i = memref.load %idx[%j] : memref<8xi64>
// CHECK-NEXT:        %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:        %v = memref.load %w[%j] : memref<8xf32>
// CHECK-NEXT:        scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
// CHECK-NEXT:          %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
// CHECK-NEXT:          %s = math.fma %x, %v, %a : f32
// CHECK-NEXT:          memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %k = memref.load %n[] : memref<i32>
// CHECK-NEXT:        %m = arith.addi %k, %n1 : i32
// CHECK-NEXT:        memref.store %m, %n[] : memref<i32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %e_2 = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %a2 = memref.load %out[%b, %e_2] : memref<4x4xf32>
// CHECK-NEXT:        %k2 = memref.load %n[] : memref<i32>
// CHECK-NEXT:        %d = arith.uitofp %k2 : i32 to f32
// CHECK-NEXT:        %q = arith.divf %a2, %d : f32
// CHECK-NEXT:        memref.store %q, %out[%b, %e_2] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }

// -----

// The outermost loop, a condition that all elements share, and a value that is needed on both sides.
func.func @condition(%idx: memref<8xi64>, %bias: memref<4xf32>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i64
  scf.for %e = %c0 to %c4 step %c1 {
    %y = memref.load %bias[%e] : memref<4xf32>
    scf.for %b = %c0 to %c4 step %c1 {
      memref.store %y, %out[%b, %e] : memref<4x4xf32>
      %i = memref.load %idx[%b] : memref<8xi64>
      %some = arith.cmpi ne, %i, %n0 : i64
      scf.if %some {
        %r = arith.index_cast %i : i64 to index
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %s = arith.addf %x, %y : f32
        memref.store %s, %out[%b, %e] : memref<4x4xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @condition
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<8xi64>
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %y = memref.load %bias[%e] : memref<4xf32>
// CHECK-NEXT:        memref.store %y, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %some = arith.cmpi ne, %i, %n0 : i64
// CHECK-NEXT:      scf.if %some {
// CHECK-NEXT:        %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:        scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
// CHECK-NEXT:          %y_1 = memref.load %bias[%e_1] : memref<4xf32>
// CHECK-NEXT:          %s = arith.addf %x, %y_1 : f32
// CHECK-NEXT:          memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }

// -----

// Left alone: elements that depend on each other; a loop that is empty; what is kept across a loop;
// a cell that has changed; a sum over the elements themselves.
func.func @alone(%idx: memref<8xi64>, %t: memref<9x4xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i32
  scf.for %dependent = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%c0] : memref<8xi64>
    %r = arith.index_cast %i : i64 to index
    %x = memref.load %t[%r, %dependent] : memref<9x4xf32>
    %a = memref.load %out[%c0, %c0] : memref<4x5xf32>
    %s = arith.addf %a, %x : f32
    memref.store %s, %out[%c0, %dependent] : memref<4x5xf32>
  }
  scf.for %empty = %c0 to %c0 step %c1 {
    %i = memref.load %idx[%c0] : memref<8xi64>
    %r = arith.index_cast %i : i64 to index
    %x = memref.load %t[%r, %empty] : memref<9x4xf32>
    memref.store %x, %out[%c0, %empty] : memref<4x5xf32>
  }
  scf.for %kept = %c0 to %c4 step %c1 {
    %old = memref.load %out[%c0, %kept] : memref<4x5xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %t[%j, %kept] : memref<9x4xf32>
      memref.store %x, %out[%c0, %kept] : memref<4x5xf32>
    }
    memref.store %old, %out[%c0, %kept] : memref<4x5xf32>
  }
  scf.for %changed = %c0 to %c4 step %c1 {
    %n = memref.alloca() : memref<i32>
    memref.store %n0, %n[] : memref<i32>
    %k = memref.load %n[] : memref<i32>
    %n1 = arith.constant 1 : i32
    memref.store %n1, %n[] : memref<i32>
    %d = arith.uitofp %k : i32 to f32
    %x = memref.load %t[%c0, %changed] : memref<9x4xf32>
    %y = arith.addf %x, %d : f32
    memref.store %y, %out[%c0, %changed] : memref<4x5xf32>
  }
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %summed = %c0 to %c4 step %c1 {
      %i = memref.load %idx[%summed] : memref<8xi64>
      %r = arith.index_cast %i : i64 to index
      %x = memref.load %t[%r, %summed] : memref<9x4xf32>
      memref.store %x, %out[%b, %summed] : memref<4x5xf32>
    }
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         scf.for %dependent = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %i = memref.load %idx[%c0] : memref<8xi64>
// CHECK:         scf.for %empty = %c0 to %c0 step %c1 {
// CHECK-NEXT:      %i_1 = memref.load %idx[%c0] : memref<8xi64>
// CHECK:         scf.for %kept = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %old = memref.load %out[%c0, %kept] : memref<4x5xf32>
// CHECK-NEXT:      scf.for %j = %c0 to %c4 step %c1 {
// CHECK:         scf.for %changed = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %n = memref.alloca() : memref<i32>
// CHECK:           scf.for %summed = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %i_2 = memref.load %idx[%summed] : memref<8xi64>
