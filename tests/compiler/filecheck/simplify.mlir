// RUN: simplify

// Constants, sizes and what changes nothing are computed; a loop that is known to be empty goes.
func.func @known(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %out, %c0 : memref<4x8xf32>
  %d = memref.dim %t, %c1 : memref<9x8xf32>
  %half = arith.subi %d, %n : index
  %cols = arith.shli %half, %c1 : index
  scf.for %b = %c0 to %n step %c1 {
    %same = arith.addi %c0, %b : index
    %twice = arith.muli %c2, %same : index
    scf.for %e = %c0 to %cols step %c1 {
      %x = memref.load %t[%twice, %e] : memref<9x8xf32>
      memref.store %x, %out[%same, %e] : memref<4x8xf32>
    }
    scf.for %e = %d to %n step %c1 {
      %x = memref.load %t[%twice, %e] : memref<9x8xf32>
      memref.store %x, %out[%same, %e] : memref<4x8xf32>
    }
  }
  func.return
}

// CHECK:       func.func @known(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c2 = arith.constant 2 : index
// CHECK-NEXT:    %n = arith.constant 4 : index
// CHECK-NEXT:    %cols = arith.constant 8 : index
// CHECK-NEXT:    scf.for %b = %c0 to %n step %c1 {
// CHECK-NEXT:      %twice = arith.muli %b, %c2 : index
// CHECK-NEXT:      scf.for %e = %c0 to %cols step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%twice, %e] : memref<9x8xf32>
// CHECK-NEXT:        memref.store %x, %out[%b, %e] : memref<4x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

// Integers that do not change in a loop are computed outside of it, equal ones once; what nobody
// uses goes, and a condition that is known leaves one branch.
func.func @moved(%i: memref<9xi64>, %t: memref<9x8xf32>, %out: memref<9x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %flag = arith.cmpi ult, %c1, %c8 : index
  scf.for %b = %c0 to %c8 step %c1 {
    scf.for %e = %c0 to %c8 step %c1 {
      %next = arith.addi %b, %c1 : index
      %dead = memref.load %t[%next, %e] : memref<9x8xf32>
      %sum = arith.addf %dead, %dead : f32
      memref.store %z, %out[%next, %e] : memref<9x8xf32>
    }
    %after = arith.addi %b, %c1 : index
    scf.if %flag {
      scf.for %e = %c0 to %c8 step %c1 {
        %x = memref.load %t[%after, %e] : memref<9x8xf32>
        memref.store %x, %out[%after, %e] : memref<9x8xf32>
      }
    } else {
      memref.store %z, %out[%after, %c0] : memref<9x8xf32>
    }
  }
  func.return
}

