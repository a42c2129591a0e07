// RUN: one-branch

// What the branch without loads stores is stored before; what both store is stored once.
func.func @rows(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %out2: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 3 : i64
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %padding = arith.cmpi eq, %i, %pad : i64
    scf.if %padding {
      scf.for %e = %c0 to %c4 step %c1 {
        memref.store %z, %out[%b, %e] : memref<4x4xf32>
      }
    } else {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %e] : memref<4x4xf32>
      }
    }
    %some = arith.cmpi ne, %i, %pad : i64
    scf.if %some {
      memref.store %z, %out2[%b] : memref<4xf32>
      %x = memref.load %t[%r, %c0] : memref<9x4xf32>
      %a = memref.load %out2[%b] : memref<4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out2[%b] : memref<4xf32>
    } else {
      memref.store %z, %out2[%b] : memref<4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @rows
// CHECK:           %padding = arith.cmpi eq, %i, %pad : i64
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %padding {
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
// CHECK-NEXT:          memref.store %x, %out[%b, %e_1] : memref<4x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      %some = arith.cmpi ne, %i, %pad : i64
// CHECK-NEXT:      memref.store %z, %out2[%b] : memref<4xf32>
// CHECK-NEXT:      scf.if %some {
// CHECK-NEXT:        %x_1 = memref.load %t[%r, %c0] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out2[%b] : memref<4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x_1 : f32
// CHECK-NEXT:        memref.store %s, %out2[%b] : memref<4xf32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:      }

// -----

// Left alone: both load; it looks at the value before; another place; a part of the columns; no loads.
func.func @alone(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i64
  %z = arith.constant 0.0 : f32
  %i = memref.load %idx[%c0] : memref<4xi64>
  %some = arith.cmpi ne, %i, %n0 : i64
  scf.if %some {
    %x = memref.load %t[%c0, %c0] : memref<9x4xf32>
    memref.store %x, %out[%c0, %c0] : memref<4x4xf32>
  } else {
    %both = memref.load %t[%c1, %c0] : memref<9x4xf32>
    memref.store %both, %out[%c0, %c0] : memref<4x4xf32>
  }
  scf.if %some {
    %x = memref.load %t[%c0, %c0] : memref<9x4xf32>
    %looks = memref.load %out[%c0, %c0] : memref<4x4xf32>
    %s = arith.addf %looks, %x : f32
    memref.store %s, %out[%c0, %c0] : memref<4x4xf32>
  } else {
    memref.store %z, %out[%c0, %c0] : memref<4x4xf32>
  }
  scf.if %some {
    %x = memref.load %t[%c0, %c0] : memref<9x4xf32>
    memref.store %x, %out[%c0, %c0] : memref<4x4xf32>
  } else {
    memref.store %z, %out[%c0, %c1] : memref<4x4xf32>
  }
  scf.if %some {
    scf.for %e = %c0 to %c3 step %c1 {
      %x = memref.load %t[%c0, %e] : memref<9x4xf32>
      memref.store %x, %out[%c0, %e] : memref<4x4xf32>
    }
  } else {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%c0, %e] : memref<4x4xf32>
    }
  }
  scf.if %some {
    memref.store %z, %out[%c0, %c0] : memref<4x4xf32>
  } else {
    memref.store %z, %out[%c0, %c0] : memref<4x4xf32>
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         } else {
// CHECK-NEXT:      %both = memref.load %t[%c1, %c0] : memref<9x4xf32>
// CHECK:         } else {
// CHECK-NEXT:      memref.store %z, %out[%c0, %c0] : memref<4x4xf32>
// CHECK-NEXT:    }
// CHECK:         } else {
// CHECK-NEXT:      memref.store %z, %out[%c0, %c1] : memref<4x4xf32>
// CHECK-NEXT:    }
// CHECK:         } else {
// CHECK-NEXT:      scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%c0, %e_1] : memref<4x4xf32>
// CHECK:         } else {
// CHECK-NEXT:      memref.store %z, %out[%c0, %c0] : memref<4x4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
