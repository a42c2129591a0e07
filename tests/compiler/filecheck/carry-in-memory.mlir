// RUN: carry-in-memory

// A sum is kept where it is stored to; the number of entries, in a cell.
func.func @mean(%ptr: memref<5xi64>, %t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %p = memref.load %ptr[%b] : memref<5xi64>
    %last = arith.index_cast %p : i64 to index
    %s, %n = scf.for %j = %c0 to %last step %c1 iter_args(%acc = %z, %k = %n0) -> (f32, i32) {
      %x = memref.load %t[%j] : memref<9xf32>
      %r = arith.addf %acc, %x : f32
      %m = arith.addi %k, %n1 : i32
      scf.yield %r, %m : f32, i32
    }
    %d = arith.uitofp %n : i32 to f32
    %q = arith.divf %s, %d : f32
    memref.store %q, %out[%b] : memref<4xf32>
  }
  func.return
}

// CHECK:       func.func @mean(%ptr: memref<5xi64>, %t: memref<9xf32>, %out: memref<4xf32>) {
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %p = memref.load %ptr[%b] : memref<5xi64>
// CHECK-NEXT:      %last = arith.index_cast %p : i64 to index
// CHECK-NEXT:      memref.store %z, %out[%b] : memref<4xf32>
// CHECK-NEXT:      %n = memref.alloca() : memref<i32>
// CHECK-NEXT:      memref.store %n0, %n[] : memref<i32>
// CHECK-NEXT:      scf.for %j = %c0 to %last step %c1 {
// CHECK-NEXT:        %acc = memref.load %out[%b] : memref<4xf32>
// CHECK-NEXT:        %x = memref.load %t[%j] : memref<9xf32>
// CHECK-NEXT:        %r = arith.addf %acc, %x : f32
// CHECK-NEXT:        memref.store %r, %out[%b] : memref<4xf32>
// CHECK-NEXT:        %k = memref.load %n[] : memref<i32>
// CHECK-NEXT:        %m = arith.addi %k, %n1 : i32
// CHECK-NEXT:        memref.store %m, %n[] : memref<i32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %n_1 = memref.load %n[] : memref<i32>
// CHECK-NEXT:      %s = memref.load %out[%b] : memref<4xf32>
// CHECK-NEXT:      %d = arith.uitofp %n_1 : i32 to f32
// CHECK-NEXT:      %q = arith.divf %s, %d : f32
// CHECK-NEXT:      memref.store %q, %out[%b] : memref<4xf32>
// CHECK-NEXT:    }

// -----

// A condition's result; what it leaves as it was is not stored, and loads go where they are used.
func.func @condition(%idx: memref<4xi64>, %t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i64
  scf.for %b = %c0 to %c4 step %c1 {
    %old = memref.load %out[%b] : memref<4xf32>
    %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %old) -> (f32) {
      %i = memref.load %idx[%j] : memref<4xi64>
      %w = arith.cmpi ne, %i, %n0 : i64
      %r = scf.if %w -> (f32) {
        %x = memref.load %t[%j] : memref<9xf32>
        %y = arith.addf %acc, %x : f32
        scf.yield %y : f32
      } else {
        scf.yield %acc : f32
      }
      scf.yield %r : f32
    }
    memref.store %s, %out[%b] : memref<4xf32>
  }
  func.return
}

// CHECK:       func.func @condition
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %j = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %i = memref.load %idx[%j] : memref<4xi64>
// CHECK-NEXT:        %w = arith.cmpi ne, %i, %n0 : i64
// CHECK-NEXT:        scf.if %w {
// CHECK-NEXT:          %x = memref.load %t[%j] : memref<9xf32>
// CHECK-NEXT:          %acc = memref.load %out[%b] : memref<4xf32>
// CHECK-NEXT:          %y = arith.addf %acc, %x : f32
// CHECK-NEXT:          memref.store %y, %out[%b] : memref<4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }

// -----

// A choice by integers is a store under a condition; one by floats stays.
func.func @choice(%flag: memref<4xi32>, %t: memref<4xf32>, %out: memref<4xf32>, %out2: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i32
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %f = memref.load %flag[%b] : memref<4xi32>
    %x = memref.load %t[%b] : memref<4xf32>
    %old = memref.load %out[%b] : memref<4xf32>
    %sum = arith.addf %old, %x : f32
    %off = arith.cmpi eq, %f, %n0 : i32
    %new = arith.select %off, %old, %sum : f32
    memref.store %new, %out[%b] : memref<4xf32>
    %old2 = memref.load %out2[%b] : memref<4xf32>
    %above = arith.cmpf ogt, %x, %z : f32
    %new2 = arith.select %above, %x, %old2 : f32
    memref.store %new2, %out2[%b] : memref<4xf32>
  }
  func.return
}

