// RUN: roll-lookups{layers=4}

// Two lists of one row, and what is done behind them.
func.func @lists(%ptr: memref<9xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    memref.store %z, %out[%b, %c0] : memref<4x4xf32>
    %p = memref.load %ptr[%b] : memref<9xi64>
    %last = arith.index_cast %p : i64 to index
    scf.for %j = %c0 to %last step %c1 {
      %x = memref.load %t[%j, %c0] : memref<9x4xf32>
      %a = memref.load %out[%b, %c0] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %c0] : memref<4x4xf32>
    }
    %b2 = arith.addi %b, %c4 : index
    %p2 = memref.load %ptr[%b2] : memref<9xi64>
    %last2 = arith.index_cast %p2 : i64 to index
    scf.for %j = %c0 to %last2 step %c1 {
      %x = memref.load %t[%j, %c0] : memref<9x4xf32>
      %a = memref.load %out[%b, %c0] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %c0] : memref<4x4xf32>
    }
    memref.store %z, %out[%b, %c1] : memref<4x4xf32>
  }
  func.return
}

// CHECK:       func.func @lists
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      memref.store %z, %out[%b, %c0] : memref<4x4xf32>
// CHECK-NEXT:      [[STEP:%.+]] = arith.constant 4 : index
// CHECK-NEXT:      [[LENGTH:%.+]] = arith.constant 8 : index
// CHECK-NEXT:      [[END:%.+]] = arith.addi %b, [[LENGTH]] : index
// CHECK-NEXT:      scf.for [[T:%.+]] = %b to [[END]] step [[STEP]] {
// CHECK-NEXT:        %p = memref.load %ptr[[[T]]] : memref<9xi64>
// CHECK-NEXT:        %last = arith.index_cast %p : i64 to index
// CHECK-NEXT:        scf.for %j = %c0 to %last step %c1 {
// CHECK:             }
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %z, %out[%b, %c1] : memref<4x4xf32>
// CHECK-NEXT:    }

// -----

// Left alone: two tables; a cell; loops that load nothing.
func.func @alone(%ptr: memref<9xi64>, %t: memref<9x4xf32>, %t2: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  scf.for %tables = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %t[%j, %c0] : memref<9x4xf32>
      memref.store %x, %out[%tables, %c0] : memref<4x4xf32>
    }
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %t2[%j, %c0] : memref<9x4xf32>
      memref.store %x, %out[%tables, %c0] : memref<4x4xf32>
    }
  }
  scf.for %cell = %c0 to %c4 step %c1 {
    %n = memref.alloca() : memref<i32>
    memref.store %n0, %n[] : memref<i32>
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %t[%cell, %j] : memref<9x4xf32>
      memref.store %x, %out[%cell, %c0] : memref<4x4xf32>
    }
    %next = arith.addi %cell, %c1 : index
    scf.for %j = %c0 to %c4 step %c1 {
      %x = memref.load %t[%next, %j] : memref<9x4xf32>
      memref.store %x, %out[%cell, %c0] : memref<4x4xf32>
    }
  }
  scf.for %fills = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      memref.store %z, %out[%fills, %c0] : memref<4x4xf32>
    }
    scf.for %k = %c0 to %c4 step %c1 {
      memref.store %z, %out[%fills, %c0] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         scf.for %tables = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %j = %c0 to %c4 step %c1 {
// CHECK:           scf.for %j_1 = %c0 to %c4 step %c1 {
// CHECK:         scf.for %cell = %c0 to %c4 step %c1 {
// CHECK:           scf.for %j_2 = %c0 to %c4 step %c1 {
// CHECK:           scf.for %j_3 = %c0 to %c4 step %c1 {
// CHECK:         scf.for %fills = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %j_4 = %c0 to %c4 step %c1 {
// CHECK:           scf.for %k = %c0 to %c4 step %c1 {
