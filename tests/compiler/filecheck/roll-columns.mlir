// RUN: roll-columns

// A loop that was unrolled by 2, with what tools repeat for each column.
func.func @unrolled(%w: memref<9xf32>, %t: memref<9x8xf32>, %out: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %c2 step %c1 {
    scf.for %e = %c0 to %c8 step %c2 {
      %x = memref.load %t[%b, %e] : memref<9x8xf32>
      %f = memref.load %w[%b] : memref<9xf32>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %out[%b, %e] : memref<2x8xf32>
      %e1 = arith.addi %e, %c1 : index
      %x1 = memref.load %t[%b, %e1] : memref<9x8xf32>
      %f1 = memref.load %w[%b] : memref<9xf32>
      %y1 = arith.mulf %x1, %f1 : f32
      memref.store %y1, %out[%b, %e1] : memref<2x8xf32>
    }
  }
  func.return
}

// CHECK:       func.func @unrolled
// CHECK:         scf.for %b = %c0 to %c2 step %c1 {
// CHECK:           [[END:%.+]] = arith.constant 8 : index
// CHECK-NEXT:      [[STEP:%.+]] = arith.constant 1 : index
// CHECK-NEXT:      scf.for %e = %c0 to [[END]] step [[STEP]] {
// CHECK-NEXT:        %x = memref.load %t[%b, %e] : memref<9x8xf32>
// CHECK-NEXT:        %f = memref.load %w[%b] : memref<9xf32>
// CHECK-NEXT:        %y = arith.mulf %x, %f : f32
// CHECK-NEXT:        memref.store %y, %out[%b, %e] : memref<2x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }

// -----

// Columns without a loop, whose sums are handed on by one.
func.func @written(%t: memref<9x2xf32>, %out: memref<2x2xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %b = %c0 to %c2 step %c1 {
    %s:2 = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %z, %a1 = %z) -> (f32, f32) {
      %x = memref.load %t[%j, %c0] : memref<9x2xf32>
      %x1 = memref.load %t[%j, %c1] : memref<9x2xf32>
      %y = arith.addf %a, %x : f32
      %y1 = arith.addf %a1, %x1 : f32
      scf.yield %y, %y1 : f32, f32
    }
    memref.store %s#0, %out[%b, %c0] : memref<2x2xf32>
    memref.store %s#1, %out[%b, %c1] : memref<2x2xf32>
  }
  func.return
}

// CHECK:       func.func @written
// CHECK:         scf.for %b = %c0 to %c2 step %c1 {
// CHECK:           scf.for %e = {{%.+}} to {{%.+}} step {{%.+}} {
// CHECK-NEXT:        %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %z) -> (f32) {
// CHECK-NEXT:          %x = memref.load %t[%j, %e] : memref<9x2xf32>
// CHECK-NEXT:          %y = arith.addf %a, %x : f32
// CHECK-NEXT:          scf.yield %y : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<2x2xf32>
// CHECK-NEXT:      }

// -----

// Left alone: a column that is computed differently, one from another one, one that is not there,
// an array that is also accessed elsewhere, and a value that is needed behind the columns.
func.func @alone(%t: memref<9x8xf32>, %out: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %differs = %c0 to %c8 step %c2 {
    %n = arith.addi %differs, %c1 : index
    %x = memref.load %t[%c0, %differs] : memref<9x8xf32>
    memref.store %x, %out[%c0, %differs] : memref<2x8xf32>
    %x1 = memref.load %t[%c1, %n] : memref<9x8xf32>
    memref.store %x1, %out[%c0, %n] : memref<2x8xf32>
  }
  scf.for %crosses = %c0 to %c8 step %c2 {
    %n = arith.addi %crosses, %c1 : index
    %x = memref.load %t[%c0, %crosses] : memref<9x8xf32>
    %x1 = memref.load %t[%c0, %n] : memref<9x8xf32>
    %y = arith.addf %x, %x1 : f32
    memref.store %y, %out[%c0, %crosses] : memref<2x8xf32>
    memref.store %x1, %out[%c0, %n] : memref<2x8xf32>
  }
  scf.for %missing = %c0 to %c8 step %c3 {
    %n = arith.addi %missing, %c1 : index
    %x = memref.load %t[%c0, %missing] : memref<9x8xf32>
    memref.store %x, %out[%c0, %missing] : memref<2x8xf32>
    %x1 = memref.load %t[%c0, %n] : memref<9x8xf32>
    memref.store %x1, %out[%c0, %n] : memref<2x8xf32>
  }
  scf.for %elsewhere = %c0 to %c8 step %c2 {
    %n = arith.addi %elsewhere, %c1 : index
    %first = memref.load %out[%c0, %c0] : memref<2x8xf32>
    memref.store %first, %out[%c0, %elsewhere] : memref<2x8xf32>
    memref.store %first, %out[%c0, %n] : memref<2x8xf32>
  }
  scf.for %behind = %c0 to %c8 step %c1 {
    %x = memref.load %t[%behind, %c0] : memref<9x8xf32>
    %x1 = memref.load %t[%behind, %c1] : memref<9x8xf32>
    memref.store %x, %out[%c0, %c0] : memref<2x8xf32>
    memref.store %x1, %out[%c0, %c1] : memref<2x8xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %x, %out[%c0, %i] : memref<2x8xf32>
    }
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         scf.for %differs = %c0 to %c8 step %c2 {
// CHECK:         scf.for %crosses = %c0 to %c8 step %c2 {
// CHECK:         scf.for %missing = %c0 to %c8 step %c3 {
// CHECK:         scf.for %elsewhere = %c0 to %c8 step %c2 {
// CHECK:         scf.for %behind = %c0 to %c8 step %c1 {
// CHECK:           memref.store %x1_{{.+}}, %out[%c0, %c1] : memref<2x8xf32>
// CHECK-NEXT:      scf.for %i = %c0 to %c2 step %c1 {