// CHECK:       func.func @choice
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %f = memref.load %flag[%b] : memref<4xi32>
// CHECK-NEXT:      %x = memref.load %t[%b] : memref<4xf32>
// CHECK-NEXT:      %off = arith.cmpi eq, %f, %n0 : i32
// CHECK-NEXT:      scf.if %off {
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %old = memref.load %out[%b] : memref<4xf32>
// CHECK-NEXT:        %sum = arith.addf %old, %x : f32
// CHECK-NEXT:        memref.store %sum, %out[%b] : memref<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %old2 = memref.load %out2[%b] : memref<4xf32>
// CHECK-NEXT:      %above = arith.cmpf ogt, %x, %z : f32
// CHECK-NEXT:      %new2 = arith.select %above, %x, %old2 : f32
// CHECK-NEXT:      memref.store %new2, %out2[%b] : memref<4xf32>
// CHECK-NEXT:    }

// -----

// A position that grows is computed; what does not change, or is not needed, goes.
func.func @position(%t: memref<9xf32>, %out: memref<9xf32>, %from: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  %0, %1, %2 = scf.for %j = %c2 to %c6 step %c2 iter_args(%at = %from, %same = %z, %unused = %c0) -> (index, f32, index) {
    memref.store %same, %out[%at] : memref<9xf32>
    %next = arith.addi %at, %c4 : index
    scf.yield %next, %same, %j : index, f32, index
  }
  func.return
}

// CHECK:       func.func @position
// CHECK:         scf.for %j = %c2 to %c6 step %c2 {
// CHECK-NEXT:      %{{[0-9]+}} = arith.subi %j, %c2 : index
// CHECK-NEXT:      %{{[0-9]+}} = arith.constant 2 : index
// CHECK-NEXT:      %{{[0-9]+}} = arith.muli %{{[0-9]+}}, %{{[0-9]+}} : index
// CHECK-NEXT:      %at = arith.addi %from, %{{[0-9]+}} : index
// CHECK-NEXT:      memref.store %z, %out[%at] : memref<9xf32>
// CHECK-NEXT:    }

// -----

// Left alone: the array is used before the sum is stored; only a branch stores it; it is not stored.
func.func @no_home(%t: memref<9xf32>, %out: memref<9xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (f32) {
    %x = memref.load %out[%j] : memref<9xf32>
    %r = arith.addf %acc, %x : f32
    scf.yield %r : f32
  }
  memref.store %s, %out[%c0] : memref<9xf32>
  %s2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (f32) {
    %x = memref.load %t[%j] : memref<9xf32>
    %r = arith.addf %acc, %x : f32
    scf.yield %r : f32
  }
  scf.if %flag {
    memref.store %s2, %out[%c0] : memref<9xf32>
  }
  %s3 = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %c0) -> (index) {
    %x = memref.load %t[%acc] : memref<9xf32>
    memref.store %x, %out[%j] : memref<9xf32>
    %r = arith.addi %acc, %j : index
    scf.yield %r : index
  }
  func.return
}

// CHECK:       func.func @no_home
// CHECK:         %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (f32) {
// CHECK:         %s2 = scf.for %j_1 = %c0 to %c4 step %c1 iter_args(%acc_1 = %z) -> (f32) {
// CHECK:         %s3 = scf.for %j_2 = %c0 to %c4 step %c1 iter_args(%acc_2 = %c0) -> (index) {

// -----

// A count that is compared has a cell, though nobody needs it after the loop.
func.func @compared(%t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %s, %n = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %z, %k = %n0) -> (f32, i32) {
    %x = memref.load %t[%j] : memref<9xf32>
    %first = arith.cmpi eq, %k, %n0 : i32
    %r = arith.select %first, %x, %acc : f32
    %m = arith.addi %k, %n1 : i32
    scf.yield %r, %m : f32, i32
  }
  memref.store %s, %out[%c0] : memref<4xf32>
  func.return
}

// CHECK:       func.func @compared
// CHECK:         %n = memref.alloca() : memref<i32>
// CHECK:           %first = arith.cmpi eq, %k, %n0 : i32

// -----

