// RUN: simplify,fuse-lookups{layers=4}

// The nest that fills rows goes into the one that sums them up.
func.func @continued(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %f = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %g] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @continued(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %g] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<12xi64>
// CHECK-NEXT:      %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Lookups of one row that differ in where their indices are: a loop over all three.
func.func @batched(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %f = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %g] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %d = arith.constant 4 : index
    %at = arith.addi %b, %d : index
    %i = memref.load %idx[%at] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %d = arith.constant 8 : index
    %at = arith.addi %b, %d : index
    %i = memref.load %idx[%at] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @batched(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %g] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = arith.constant 4 : index
// CHECK-NEXT:      %1 = arith.constant 12 : index
// CHECK-NEXT:      %2 = arith.addi %b, %1 : index
// CHECK-NEXT:      scf.for %t_1 = %b to %2 step %0 {
// CHECK-NEXT:        %i = memref.load %idx[%t_1] : memref<12xi64>
// CHECK-NEXT:        %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:        scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:          %a = memref.load %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:          %s = arith.addf %a, %x : f32
// CHECK-NEXT:          memref.store %s, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// The loop over both stands where the second one did: what is between does not use their row.
func.func @across(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %copy: memref<4x4xf32>, %s4: memref<12x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %f = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %g] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  scf.for %k = %c0 to %c4 step %c1 {
    scf.for %l = %c0 to %c4 step %c1 {
      %y = memref.load %t[%k, %l] : memref<9x4xf32>
      memref.store %y, %copy[%k, %l] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %d = arith.constant 4 : index
    %at = arith.addi %b, %d : index
    %i = memref.load %idx[%at] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @across(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %copy: memref<4x4xf32>, %s4: memref<12x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %k = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %l = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %y = memref.load %t[%k, %l] : memref<9x4xf32>
// CHECK-NEXT:        memref.store %y, %copy[%k, %l] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %g] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %0 = arith.constant 4 : index
// CHECK-NEXT:      %1 = arith.constant 8 : index
// CHECK-NEXT:      %2 = arith.addi %b, %1 : index
// CHECK-NEXT:      scf.for %t_1 = %b to %2 step %0 {
// CHECK-NEXT:        %i = memref.load %idx[%t_1] : memref<12xi64>
// CHECK-NEXT:        %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:        scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:          %a = memref.load %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:          %s = arith.addf %a, %x : f32
// CHECK-NEXT:          memref.store %s, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// The second nest does for rows 4 to 7 what the first one does for 0 to 3.
func.func @joined(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %g] : memref<8x4xf32>
    }
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<8x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<8x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %d = arith.constant 4 : index
    %at = arith.addi %b, %d : index
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%at, %g] : memref<8x4xf32>
    }
    %i = memref.load %idx[%at] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%at, %e] : memref<8x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%at, %e] : memref<8x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @joined(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<8x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %0 = arith.constant 8 : index
// CHECK-NEXT:    scf.for %b = %c0 to %0 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %g] : memref<8x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<12xi64>
// CHECK-NEXT:      %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out[%b, %e] : memref<8x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<8x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Left alone: two tables and two outputs, which are two segments.
func.func @tables(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %t2: memref<9x4xf32>, %out2: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %g] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out2[%b, %g] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t2[%r, %e] : memref<9x4xf32>
      %a = memref.load %out2[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out2[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @tables(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %t2: memref<9x4xf32>, %out2: memref<4x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %g] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<12xi64>
// CHECK-NEXT:      %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %b_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out2[%b_1, %g_1] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %i_1 = memref.load %idx[%b_1] : memref<12xi64>
// CHECK-NEXT:      %r_1 = arith.index_cast %i_1 : i64 to index
// CHECK-NEXT:      scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %t2[%r_1, %e_1] : memref<9x4xf32>
// CHECK-NEXT:        %a_1 = memref.load %out2[%b_1, %e_1] : memref<4x4xf32>
// CHECK-NEXT:        %s_1 = arith.addf %a_1, %x_1 : f32
// CHECK-NEXT:        memref.store %s_1, %out2[%b_1, %e_1] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Left alone: two tables for one row, as a segment reads one.
func.func @one_row(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %t2: memref<9x4xf32>, %out2: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %g] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t2[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @one_row(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %t2: memref<9x4xf32>, %out2: memref<4x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%b, %g] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<12xi64>
// CHECK-NEXT:      %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %b_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %i_1 = memref.load %idx[%b_1] : memref<12xi64>
// CHECK-NEXT:      %r_1 = arith.index_cast %i_1 : i64 to index
// CHECK-NEXT:      scf.for %e_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %t2[%r_1, %e_1] : memref<9x4xf32>
// CHECK-NEXT:        %a_1 = memref.load %out[%b_1, %e_1] : memref<4x4xf32>
// CHECK-NEXT:        %s_1 = arith.addf %a_1, %x_1 : f32
// CHECK-NEXT:        memref.store %s_1, %out[%b_1, %e_1] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Left alone: rows of another iteration.
func.func @elsewhere(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %f = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %g] : memref<8x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %d = arith.constant 4 : index
    %at = arith.addi %b, %d : index
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%at, %e] : memref<8x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%at, %e] : memref<8x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @elsewhere(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<8x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %f = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%f, %g] : memref<8x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %d = arith.constant 4 : index
// CHECK-NEXT:      %at = arith.addi %b, %d : index
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<12xi64>
// CHECK-NEXT:      %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out[%at, %e] : memref<8x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%at, %e] : memref<8x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Left alone: another range.
func.func @range(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %c3 = arith.constant 3 : index
  scf.for %f = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %g] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c3 step %c1 {
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @range(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %c3 = arith.constant 3 : index
// CHECK-NEXT:    scf.for %f = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%f, %g] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %b = %c0 to %c3 step %c1 {
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<12xi64>
// CHECK-NEXT:      %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Left alone: the rows are used between the two.
func.func @between(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %copy: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %f = %c0 to %c4 step %c1 {
    scf.for %g = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %g] : memref<4x4xf32>
    }
  }
  scf.for %k = %c0 to %c4 step %c1 {
    %y = memref.load %out[%c0, %k] : memref<4x4xf32>
    memref.store %y, %copy[%k] : memref<4xf32>
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<12xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// CHECK:       func.func @between(%idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %copy: memref<4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c4 = arith.constant 4 : index
// CHECK-NEXT:    %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    scf.for %f = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %g = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%f, %g] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %k = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %y = memref.load %out[%c0, %k] : memref<4x4xf32>
// CHECK-NEXT:      memref.store %y, %copy[%k] : memref<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<12xi64>
// CHECK-NEXT:      %r = arith.index_cast %i : i64 to index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %t[%r, %e] : memref<9x4xf32>
// CHECK-NEXT:        %a = memref.load %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:        %s = arith.addf %a, %x : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<4x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
