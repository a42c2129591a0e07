// RUN: tile-columns{max-dim=8}

// Rows of 20 elements become three nests on views of their columns.
func.func @tiles(%table: memref<10x20xf32>, %out: memref<4x20xf32, strided<[50, 1]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %x = memref.load %table[%b, %e] : memref<10x20xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32, strided<[50, 1]>>
    }
  }
  func.return
}

// CHECK:       func.func @tiles(%table: memref<10x20xf32>, %out: memref<4x20xf32, strided<[50, 1]>>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %bags = arith.constant 4 : index
// CHECK-NEXT:    %dim = arith.constant 20 : index
// CHECK-NEXT:    %columns = arith.constant 8 : index
// CHECK-NEXT:    %table_tile = memref.subview %table[0, 0] [10, 8] [1, 1] : memref<10x20xf32> to memref<10x8xf32, strided<[20, 1]>>
// CHECK-NEXT:    %out_tile = memref.subview %out[0, 0] [4, 8] [1, 1] : memref<4x20xf32, strided<[50, 1]>> to memref<4x8xf32, strided<[50, 1]>>
// CHECK-NEXT:    scf.for %b = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %columns step %c1 {
// CHECK-NEXT:        %x = memref.load %table_tile[%b, %e] : memref<10x8xf32, strided<[20, 1]>>
// CHECK-NEXT:        memref.store %x, %out_tile[%b, %e] : memref<4x8xf32, strided<[50, 1]>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_1 = arith.constant 8 : index
// CHECK-NEXT:    %table_tile_1 = memref.subview %table[0, 8] [10, 8] [1, 1] : memref<10x20xf32> to memref<10x8xf32, strided<[20, 1], offset: 8>>
// CHECK-NEXT:    %out_tile_1 = memref.subview %out[0, 8] [4, 8] [1, 1] : memref<4x20xf32, strided<[50, 1]>> to memref<4x8xf32, strided<[50, 1], offset: 8>>
// CHECK-NEXT:    scf.for %b_1 = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e_1 = %c0 to %columns_1 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %table_tile_1[%b_1, %e_1] : memref<10x8xf32, strided<[20, 1], offset: 8>>
// CHECK-NEXT:        memref.store %x_1, %out_tile_1[%b_1, %e_1] : memref<4x8xf32, strided<[50, 1], offset: 8>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_2 = arith.constant 4 : index
// CHECK-NEXT:    %table_tile_2 = memref.subview %table[0, 16] [10, 4] [1, 1] : memref<10x20xf32> to memref<10x4xf32, strided<[20, 1], offset: 16>>
// CHECK-NEXT:    %out_tile_2 = memref.subview %out[0, 16] [4, 4] [1, 1] : memref<4x20xf32, strided<[50, 1]>> to memref<4x4xf32, strided<[50, 1], offset: 16>>
// CHECK-NEXT:    scf.for %b_2 = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e_2 = %c0 to %columns_2 step %c1 {
// CHECK-NEXT:        %x_2 = memref.load %table_tile_2[%b_2, %e_2] : memref<10x4xf32, strided<[20, 1], offset: 16>>
// CHECK-NEXT:        memref.store %x_2, %out_tile_2[%b_2, %e_2] : memref<4x4xf32, strided<[50, 1], offset: 16>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Rows that fit are left alone.
func.func @fits(%table: memref<10x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 8 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %x = memref.load %table[%b, %e] : memref<10x8xf32>
      memref.store %x, %out[%b, %e] : memref<4x8xf32>
    }
  }
  func.return
}

// CHECK:       func.func @fits(%table: memref<10x8xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %bags = arith.constant 4 : index
// CHECK-NEXT:    %dim = arith.constant 8 : index
// CHECK-NEXT:    scf.for %b = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %dim step %c1 {
// CHECK-NEXT:        %x = memref.load %table[%b, %e] : memref<10x8xf32>
// CHECK-NEXT:        memref.store %x, %out[%b, %e] : memref<4x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// ERROR: part: %b: %e: scf.for: rows of 20 elements exceed 8 (max_dim), and to split them %e must count from 0 to 20 step 1
func.func @part(%table: memref<10x20xf32>, %out: memref<4x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c1 to %dim step %c1 {
      %x = memref.load %table[%b, %e] : memref<10x20xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32>
    }
  }
  func.return
}

// -----

// ERROR: mixed: %b: %e: arith.addi: rows of 20 elements exceed 8 (max_dim), and to split them %e must only be a column
func.func @mixed(%table: memref<10x20xf32>, %out: memref<4x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %next = arith.addi %e, %c1 : index
      %x = memref.load %table[%b, %next] : memref<10x20xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32>
    }
  }
  func.return
}
