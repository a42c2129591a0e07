// RUN: split-elements

// Three rows of a chain, the first of which is added to what is there.
func.func @chain(%t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c2 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %a = memref.load %out[%b, %e] : memref<2x4xf32>
      %x = memref.load %t[%c1, %e] : memref<9x4xf32>
      %y = memref.load %u[%b, %e] : memref<9x4xf32>
      %z = memref.load %t[%b, %e] : memref<9x4xf32>
      %s = arith.addf %a, %x : f32
      %n = arith.negf %y : f32
      %p = arith.addf %n, %s : f32
      %r = arith.subf %z, %p : f32
      memref.store %r, %out[%b, %e] : memref<2x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @chain
// CHECK:         scf.for %b = %c0 to %c2 step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %a = memref.load %out[%b, %e] : memref<2x4xf32>
// CHECK-NEXT:        %x = memref.load %t[%c1, %e] : memref<9x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<2x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for [[E1:%.+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:        [[Y:%.+]] = memref.load %u[%b, [[E1]]] : memref<9x4xf32>
// CHECK-NEXT:        [[N:%.+]] = arith.negf [[Y]] : f32
// CHECK-NEXT:        [[S:%.+]] = memref.load %out[%b, [[E1]]] : memref<2x4xf32>
// CHECK-NEXT:        [[P:%.+]] = arith.addf [[N]], [[S]] : f32
// CHECK-NEXT:        memref.store [[P]], %out[%b, [[E1]]] : memref<2x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for [[E2:%.+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:        [[Z:%.+]] = memref.load %t[%b, [[E2]]] : memref<9x4xf32>
// CHECK-NEXT:        [[Q:%.+]] = memref.load %out[%b, [[E2]]] : memref<2x4xf32>
// CHECK-NEXT:        [[R:%.+]] = arith.subf [[Z]], [[Q]] : f32
// CHECK-NEXT:        memref.store [[R]], %out[%b, [[E2]]] : memref<2x4xf32>
// CHECK-NEXT:      }

// -----

// Left alone: one row used twice; a sum of two sums; what is there added last; two outputs; a value
// that is used twice; an output that is also looked at elsewhere.
func.func @alone(%t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<2x4xf32>, %out2: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %one_row = %c0 to %c4 step %c1 {
    %x = memref.load %t[%c0, %one_row] : memref<9x4xf32>
    %y = memref.load %t[%c0, %one_row] : memref<9x4xf32>
    %s = arith.addf %x, %y : f32
    memref.store %s, %out[%c0, %one_row] : memref<2x4xf32>
  }
  scf.for %no_chain = %c0 to %c4 step %c1 {
    %x = memref.load %t[%c0, %no_chain] : memref<9x4xf32>
    %y = memref.load %t[%c1, %no_chain] : memref<9x4xf32>
    %z = memref.load %u[%c0, %no_chain] : memref<9x4xf32>
    %w = memref.load %u[%c1, %no_chain] : memref<9x4xf32>
    %s = arith.addf %x, %y : f32
    %r = arith.addf %z, %w : f32
    %p = arith.addf %s, %r : f32
    memref.store %p, %out[%c0, %no_chain] : memref<2x4xf32>
  }
  scf.for %held_last = %c0 to %c4 step %c1 {
    %x = memref.load %t[%c0, %held_last] : memref<9x4xf32>
    %y = memref.load %t[%c1, %held_last] : memref<9x4xf32>
    %a = memref.load %out[%c0, %held_last] : memref<2x4xf32>
    %s = arith.subf %x, %y : f32
    %p = arith.addf %a, %s : f32
    memref.store %p, %out[%c0, %held_last] : memref<2x4xf32>
  }
  scf.for %two_outputs = %c0 to %c4 step %c1 {
    %x = memref.load %t[%c0, %two_outputs] : memref<9x4xf32>
    %y = memref.load %t[%c1, %two_outputs] : memref<9x4xf32>
    %s = arith.subf %x, %y : f32
    memref.store %s, %out[%c0, %two_outputs] : memref<2x4xf32>
    memref.store %s, %out2[%c0, %two_outputs] : memref<2x4xf32>
  }
  scf.for %used_twice = %c0 to %c4 step %c1 {
    %x = memref.load %t[%c0, %used_twice] : memref<9x4xf32>
    %y = memref.load %t[%c1, %used_twice] : memref<9x4xf32>
    %s = arith.subf %x, %y : f32
    %p = arith.mulf %s, %s : f32
    memref.store %p, %out[%c0, %used_twice] : memref<2x4xf32>
  }
  scf.for %elsewhere = %c0 to %c4 step %c1 {
    %x = memref.load %t[%c0, %elsewhere] : memref<9x4xf32>
    %y = memref.load %t[%c1, %elsewhere] : memref<9x4xf32>
    %o = memref.load %out[%c1, %elsewhere] : memref<2x4xf32>
    %s = arith.addf %o, %x : f32
    %p = arith.addf %s, %y : f32
    memref.store %p, %out[%c0, %elsewhere] : memref<2x4xf32>
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         scf.for %one_row
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK:         scf.for %no_chain
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK:         scf.for %held_last
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK:         scf.for %two_outputs
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK:         scf.for %used_twice
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      arith.subf
// CHECK-NEXT:      arith.mulf
// CHECK:         scf.for %elsewhere
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.load