// An fp32 cell is where its value is stored to; not if it is looked at behind that.
func.func @cells(%t: memref<9xf32>, %out: memref<4xf32>, %out2: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %sum = memref.alloca() : memref<f32>
  memref.store %z, %sum[] : memref<f32>
  scf.for %j = %c0 to %c4 step %c1 {
    %x = memref.load %t[%j] : memref<9xf32>
    %a = memref.load %sum[] : memref<f32>
    %s = arith.addf %a, %x : f32
    memref.store %s, %sum[] : memref<f32>
  }
  %y = memref.load %sum[] : memref<f32>
  memref.store %y, %out[%c0] : memref<4xf32>
  %kept = memref.alloca() : memref<f32>
  memref.store %z, %kept[] : memref<f32>
  %v = memref.load %kept[] : memref<f32>
  memref.store %v, %out2[%c0] : memref<4xf32>
  scf.for %j = %c0 to %c4 step %c1 {
    %a = memref.load %kept[] : memref<f32>
    memref.store %a, %kept[] : memref<f32>
  }
  func.return
}

// CHECK:       func.func @cells
// CHECK:         memref.store %z, %out[%c0] : memref<4xf32>
// CHECK-NEXT:    scf.for %j = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %x = memref.load %t[%j] : memref<9xf32>
// CHECK-NEXT:      %a = memref.load %out[%c0] : memref<4xf32>
// CHECK-NEXT:      %s = arith.addf %a, %x : f32
// CHECK-NEXT:      memref.store %s, %out[%c0] : memref<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %kept = memref.alloca() : memref<f32>

// -----

// What a choice adds where nothing is to be added changes nothing: a store under a condition.
func.func @masked(%idx: memref<4xi64>, %t: memref<9xf32>, %out: memref<2xf32>, %max: memref<2xf32>) {
  %z = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 2 : i64
  memref.store %z, %out[%c0] : memref<2xf32>
  memref.store %z, %max[%c0] : memref<2xf32>
  scf.for %j = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%j] : memref<4xi64>
    %x = memref.load %t[%j] : memref<9xf32>
    %is = arith.cmpi eq, %i, %pad : i64
    %m = arith.select %is, %z, %x : f32
    %a = memref.load %out[%c0] : memref<2xf32>
    %y = arith.addf %a, %m : f32
    memref.store %y, %out[%c0] : memref<2xf32>
    %m2 = arith.select %is, %least, %x : f32
    %a2 = memref.load %max[%c0] : memref<2xf32>
    %y2 = arith.maximumf %m2, %a2 : f32
    memref.store %y2, %max[%c0] : memref<2xf32>
  }
  func.return
}

// CHECK:       func.func @masked
// CHECK:         scf.for %j = %c0 to %c4 step %c1 {
// CHECK:           scf.if %is {
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %a = memref.load %out[%c0] : memref<2xf32>
// CHECK-NEXT:        [[Y:%.+]] = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store [[Y]], %out[%c0] : memref<2xf32>
// CHECK-NEXT:      }
// CHECK:           scf.if %is {
// CHECK-NEXT:      } else {
// CHECK:             arith.maximumf
// CHECK:             memref.store {{%.+}}, %max[%c0] : memref<2xf32>

// -----

// Left alone: a sum that may be -0.0, which 0.0 would change; a product; a comparison of floats; an
// array that nobody has written before.
func.func @unmasked(%idx: memref<4xi64>, %t: memref<9xf32>, %out: memref<2xf32>, %p: memref<2xf32>, %f: memref<2xf32>, %n: memref<2xf32>) {
  %z = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 2 : i64
  memref.store %minus, %out[%c0] : memref<2xf32>
  memref.store %z, %p[%c0] : memref<2xf32>
  memref.store %z, %f[%c0] : memref<2xf32>
  scf.for %j = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%j] : memref<4xi64>
    %x = memref.load %t[%j] : memref<9xf32>
    %is = arith.cmpi eq, %i, %pad : i64
    %m = arith.select %is, %z, %x : f32
    %a = memref.load %out[%c0] : memref<2xf32>
    %y = arith.addf %a, %m : f32
    memref.store %y, %out[%c0] : memref<2xf32>
    %a1 = memref.load %p[%c0] : memref<2xf32>
    %y1 = arith.mulf %a1, %m : f32
    memref.store %y1, %p[%c0] : memref<2xf32>
    %less = arith.cmpf olt, %x, %z : f32
    %m2 = arith.select %less, %z, %x : f32
    %a2 = memref.load %f[%c0] : memref<2xf32>
    %y2 = arith.addf %a2, %m2 : f32
    memref.store %y2, %f[%c0] : memref<2xf32>
    %a3 = memref.load %n[%c0] : memref<2xf32>
    %y3 = arith.addf %a3, %m : f32
    memref.store %y3, %n[%c0] : memref<2xf32>
  }
  func.return
}

// CHECK:       func.func @unmasked
// CHECK-NOT:     scf.if
// CHECK:         func.return
