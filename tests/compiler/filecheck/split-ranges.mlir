// RUN: split-ranges

// A condition on the variable, in a choice and around a store; what is handed on goes through.
func.func @split(%t: memref<9xf32>, %out: memref<9xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %s = scf.for %e = %c0 to %c9 step %c1 iter_args(%a = %z) -> (f32) {
    %x = memref.load %t[%e] : memref<9xf32>
    %twice = arith.muli %e, %c2 : index
    %in = arith.cmpi ult, %twice, %c9 : index
    %y = arith.select %in, %x, %z : f32
    %r = arith.addf %a, %y : f32
    scf.yield %r : f32
  }
  scf.for %one = %c0 to %c9 step %c4 {
    %other = arith.cmpi ne, %one, %c4 : index
    scf.if %other {
      memref.store %s, %out[%one] : memref<9xf32>
    }
  }
  func.return
}

// CHECK:       func.func @split
// CHECK:         %s = scf.for %e = {{%.+}} to {{%.+}} step %c1 iter_args(%a = %z) -> (f32) {
// CHECK-NEXT:      %x = memref.load %t[%e] : memref<9xf32>
// CHECK-NEXT:      %r = arith.addf %a, %x : f32
// CHECK-NEXT:      scf.yield %r : f32
// CHECK-NEXT:    }
// CHECK:         %s_1 = scf.for %e_1 = {{%.+}} to {{%.+}} step %c1 iter_args(%a_1 = %s) -> (f32) {
// CHECK-NEXT:      %r_1 = arith.addf %a_1, %z : f32
// CHECK:         scf.for %one = {{%.+}} to {{%.+}} step %c4 {
// CHECK-NEXT:      memref.store %s_1, %out[%one] : memref<9xf32>
// CHECK-NEXT:    }
// CHECK:         scf.for %one_1 = {{%.+}} to {{%.+}} step %c4 {
// CHECK-NEXT:    }
// CHECK:         scf.for %one_2 = {{%.+}} to {{%.+}} step %c4 {
// CHECK-NEXT:      memref.store %s_1, %out[%one_2] : memref<9xf32>

// -----

// Left alone: bounds that are not known, a comparison with something else, too many changes.
func.func @alone(%n: index, %out: memref<99xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %c62 = arith.constant 62 : index
  scf.for %unknown = %c0 to %n step %c1 {
    %in = arith.cmpi ult, %unknown, %c9 : index
    scf.if %in {
      memref.store %z, %out[%unknown] : memref<99xf32>
    }
  }
  scf.for %with_n = %c0 to %c9 step %c1 {
    %in = arith.cmpi ult, %with_n, %n : index
    scf.if %in {
      memref.store %z, %out[%with_n] : memref<99xf32>
    }
  }
  scf.for %too_often = %c0 to %c40 step %c1 {
    %high = arith.shli %too_often, %c62 : index
    %in = arith.cmpi sgt, %high, %c0 : index
    scf.if %in {
      memref.store %z, %out[%too_often] : memref<99xf32>
    }
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         scf.for %unknown = %c0 to %n step %c1 {
// CHECK-NEXT:      %in = arith.cmpi ult, %unknown, %c9 : index
// CHECK:         scf.for %with_n = %c0 to %c9 step %c1 {
// CHECK-NEXT:      %in_1 = arith.cmpi ult, %with_n, %n : index
// CHECK:         scf.for %too_often = %c0 to %c40 step %c1 {
// CHECK:           arith.cmpi sgt
