// RUN: coo-to-csr

// The rows become where each row's entries are; the loop over them goes around.
func.func @entries(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %col[%e] : memref<12xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @entries(%row_offsets: memref<6xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %n = arith.constant 12 : index
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %1 = arith.constant 1 : index
// CHECK-NEXT:    %2 = arith.constant 5 : index
// CHECK-NEXT:    scf.for %r = %0 to %2 step %1 {
// CHECK-NEXT:      %3 = arith.addi %r, %1 : index
// CHECK-NEXT:      %4 = memref.load %row_offsets[%r] : memref<6xi64>
// CHECK-NEXT:      %first = arith.index_cast %4 : i64 to index
// CHECK-NEXT:      %5 = memref.load %row_offsets[%3] : memref<6xi64>
// CHECK-NEXT:      %last = arith.index_cast %5 : i64 to index
// CHECK-NEXT:      scf.for %e = %first to %last step %c1 {
// CHECK-NEXT:        %c = memref.load %col[%e] : memref<12xi32>
// CHECK-NEXT:        %c_1 = arith.index_cast %c : i32 to index
// CHECK-NEXT:        scf.for %k = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
// CHECK-NEXT:          %a = memref.load %out[%r, %k] : memref<5x4xf32>
// CHECK-NEXT:          %s = arith.addf %a, %x : f32
// CHECK-NEXT:          memref.store %s, %out[%r, %k] : memref<5x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// A value of the row is the loop's variable.
func.func @bias(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>, %bias: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %col[%e] : memref<12xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %b = memref.load %bias[%r_1, %k] : memref<5x4xf32>
      %y = arith.addf %x, %b : f32
      %s = arith.addf %a, %y : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @bias(%row_offsets: memref<6xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>, %bias: memref<5x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %n = arith.constant 12 : index
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %1 = arith.constant 1 : index
// CHECK-NEXT:    %2 = arith.constant 5 : index
// CHECK-NEXT:    scf.for %r = %0 to %2 step %1 {
// CHECK-NEXT:      %3 = arith.addi %r, %1 : index
// CHECK-NEXT:      %4 = memref.load %row_offsets[%r] : memref<6xi64>
// CHECK-NEXT:      %first = arith.index_cast %4 : i64 to index
// CHECK-NEXT:      %5 = memref.load %row_offsets[%3] : memref<6xi64>
// CHECK-NEXT:      %last = arith.index_cast %5 : i64 to index
// CHECK-NEXT:      scf.for %e = %first to %last step %c1 {
// CHECK-NEXT:        %c = memref.load %col[%e] : memref<12xi32>
// CHECK-NEXT:        %c_1 = arith.index_cast %c : i32 to index
// CHECK-NEXT:        scf.for %k = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
// CHECK-NEXT:          %a = memref.load %out[%r, %k] : memref<5x4xf32>
// CHECK-NEXT:          %b = memref.load %bias[%r, %k] : memref<5x4xf32>
// CHECK-NEXT:          %y = arith.addf %x, %b : f32
// CHECK-NEXT:          %s = arith.addf %a, %y : f32
// CHECK-NEXT:          memref.store %s, %out[%r, %k] : memref<5x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Left alone: a row that is begun by each entry, of which the last one stays.
func.func @scatter(%row: memref<12xi64>, %t: memref<12x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%e, %k] : memref<12x4xf32>
      memref.store %x, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @scatter(%row: memref<12xi64>, %t: memref<12x4xf32>, %out: memref<5x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %n = arith.constant 12 : index
// CHECK-NEXT:    scf.for %e = %c0 to %n step %c1 {
// CHECK-NEXT:      %r = memref.load %row[%e] : memref<12xi64>
// CHECK-NEXT:      %r_1 = arith.index_cast %r : i64 to index
// CHECK-NEXT:      scf.for %k = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%e, %k] : memref<12x4xf32>
// CHECK-NEXT:        memref.store %x, %out[%r_1, %k] : memref<5x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// ERROR: part: %e: scf.for: entries are walked row by row only if they are walked from 0 to 12, which is the length of %row, in steps of 1
func.func @part(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c1 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %col[%e] : memref<12xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: elsewhere: %e: %k: memref.store: %out is accessed at another row than %r, so that the order of entries of different rows shows: they cannot be sorted by row
func.func @elsewhere(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %col[%e] : memref<12xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%c0, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: variable: %e: arith.addi: %e is used for more than to read what belongs to an entry, so that the order of entries shows: they cannot be sorted by row
func.func @variable(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %m = arith.addi %e, %c0 : index
    %c = memref.load %col[%m] : memref<12xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: longer: %e: memref.load: %col must be an argument with 12 entries, as %row has, to be sorted by row
func.func @longer(%row: memref<12xi64>, %col: memref<20xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %col[%e] : memref<20xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: shared: %g: memref.load: %col is sorted by row for the nest of %e, and cannot be used in another order
func.func @shared(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %col[%e] : memref<12xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  scf.for %g = %c0 to %c4 step %c1 {
    %d = memref.load %col[%g] : memref<12xi32>
  }
  func.return
}

// -----

// ERROR: kept: %e: memref.load: %count is kept from one entry to the next, so that the order of entries of different rows shows: they cannot be sorted by row
func.func @kept(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  %count = memref.alloca() : memref<i32>
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %one = arith.constant 1 : i32
    %seen = memref.load %count[] : memref<i32>
    %more = arith.addi %seen, %one : i32
    memref.store %more, %count[] : memref<i32>
    %c = memref.load %col[%e] : memref<12xi32>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: gaps: %e: scf.for: %col must have no gaps, to be sorted by row
func.func @gaps(%row: memref<12xi64>, %col: memref<12xi32, strided<[2]>>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %col[%e] : memref<12xi32, strided<[2]>>
    %c_1 = arith.index_cast %c : i32 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// -----

// Rows and columns are rows of one array: all of it is sorted, and offsets come as the last argument.
func.func @edges(%edge: memref<2x12xi64>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %edge[%c1, %e] : memref<2x12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %edge[%c0, %e] : memref<2x12xi64>
    %c_1 = arith.index_cast %c : i64 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @edges(%edge: memref<2x12xi64>, %t: memref<9x4xf32>, %out: memref<5x4xf32>, %edge_offsets: memref<6xi64>) {
// CHECK:         scf.for %r = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           memref.load %edge_offsets[%r] : memref<6xi64>
// CHECK:           scf.for %e = %first to %last step %c1 {
// CHECK-NEXT:        %c = memref.load %edge[%c0, %e] : memref<2x12xi64>
// CHECK:               memref.load %out[%r, %k] : memref<5x4xf32>

// -----

// ERROR: both: %e: memref.load: %edge is sorted by row for the nest of %e, and cannot be used in another order
func.func @both(%edge: memref<12x12xi64>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %edge[%c1, %e] : memref<12x12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %edge[%e, %c0] : memref<12x12xi64>
    %c_1 = arith.index_cast %c : i64 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: lengths: %e: memref.load: %edge must be an argument with 12 entries, as %row has, to be sorted by row
func.func @lengths(%row: memref<12xi64>, %edge: memref<2x13xi64>, %t: memref<9x4xf32>, %out: memref<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 12 : index
  scf.for %e = %c0 to %n step %c1 {
    %r = memref.load %row[%e] : memref<12xi64>
    %r_1 = arith.index_cast %r : i64 to index
    %c = memref.load %edge[%c0, %e] : memref<2x13xi64>
    %c_1 = arith.index_cast %c : i64 to index
    scf.for %k = %c0 to %c4 step %c1 {
      %x = memref.load %t[%c_1, %k] : memref<9x4xf32>
      %a = memref.load %out[%r_1, %k] : memref<5x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r_1, %k] : memref<5x4xf32>
    }
  }
  func.return
}
