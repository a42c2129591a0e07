// RUN: split-outputs

// Two outputs: a nest for each, with what it needs.
func.func @two(%t: memref<9x4xf32>, %w: memref<9xf32>, %a: memref<9x4xf32>, %b: memref<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %w[%i] : memref<9xf32>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%i, %e] : memref<9x4xf32>
      %y = arith.mulf %x, %v : f32
      memref.store %x, %a[%i, %e] : memref<9x4xf32>
      memref.store %y, %b[%i, %e] : memref<9x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @two(%t: memref<9x4xf32>, %w: memref<9xf32>, %a: memref<9x4xf32>, %b: memref<9x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%i, %e] : memref<9x4xf32>
// CHECK-NEXT:        memref.store %x, %a[%i, %e] : memref<9x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %i_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %v = memref.load %w[%i_1] : memref<9xf32>
// CHECK-NEXT:      scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %t[%i_1, %e_1] : memref<9x4xf32>
// CHECK-NEXT:        %y = arith.mulf %x_1, %v : f32
// CHECK-NEXT:        memref.store %y, %b[%i_1, %e_1] : memref<9x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// One output is computed from the other one: left alone.
func.func @linked(%t: memref<9x4xf32>, %a: memref<9x4xf32>, %b: memref<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%i, %e] : memref<9x4xf32>
      memref.store %x, %a[%i, %e] : memref<9x4xf32>
      %y = memref.load %a[%i, %e] : memref<9x4xf32>
      memref.store %y, %b[%i, %e] : memref<9x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @linked(%t: memref<9x4xf32>, %a: memref<9x4xf32>, %b: memref<9x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%i, %e] : memref<9x4xf32>
// CHECK-NEXT:        memref.store %x, %a[%i, %e] : memref<9x4xf32>
// CHECK-NEXT:        %y = memref.load %a[%i, %e] : memref<9x4xf32>
// CHECK-NEXT:        memref.store %y, %b[%i, %e] : memref<9x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
