// RUN: two-dimensions

// Elements become rows of one element.
func.func @elements(%col: memref<6xi32>, %val: memref<6xf32>, %x: memref<9xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    memref.store %zero, %y[%b] : memref<4xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      %i = memref.load %col[%j] : memref<6xi32>
      %r = arith.index_cast %i : i32 to index
      %w = memref.load %val[%j] : memref<6xf32>
      %v = memref.load %x[%r] : memref<9xf32>
      %a = memref.load %y[%b] : memref<4xf32>
      %p = arith.mulf %w, %v : f32
      %s = arith.addf %a, %p : f32
      memref.store %s, %y[%b] : memref<4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @elements(%col: memref<6xi32>, %val: memref<6xf32>, %x: memref<9xf32>, %y: memref<4xf32>) {
// CHECK-NEXT:    %y_rows = memref.reinterpret_cast %y to offset: [0], sizes: [4, 1], strides: [1, 1] : memref<4xf32> to memref<4x1xf32, strided<[1, 1]>>
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      scf.for %e = %0 to %1 step %1 {
// CHECK-NEXT:        memref.store %zero, %y_rows[%b, %e] : memref<4x1xf32, strided<[1, 1]>>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %j = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %i = memref.load %col[%j] : memref<6xi32>
// CHECK-NEXT:        %r = arith.index_cast %i : i32 to index
// CHECK-NEXT:        %w = memref.load %val[%j] : memref<6xf32>
// CHECK-NEXT:        %2 = arith.constant 0 : index
// CHECK-NEXT:        %3 = arith.constant 1 : index
// CHECK-NEXT:        scf.for %e_1 = %2 to %3 step %3 {
// CHECK-NEXT:          %4 = arith.addi %r, %e_1 : index
// CHECK-NEXT:          %v = memref.load %x[%4] : memref<9xf32>
// CHECK-NEXT:          %a = memref.load %y_rows[%b, %e_1] : memref<4x1xf32, strided<[1, 1]>>
// CHECK-NEXT:          %p = arith.mulf %w, %v : f32
// CHECK-NEXT:          %s = arith.addf %a, %p : f32
// CHECK-NEXT:          memref.store %s, %y_rows[%b, %e_1] : memref<4x1xf32, strided<[1, 1]>>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// What a loop over elements writes is one row, also if several nests do.
func.func @row(%t: memref<9x4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %e = %c0 to %c4 step %c1 {
    memref.store %zero, %y[%e] : memref<4xf32>
  }
  %c9 = arith.constant 9 : index
  scf.for %j = %c0 to %c9 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %v = memref.load %t[%j, %e] : memref<9x4xf32>
      %a = memref.load %y[%e] : memref<4xf32>
      %s = arith.addf %a, %v : f32
      memref.store %s, %y[%e] : memref<4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @row(%t: memref<9x4xf32>, %y: memref<4xf32>) {
// CHECK-NEXT:    %y_rows = memref.reinterpret_cast %y to offset: [0], sizes: [1, 4], strides: [4, 1] : memref<4xf32> to memref<1x4xf32, strided<[4, 1]>>
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %c9 = arith.constant 9 : index
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %1 = arith.constant 1 : index
// CHECK-NEXT:    scf.for %r = %0 to %1 step %1 {
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %zero, %y_rows[%r, %e] : memref<1x4xf32, strided<[4, 1]>>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %j = %c0 to %c9 step %c1 {
// CHECK-NEXT:        scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %v = memref.load %t[%j, %e_1] : memref<9x4xf32>
// CHECK-NEXT:          %a = memref.load %y_rows[%r, %e_1] : memref<1x4xf32, strided<[4, 1]>>
// CHECK-NEXT:          %s = arith.addf %a, %v : f32
// CHECK-NEXT:          memref.store %s, %y_rows[%r, %e_1] : memref<1x4xf32, strided<[4, 1]>>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Outputs with rows, and arrays that are only read, are left alone.
func.func @rows(%x: memref<9xf32>, %y: memref<4x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %e = %c0 to %c9 step %c1 {
    %v = memref.load %x[%e] : memref<9xf32>
    memref.store %v, %y[%c0, %e] : memref<4x9xf32>
  }
  func.return
}

// CHECK:       func.func @rows(%x: memref<9xf32>, %y: memref<4x9xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c9 = arith.constant 9 : index
// CHECK-NEXT:    scf.for %e = %c0 to %c9 step %c1 {
// CHECK-NEXT:      %v = memref.load %x[%e] : memref<9xf32>
// CHECK-NEXT:      memref.store %v, %y[%c0, %e] : memref<4x9xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Of two values that are multiplied the first one that is found through an index is the row.
func.func @products(%i: memref<4xi32>, %q: memref<9xf32>, %t: memref<5x9xf32>, %u: memref<5x9xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = memref.load %i[%b] : memref<4xi32>
    %r = arith.index_cast %v : i32 to index
    scf.for %e = %c0 to %c9 step %c1 {
      %w = memref.load %q[%e] : memref<9xf32>
      %x = memref.load %t[%r, %e] : memref<5x9xf32>
      %z = memref.load %u[%r, %e] : memref<5x9xf32>
      %a = memref.load %y[%b] : memref<4xf32>
      %p = arith.mulf %w, %x : f32
      %o = arith.mulf %p, %z : f32
      %s = arith.addf %a, %o : f32
      memref.store %s, %y[%b] : memref<4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @products
// CHECK:           scf.for %e = %c0 to %c9 step %c1 {
// CHECK-NEXT:        %w = memref.load %q[%e] : memref<9xf32>
// CHECK-NEXT:        %z = memref.load %u[%r, %e] : memref<5x9xf32>
// CHECK:             scf.for %e_1 =
// CHECK-NEXT:          [[AT:%.+]] = arith.addi %e, %e_1 : index
// CHECK-NEXT:          %x = memref.load %t[%r, [[AT]]] : memref<5x9xf32>

// -----

// Rows of the last dimension; the row is computed outside of the loop over elements.
func.func @batches(%t: memref<9x4xf32>, %out: memref<3x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c3 step %c1 {
    scf.for %s = %c0 to %c2 step %c1 {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%b, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %s, %e] : memref<3x2x4xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @batches(%t: memref<9x4xf32>, %out: memref<3x2x4xf32>) {
// CHECK-NEXT:    %{{.+}} = arith.constant 2 : index
// CHECK-NEXT:    %out_rows = memref.reinterpret_cast %out to offset: [0], sizes: [6, 4], strides: [4, 1] : memref<3x2x4xf32> to memref<6x4xf32, strided<[4, 1]>>
// CHECK:         scf.for %b = %c0 to %c3 step %c1 {
// CHECK-NEXT:      [[BASE:%.+]] = arith.muli %b, %{{.+}} : index
// CHECK-NEXT:      scf.for %s = %c0 to %c2 step %c1 {
// CHECK-NEXT:        %r = arith.addi [[BASE]], %s : index
// CHECK-NEXT:        scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%b, %e] : memref<9x4xf32>
// CHECK-NEXT:          memref.store %x, %out_rows[%r, %e] : memref<6x4xf32, strided<[4, 1]>>

// -----

// Left alone: an array with gaps.
func.func @gaps(%t: memref<9x4xf32>, %out: memref<3x2x4xf32, strided<[10, 5, 1]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %e = %c0 to %c4 step %c1 {
    %x = memref.load %t[%c0, %e] : memref<9x4xf32>
    memref.store %x, %out[%c1, %c1, %e] : memref<3x2x4xf32, strided<[10, 5, 1]>>
  }
  func.return
}

// CHECK:       func.func @gaps
// CHECK-NOT:     memref.reinterpret_cast

// -----

// A count that is also needed outside of the loop over the element is loaded there, too.
func.func @count(%t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %n = memref.alloca() : memref<i32>
    memref.store %n0, %n[] : memref<i32>
    scf.for %j = %c0 to %c4 step %c1 {
      %k = memref.load %n[] : memref<i32>
      %first = arith.cmpi eq, %k, %n0 : i32
      %x = memref.load %t[%j] : memref<9xf32>
      %a = memref.load %out[%b] : memref<4xf32>
      %s = arith.select %first, %x, %a : f32
      memref.store %s, %out[%b] : memref<4xf32>
      %m = arith.addi %k, %n1 : i32
      memref.store %m, %n[] : memref<i32>
    }
  }
  func.return
}

// CHECK:       func.func @count
// CHECK:           scf.for %j = %c0 to %c4 step %c1 {
// CHECK:             scf.for %e = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-NEXT:          %k = memref.load %n[] : memref<i32>
// CHECK-NEXT:          %first = arith.cmpi eq, %k, %n0 : i32
// CHECK:             }
// CHECK-NEXT:        %k_1 = memref.load %n[] : memref<i32>
// CHECK-NEXT:        %m = arith.addi %k_1, %n1 : i32
// CHECK-NEXT:        memref.store %m, %n[] : memref<i32>

// -----

// ERROR: changes: %b: %j: memref.load: %n changes before the store that this value is needed for
func.func @changes(%t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %n = memref.alloca() : memref<i32>
    memref.store %n0, %n[] : memref<i32>
    scf.for %j = %c0 to %c4 step %c1 {
      %k = memref.load %n[] : memref<i32>
      %m = arith.addi %k, %n1 : i32
      memref.store %m, %n[] : memref<i32>
      %first = arith.cmpi eq, %k, %n0 : i32
      %x = memref.load %t[%j] : memref<9xf32>
      %a = memref.load %out[%b] : memref<4xf32>
      %s = arith.select %first, %x, %a : f32
      memref.store %s, %out[%b] : memref<4xf32>
    }
  }
  func.return
}
