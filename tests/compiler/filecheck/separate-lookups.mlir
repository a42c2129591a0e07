// RUN: separate-lookups

// Two tables: two nests for each iteration, the second one without the row's beginning.
func.func @two(%n: memref<2xindex>, %t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c2 step %c1 {
    memref.store %z, %out[%b, %c0] : memref<2x4xf32>
    %end = memref.load %n[%b] : memref<2xindex>
    scf.for %j = %c0 to %end step %c1 {
      %x = memref.load %t[%j, %c0] : memref<9x4xf32>
      %a = memref.load %out[%b, %c0] : memref<2x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %c0] : memref<2x4xf32>
    }
    scf.for %k = %c0 to %end step %c1 {
      %x = memref.load %u[%k, %c0] : memref<9x4xf32>
      %a = memref.load %out[%b, %c0] : memref<2x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %c0] : memref<2x4xf32>
    }
    memref.store %z, %out[%b, %c1] : memref<2x4xf32>
  }
  func.return
}

// CHECK:       func.func @two
// CHECK:         [[FIRST:%[0-9]+]] = arith.constant 0 : index
// CHECK-NEXT:    [[END:%.+]] = arith.constant 1 : index
// CHECK-NEXT:    [[STEP:%.+]] = arith.constant 1 : index
// CHECK-NEXT:    scf.for %b = [[FIRST]] to [[END]] step [[STEP]] {
// CHECK-NEXT:      memref.store %z, %out[%b, %c0] : memref<2x4xf32>
// CHECK-NEXT:      %end = memref.load %n[%b] : memref<2xindex>
// CHECK-NEXT:      scf.for %j = %c0 to %end step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%j, %c0] : memref<9x4xf32>
// CHECK:           }
// CHECK-NEXT:    }
// CHECK-NEXT:    {{%.+}} = arith.constant 0 : index
// CHECK-NEXT:    {{%.+}} = arith.constant 1 : index
// CHECK-NEXT:    {{%.+}} = arith.constant 1 : index
// CHECK-NEXT:    scf.for {{%.+}} = {{%.+}} to {{%.+}} step {{%.+}} {
// CHECK-NEXT:      {{%.+}} = memref.load %n[{{%.+}}] : memref<2xindex>
// CHECK-NEXT:      scf.for {{%.+}} = %c0 to {{%.+}} step %c1 {
// CHECK-NEXT:        {{%.+}} = memref.load %u[{{%.+}}, %c0] : memref<9x4xf32>
// CHECK:           }
// CHECK-NEXT:      memref.store %z, %out[{{%.+}}, %c1] : memref<2x4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    {{%.+}} = arith.constant 1 : index
// CHECK-NEXT:    {{%.+}} = arith.constant 2 : index

// -----