// CHECK:       func.func @moved
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c8 = arith.constant 8 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %b = %c0 to %c8 step %c1 {
// CHECK-NEXT:      %next = arith.addi %b, %c1 : index
// CHECK-NEXT:      scf.for %e = %c0 to %c8 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%next, %e] : memref<9x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %e_1 = %c0 to %c8 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%next, %e_1] : memref<9x8xf32>
// CHECK-NEXT:        memref.store %x, %out[%next, %e_1] : memref<9x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

// Views whose sizes are constants say so in their types; casts that say less go.
func.func @views(%t: memref<9x8xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %v = memref.subview %t[0, %c2] [9, %c4] [1, 1] : memref<9x8xf32> to memref<9x?xf32, strided<[8, 1], offset: ?>>
  %w = "memref.cast"(%v) : (memref<9x?xf32, strided<[8, 1], offset: ?>>) -> memref<?x?xf32, strided<[?, ?], offset: ?>>
  %one = arith.constant 1.0 : f32
  memref.store %one, %w[%c0, %c0] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  func.return
}

// CHECK:       func.func @views
// CHECK:         %v = memref.subview %t[0, 2] [9, 4] [1, 1] : memref<9x8xf32> to memref<9x4xf32, strided<[8, 1], offset: 2>>
// CHECK-NEXT:    %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    memref.store %one, %v[%c0, %c0] : memref<9x4xf32, strided<[8, 1], offset: 2>>

// -----

// Operations that may differ from loop to loop stay, and so do those on loaded values.
func.func @left(%i: memref<9xi32>, %out: memref<9x9xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %b = %c0 to %c9 step %c1 {
    scf.for %e = %c0 to %c9 step %c1 {
      %x = memref.load %i[%b] : memref<9xi32>
      %y = arith.addi %x, %x : i32
      %at = arith.subi %c9, %e : index
      memref.store %y, %out[%b, %at] : memref<9x9xi32>
    }
  }
  func.return
}

// CHECK:       func.func @left
// CHECK:         scf.for %b = %c0 to %c9 step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %c9 step %c1 {
// CHECK-NEXT:        %x = memref.load %i[%b] : memref<9xi32>
// CHECK-NEXT:        %y = arith.addi %x, %x : i32
// CHECK-NEXT:        %at = arith.subi %c9, %e : index
// CHECK-NEXT:        memref.store %y, %out[%b, %at] : memref<9x9xi32>

// -----

// A branch that does nothing is no branch.
func.func @empty_else(%flag: i1, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  scf.if %flag {
    memref.store %z, %out[%c0] : memref<4xf32>
  } else {
  }
  func.return
}

// CHECK:       func.func @empty_else
// CHECK:         scf.if %flag {
// CHECK-NEXT:      memref.store %z, %out[%c0] : memref<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

// Truth values that are known.
func.func @truth(%flag: i1, %x: f32, %y: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %yes = arith.constant true
  %or = arith.ori %flag, %yes : i1
  %and = arith.andi %yes, %flag : i1
  %first = arith.select %or, %x, %y : f32
  %open = arith.select %and, %first, %y : f32
  memref.store %open, %out[%c0] : memref<4xf32>
  func.return
}

// CHECK:       func.func @truth
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %open = arith.select %flag, %x, %y : f32
// CHECK-NEXT:    memref.store %open, %out[%c0] : memref<4xf32>

// -----

// An assertion says that a value is not below 0: the choice is known. Not before it, not for
// another value, and assertions stay.
func.func @asserted(%idx: memref<4xi64>, %out: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %rows = arith.constant 9 : i64
  %i = memref.load %idx[%c0] : memref<4xi64>
  %early = arith.cmpi slt, %i, %zero : i64
  %chosen = arith.select %early, %rows, %i : i64
  memref.store %chosen, %out[%c0] : memref<4xi64>
  %good = arith.cmpi sge, %i, %zero : i64
  cf.assert %good, "an index below 0"
  %late = arith.cmpi slt, %i, %zero : i64
  %known = arith.select %late, %rows, %i : i64
  memref.store %known, %out[%c1] : memref<4xi64>
  %again = arith.cmpi sge, %i, %zero : i64
  cf.assert %again, "an index below 0"
  %j = memref.load %idx[%c1] : memref<4xi64>
  %other = arith.cmpi slt, %j, %zero : i64
  %unknown = arith.select %other, %rows, %j : i64
  memref.store %unknown, %out[%c0] : memref<4xi64>
  func.return
}

// CHECK:       func.func @asserted
// CHECK:         [[CHOSEN:%.+]] = arith.select
// CHECK-NEXT:    memref.store [[CHOSEN]], %out[%c0] : memref<4xi64>
// CHECK:         cf.assert
// CHECK-NOT:     arith.select
// CHECK:         memref.store %i, %out[%c1] : memref<4xi64>
// CHECK:         cf.assert
// CHECK:         %unknown = arith.select

// -----

// Promises about memory go, and so do views that nobody looks at.
func.func @promises(%i: memref<6xi64>, %t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %aligned = memref.assume_alignment %t, 64 : memref<9x8xf32>
  %pairs = memref.expand_shape %i [[0, 1]] output_shape [3, 2] : memref<6xi64> into memref<3x2xi64>
  %flat = memref.collapse_shape %t [[0, 1]] : memref<9x8xf32> into memref<72xf32>
  %scratch = memref.alloc() : memref<4xf32>
  memref.dealloc %scratch : memref<4xf32>
  %x = memref.load %aligned[%c0, %c0] : memref<9x8xf32>
  memref.store %x, %out[%c0, %c0] : memref<4x8xf32>
  func.return
}

// CHECK:       func.func @promises
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %x = memref.load %t[%c0, %c0] : memref<9x8xf32>
// CHECK-NEXT:    memref.store %x, %out[%c0, %c0] : memref<4x8xf32>
// CHECK-NEXT:    func.return
