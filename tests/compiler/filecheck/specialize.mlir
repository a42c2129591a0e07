// RUN: specialize{arguments="n=5","table=10x8","gaps=4x8:12x1","k=-3"}

// Sizes go into the types, integers become constants; what the types say already stays.
func.func @sizes(%table: memref<?x?xf32>, %gaps: memref<4x?xf32, strided<[?, 1]>>, %fixed: memref<7xi64>, %n: index, %k: i32, %unused: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %table, %c0 : memref<?x?xf32>
  %k64 = arith.extsi %k : i32 to i64
  scf.for %b = %rows to %n step %c1 {
    %x = memref.load %gaps[%b, %c0] : memref<4x?xf32, strided<[?, 1]>>
  }
  func.return
}

// CHECK:       func.func @sizes(%table: memref<10x8xf32>, %gaps: memref<4x8xf32, strided<[12, 1]>>, %fixed: memref<7xi64>, %n: index, %k: i32, %unused: index) {
// CHECK-NEXT:    %k_1 = arith.constant -3 : i32
// CHECK-NEXT:    %n_1 = arith.constant 5 : index
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %rows = memref.dim %table, %c0 : memref<10x8xf32>
// CHECK-NEXT:    %k64 = arith.extsi %k_1 : i32 to i64
// CHECK-NEXT:    scf.for %b = %rows to %n_1 step %c1 {
// CHECK-NEXT:      %x = memref.load %gaps[%b, %c0] : memref<4x8xf32, strided<[12, 1]>>
// CHECK-NEXT:    }

// -----

// ERROR: size: func.func: the sizes of %other (memref<?xi64>) are only known at a launch: give them, as in other=8, to compile for them
func.func @size(%other: memref<?xi64>) {
  func.return
}

// -----

// ERROR: number: func.func: %m is only known at a launch: give its value, as in m=5, to compile for it
func.func @number(%t: memref<9xf32>, %m: index) {
  %x = memref.load %t[%m] : memref<9xf32>
  func.return
}

// -----

// ERROR: differs: func.func: the sizes of %table must be those of memref<9x?xf32>, not 10x8
func.func @differs(%table: memref<9x?xf32>) {
  func.return
}

// -----

// ERROR: dimensions: func.func: the sizes of %table must be those of memref<?xf32>, not 10x8
func.func @dimensions(%table: memref<?xf32>) {
  func.return
}

// -----

// ERROR: stride: func.func: %gaps (memref<?x?xf32>) has strides [8, 1], not [12, 1]
func.func @stride(%gaps: memref<?x?xf32>) {
  func.return
}

// -----

// ERROR: array: func.func: %table is of type index: give one number for it
func.func @array(%table: index, %t: memref<9xf32>) {
  %x = memref.load %t[%table] : memref<9xf32>
  func.return
}