// Left alone: one lookup, and a loop that looks nothing up.
func.func @alone(%t: memref<9x4xf32>, %out: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c2 step %c1 {
    scf.for %f = %c0 to %c2 step %c1 {
      memref.store %z, %out[%b, %f] : memref<2x4xf32>
    }
    scf.for %j = %c0 to %c2 step %c1 {
      %x = memref.load %t[%j, %c0] : memref<9x4xf32>
      memref.store %x, %out[%b, %c0] : memref<2x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         scf.for %b = %c0 to %c2 step %c1 {
// CHECK-NEXT:      scf.for %f = %c0 to %c2 step %c1 {
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %j = %c0 to %c2 step %c1 {
// CHECK-NEXT:        memref.load
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return

// -----

// Loops around are written out, too.
func.func @around(%t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %g = %c0 to %c2 step %c1 {
    %first = arith.muli %g, %c3 : index
    scf.for %b = %c0 to %c1 step %c1 {
      %row = arith.addi %first, %b : index
      scf.for %e = %c0 to %c2 step %c1 {
        %x = memref.load %t[%row, %e] : memref<9x4xf32>
        memref.store %x, %out[%row, %e] : memref<6x4xf32>
      }
      scf.for %f = %c0 to %c2 step %c1 {
        %x = memref.load %u[%row, %f] : memref<9x4xf32>
        memref.store %x, %out[%row, %f] : memref<6x4xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @around
// CHECK-NOT:     scf.for %b
// CHECK:         scf.for %g =
// CHECK-NEXT:      %first = arith.muli %g, %c3 : index
// CHECK:           memref.load %t
// CHECK:         scf.for
// CHECK:           memref.load %u
// CHECK:         scf.for
// CHECK:           memref.load %t
// CHECK:         scf.for
// CHECK:           memref.load %u
// CHECK-NOT:     scf.for

// -----

// ERROR: nest: %b: scf.for: an iteration of %b has several loops that look rows up, but the layers form one chain, which has one table, and to write that out, %b must have literal bounds
func.func @nest(%n: index, %t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<6x4xf32>
    }
    scf.for %f = %c0 to %c4 step %c1 {
      %x = memref.load %u[%b, %f] : memref<9x4xf32>
      memref.store %x, %out[%b, %f] : memref<6x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: scf.for: written out, because 2 lookups of an iteration are 2 nests, it would be 1200 nests, but 1024 are the most
func.func @nest(%t: memref<600x4xf32>, %u: memref<600x4xf32>, %out: memref<600x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c600 = arith.constant 600 : index
  scf.for %b = %c0 to %c600 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%b, %e] : memref<600x4xf32>
      memref.store %x, %out[%b, %e] : memref<600x4xf32>
    }
    scf.for %f = %c0 to %c4 step %c1 {
      %x = memref.load %u[%b, %f] : memref<600x4xf32>
      memref.store %x, %out[%b, %f] : memref<600x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %j: scf.for: an iteration of %j has several loops that look rows up, but the layers form one chain, which has one table, and to write that out, %b around must do nothing but run loops
func.func @nest(%n: index, %t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    memref.store %z, %out[%b, %c0] : memref<6x4xf32>
    scf.for %j = %c0 to %n step %c1 {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%j, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %e] : memref<6x4xf32>
      }
      scf.for %f = %c0 to %c4 step %c1 {
        %x = memref.load %u[%j, %f] : memref<9x4xf32>
        memref.store %x, %out[%b, %f] : memref<6x4xf32>
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.alloca: an iteration of %b has several loops that look rows up, but the layers form one chain, which has one table, and %n is kept for all of them
func.func @nest(%t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %n = memref.alloca() : memref<i32>
    memref.store %n0, %n[] : memref<i32>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<6x4xf32>
    }
    scf.for %f = %c0 to %c4 step %c1 {
      %x = memref.load %u[%b, %f] : memref<9x4xf32>
      memref.store %x, %out[%b, %f] : memref<6x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: scf.if: an iteration of %b has several loops that look rows up, but the layers form one chain, which has one table, and they are under one condition
func.func @nest(%g: memref<4xi32>, %t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %f0 = memref.load %g[%b] : memref<4xi32>
    %some = arith.cmpi ne, %f0, %n0 : i32
    scf.if %some {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%b, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %e] : memref<6x4xf32>
      }
      scf.for %f = %c0 to %c4 step %c1 {
        %x = memref.load %u[%b, %f] : memref<9x4xf32>
        memref.store %x, %out[%b, %f] : memref<6x4xf32>
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.store: an iteration of %b has several loops that look rows up, but the layers form one chain, which has one table, and %old is needed behind one of them
func.func @nest(%t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %old = memref.load %out[%b, %c0] : memref<6x4xf32>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<6x4xf32>
    }
    scf.for %f = %c0 to %c4 step %c1 {
      %x = memref.load %u[%b, %f] : memref<9x4xf32>
      memref.store %x, %out[%b, %f] : memref<6x4xf32>
    }
    memref.store %old, %out[%b, %c0] : memref<6x4xf32>
  }
  func.return
}

// -----

// An inner loop with literal bounds is written out, too.
func.func @inner(%t: memref<9x4xf32>, %u: memref<9x4xf32>, %out: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c1 step %c1 {
    memref.store %z, %out[%b, %c0] : memref<6x4xf32>
    scf.for %j = %c0 to %c2 step %c1 {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%j, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %e] : memref<6x4xf32>
      }
      scf.for %f = %c0 to %c4 step %c1 {
        %x = memref.load %u[%j, %f] : memref<9x4xf32>
        memref.store %x, %out[%b, %f] : memref<6x4xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @inner
// CHECK-NOT:     scf.for %j
// CHECK:         scf.for %b
// CHECK:           memref.store %z, %out
// CHECK:           memref.load %t
// CHECK:         scf.for
// CHECK:           memref.load %u
// CHECK:         scf.for
// CHECK:           memref.load %t
// CHECK:         scf.for
// CHECK:           memref.load %u
// CHECK-NOT:     scf.for
