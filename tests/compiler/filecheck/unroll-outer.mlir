// RUN: unroll-outer{layers=2 segments=4}

// Three loops on two layers: each outermost iteration is a nest.
func.func @deep(%t: memref<9x4xf32>, %out: memref<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %g = %c0 to %c2 step %c1 {
    %p = arith.muli %g, %c2 : index
    scf.for %b = %c0 to %c2 step %c1 {
      %row = arith.addi %p, %b : index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%b, %e] : memref<9x4xf32>
        memref.store %x, %out[%row, %e] : memref<9x4xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @deep(%t: memref<9x4xf32>, %out: memref<9x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c2 = arith.constant 2 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    scf.for %b = %c0 to %c2 step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%b, %e] : memref<9x4xf32>
// CHECK-NEXT:        memref.store %x, %out[%b, %e] : memref<9x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %p = arith.constant 2 : index
// CHECK-NEXT:    scf.for %b_1 = %c0 to %c2 step %c1 {
// CHECK-NEXT:      %row = arith.addi %b_1, %p : index
// CHECK-NEXT:      scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %t[%b_1, %e_1] : memref<9x4xf32>
// CHECK-NEXT:        memref.store %x_1, %out[%row, %e_1] : memref<9x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// A loop that does more than run others is left alone.
func.func @more(%t: memref<9x4xf32>, %out: memref<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %g = %c0 to %c4 step %c1 {
    memref.store %zero, %out[%g, %g] : memref<9x4xf32>
    scf.for %b = %c0 to %c4 step %c1 {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%b, %e] : memref<9x4xf32>
        memref.store %x, %out[%g, %e] : memref<9x4xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @more(%t: memref<9x4xf32>, %out: memref<9x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:      memref.store %zero, %out[%g, %g] : memref<9x4xf32>
// CHECK-NEXT:      scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:        scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%b, %e] : memref<9x4xf32>
// CHECK-NEXT:          memref.store %x, %out[%g, %e] : memref<9x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// ERROR: many: %g: scf.for: the nest has 3 loops, but the configuration 2 layers, and written out it would be 9 nests, but a program has 4 segments
func.func @many(%t: memref<9x4xf32>, %out: memref<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c4 = arith.constant 4 : index
  scf.for %g = %c0 to %c9 step %c1 {
    scf.for %b = %c0 to %c4 step %c1 {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%b, %e] : memref<9x4xf32>
        memref.store %x, %out[%g, %e] : memref<9x4xf32>
      }
    }
  }
  func.return
}
