// RUN: fold-views

// A view of a view, with a step, and one that has lost a dimension.
func.func @folded(%i: index, %t: memref<9x8xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %rows = memref.subview %t[%i, 0] [4, 8] [1, 1] : memref<9x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  %even = memref.subview %rows[%i, 1] [1, 3] [1, 2] : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<3xf32, strided<[2], offset: ?>>
  scf.for %e = %c0 to %c1 step %c1 {
    %x = memref.load %even[%e] : memref<3xf32, strided<[2], offset: ?>>
    memref.store %x, %out[%c0, %e] : memref<4x5xf32>
  }
  func.return
}

// CHECK:       func.func @folded
// CHECK-NOT:     memref.subview
// CHECK:         [[ROW:%.+]] = arith.addi %i, %i : index
// CHECK:         scf.for %e
// CHECK:           [[STEP:%.+]] = arith.muli %e, {{%.+}} : index
// CHECK:           [[COLUMN:%.+]] = arith.addi {{.*}}[[STEP]]{{.*}} : index
// CHECK:           %x = memref.load %t[[[ROW]], [[COLUMN]]] : memref<9x8xf32>

// -----

// Left alone: a view at a literal place, and one whose size is not known.
func.func @alone(%i: index, %t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %rows = memref.subview %t[2, 0] [4, 8] [1, 1] : memref<9x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 16>>
  %x = memref.load %rows[%c0, %c0] : memref<4x8xf32, strided<[8, 1], offset: 16>>
  memref.store %x, %out[%c0, %c0] : memref<4x8xf32>
  %some = memref.subview %t[%i, 0] [%i, 8] [1, 1] : memref<9x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
  %y = memref.load %some[%c0, %c0] : memref<?x8xf32, strided<[8, 1], offset: ?>>
  memref.store %y, %out[%c0, %c1] : memref<4x8xf32>
  func.return
}

// CHECK:       func.func @alone
// CHECK:         %rows = memref.subview %t[2, 0] [4, 8] [1, 1]
// CHECK:         memref.load %rows
// CHECK:         %some = memref.subview %t[%i, 0] [%i, 8] [1, 1]
// CHECK:         memref.load %some
