// RUN: specialize,simplify,split-outputs,unroll-outer,two-dimensions,tile-columns{max-dim=64},decouple,check-bounds,pair-loads,flatten-addresses,fold-addresses,promote-accumulator{max-dim=64 fiber-lanes=2},raise-min-max,split-layers,slc-to-dlc{layers=3}

// What the whole pipeline says of nests that it does not take, each a small change to a gather.

// ERROR: nest: func.func: %n is only known at a launch: give its value, as in n=5, to compile for it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: func.func: %n is only known at a launch: give its value, as in n=5, to compile for it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%n, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.load: the access unit loads integers and f32, not f64: narrow-f64 makes f32 of it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf64>, %out: memref<4x4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf64>
      memref.store %x, %out[%b, %e] : memref<4x4xf64>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: slc.load: elements must have 32 or 64 bits, not 16
func.func @nest(%idx: memref<4xi16>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi16>
    %r = arith.index_cast %i : i16 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: slc.load: elements must have 32 or 64 bits, not 8
func.func @nest(%idx: memref<4xi8>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi8>
    %r = arith.index_cast %i : i8 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %once: slc.add: %base is computed from what the layer has just computed; a further layer would do it, but then the nest has 4 of them and the configuration 3 (layers)
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %b, %e_1] : memref<9x4x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: %q starts at -1, below 0: the access unit checks only that a value is not too large
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %q = arith.subi %r, %c1 : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: %q starts at -3, below 0: the access unit checks only that a value is not too large
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %q = arith.subi %r, %b : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: cannot prove that %q stays below 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %q = arith.muli %r, %b : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: arith.divui: an address, bound or condition of the access unit needs this value, but the access unit cannot compute it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %q = arith.divui %r, %c4 : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: arith.andi: an address, bound or condition of the access unit needs this value, but the access unit cannot compute it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %q = arith.andi %r, %c4 : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: slc.load: %k reaches 7, but must stay below 4
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %m = arith.constant -2 : index
  scf.for %b = %m to %c4 step %c1 {
    %k = arith.addi %b, %c4 : index
    %i = memref.load %idx[%k] : memref<4xi64>
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

// -----

// ERROR: nest: %b: scf.for: the step must be a constant of at least 1
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c0 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: slc.loop: a step must be 1..65535, not 70000
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %cb = arith.constant 70000 : index
  scf.for %b = %c0 to %c4 step %cb {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: func.func: %n is only known at a launch: give its value, as in n=5, to compile for it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %n {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: scf.while: only counted loops can be walked by the access unit
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %k = scf.while (%a = %c0) : (index) -> index {
    %x = memref.load %idx[%a] : memref<4xi64>
    %y = arith.index_cast %x : i64 to index
    %q = arith.cmpi slt, %a, %y : index
    scf.condition(%q) %y : index
  } do {
  ^bb0(%g: index):
    scf.yield %g : index
  }
  func.return
}

// -----

// ERROR: nest: %b: scf.if: a condition around loads must not have results: keep them in memory
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %k = arith.constant 3 : i64
    %w = arith.cmpi ne, %i, %k : i64
    %h = scf.if %w -> (index) {
      %y = memref.load %idx[%b] : memref<4xi64>
      %y1 = arith.index_cast %y : i64 to index
      scf.yield %y1 : index
    } else {
      scf.yield %c0 : index
    }
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%h, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: arith.select: an address, bound or condition of the access unit needs this value, but the access unit cannot compute it: it does not choose. If the index is never below 0, say so (cf.assert)
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %k = arith.constant 3 : i64
    %w = arith.cmpi ne, %i, %k : i64
    %h = arith.select %w, %r, %c0 : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%h, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.load: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %out[%r, %e] : memref<4x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.load: %idx is written in this function, so its values cannot be addresses, bounds or conditions of the access unit
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %z0 = arith.constant 0 : i64
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    memref.store %z0, %idx[%b] : memref<4xi64>
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: func.func: a function must have no results: outputs are arguments, which mlir-opt makes of results with buffer-results-to-out-params
func.func @nest(%a: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<4xf32>
  func.return %x : f32
}

// -----

// ERROR: nest: %b: %e: memref.store: %o must be an argument or a view of one
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %o = memref.alloc() : memref<4x4xf32>
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %o[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.subview: the offsets, sizes and strides of a view must be constants
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %tt = memref.subview %t[%r, 0] [1, 4] [1, 1] : memref<9x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %tt[%c0, %e_1] : memref<1x4xf32, strided<[4, 1], offset: ?>>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.loop: the innermost loop must load consecutive elements of 1 array
func.func @nest(%idx: memref<4xi64>, %t: memref<4x9xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%e_1, %r] : memref<4x9xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: %t must have rows of consecutive elements
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32, strided<[1, 9]>>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32, strided<[1, 9]>>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: scf.if: a condition around loads must compare a loaded value to a constant
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %k = arith.constant 1 : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %w = arith.cmpi ne, %e_1, %k : index
      scf.if %w {
        %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
        memref.store %x, %out[%b, %e_1] : memref<4x4xf32>
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: math.fma: %vf is computed in another callback; callbacks share only memory: keep it in a memref cell
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %v = memref.load %idx[%b] : memref<4xi64>
    %vf = arith.sitofp %v : i64 to f32
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %y = math.fma %x, %vf, %a : f32
      memref.store %y, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.store: the execute unit has no instruction for the stored expression: it has none for math.exp
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %y = math.exp %x : f32
      memref.store %y, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.store: the execute unit has no instruction for the stored expression: it has none for arith.minnumf
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %y = arith.minnumf %x, %z : f32
      memref.store %y, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.store: a nest has 1 constant that rows are multiplied by or added to, not both 0.5 and 1.5
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %h = arith.constant 5.000000e-01 : f32
      %m = arith.constant 1.500000e+00 : f32
      %p = arith.mulf %x, %h : f32
      %y = arith.addf %p, %m : f32
      memref.store %y, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.load: the row of %out must be written as a whole before anything else happens to it in an iteration: the execute unit has no loads
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %h = arith.constant 4294967296 : index
  %h2 = arith.constant 4294967300 : index
  scf.for %b = %h to %h2 step %c1 {
    %k = arith.subi %b, %h : index
    %i = memref.load %idx[%k] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %a = memref.load %out[%k, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%k, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: cannot prove that %q stays below 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %k = arith.constant 100 : index
    %q = arith.shli %r, %k : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: cannot prove that %q stays below 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %q = arith.shli %r, %b : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: slc.mul: the literal must be 0..4294967295, not 34359738368
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %k = arith.constant 8589934592 : index
    %q = arith.muli %r, %k : index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: arith.trunci: an address, bound or condition of the access unit needs this value, but the access unit cannot compute it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %w = arith.trunci %i : i64 to i32
    %r = arith.index_cast %w : i32 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %j: %once: slc.skip: a load skips 1 value, and this is one more; a further layer would do it, but then the nest has 5 of them and the configuration 3 (layers)
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    scf.for %j = %c0 to %c4 step %c1 {
      %i = memref.load %idx[%j] : memref<4xi64>
      %r = arith.index_cast %i : i64 to index
      %k = arith.constant 1 : i64
      %k2 = arith.constant 2 : i64
      %w = arith.cmpi ne, %i, %k : i64
      %w2 = arith.cmpi ne, %i, %k2 : i64
      scf.if %w {
        scf.if %w2 {
          scf.for %e_1 = %c0 to %c4 step %c1 {
            %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
            %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
            %s = arith.addf %a, %x : f32
            memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
          }
        }
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %j: scf.if: a condition around loads must compare a loaded value to a constant
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    scf.for %j = %c0 to %c4 step %c1 {
      %i = memref.load %idx[%j] : memref<4xi64>
      %r = arith.index_cast %i : i64 to index
      %w = arith.cmpi ne, %j, %c1 : index
      scf.if %w {
        scf.for %e_1 = %c0 to %c4 step %c1 {
          %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
          %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
          %s = arith.addf %a, %x : f32
          memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
        }
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.store: the counter can only be set to 0 or incremented
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %ca = memref.alloca() : memref<i32>
    %cb = memref.alloca() : memref<i32>
    %o = arith.constant 1 : i32
    memref.store %o, %ca[] : memref<i32>
    memref.store %o, %cb[] : memref<i32>
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.store: the counter can only be set to 0 or incremented
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %ca = memref.alloca() : memref<f32>
    memref.store %z, %ca[] : memref<f32>
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.store: %c0 must be a loop index
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e_1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e_1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e_1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e_1] : memref<4x4xf32>
    }
    memref.store %z, %out[%b, %c0] : memref<4x4xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: arith.index_cast: an address, bound or condition of the access unit needs this value, but the access unit cannot compute it
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %narrow = arith.index_cast %r : index to i8
    %q = arith.index_cast %narrow : i8 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.store: rows of %out overlap, but they are stored to
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32, strided<[3, 1]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32, strided<[3, 1]>>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.store: the execute unit has no instruction for the stored expression: of choices it has maxima, minima, and x > 0 ? x : factor * x; what an index decides must leave all as it is, as a sum that 0.0 is added to
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %h = arith.constant 5.000000e-01 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %c = arith.cmpf ogt, %x, %h : f32
      %y = arith.select %c, %x, %z : f32
      memref.store %y, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: memref.store: is in no loop, but the execute unit works in iterations
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  memref.store %z, %out[%c0, %c0] : memref<4x4xf32>
  func.return
}

// -----

// ERROR: nest: %b: scf.if: a condition around loads must compare all bits of %m
func.func @nest(%marks: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %k = arith.constant 4 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %m = memref.load %marks[%b] : memref<4xi64>
    %w = arith.index_cast %m : i64 to index
    %low = arith.index_cast %w : index to i32
    %c = arith.cmpi ne, %low, %k : i32
    scf.if %c {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%b, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %e] : memref<4x4xf32>
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: cannot prove that %r stays below 9: it is a sum of %i and %j, and a check looks at one value
func.func @nest(%idx: memref<4xindex>, %more: memref<4xindex>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xindex>
    %j = memref.load %more[%b] : memref<4xindex>
    %r = arith.addi %i, %j : index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: slc.load: cannot prove that %r stays below 9: %b differs from one %i to the next, and a check has one limit
func.func @nest(%idx: memref<4xindex>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xindex>
    %r = arith.addi %i, %b : index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: scf.if: a condition around loads must be of the form: value != constant
func.func @nest(%w: memref<4xf32>, %idx: memref<4xindex>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xindex>
    %w_b = memref.load %w[%b] : memref<4xf32>
    %c = arith.cmpf ogt, %w_b, %z : f32
    scf.if %c {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%i, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %e] : memref<4x4xf32>
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.load: %local must be an argument or a view of one
func.func @nest(%idx: memref<4xindex>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xindex>
    %local = memref.alloc() : memref<9x4xf32>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %local[%i, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: scf.if: the only condition of the execute unit is: if count != 0, divide by it
func.func @nest(%idx: memref<4xindex>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xindex>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%i, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
    %f = memref.load %out[%b, %c0] : memref<4x4xf32>
    %c = arith.cmpf ogt, %f, %z : f32
    scf.if %c {
      scf.for %e = %c0 to %c4 step %c1 {
        memref.store %z, %out[%b, %e] : memref<4x4xf32>
      }
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: memref.store: the layout of %out must be one of strides
func.func @nest(%t: memref<4x4xf32>, %out: memref<4x4xf32, affine_map<(d0, d1) -> (d0, d1)>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%b, %e] : memref<4x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32, affine_map<(d0, d1) -> (d0, d1)>>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: slc.load: the layout of %idx must be one of known strides
func.func @nest(%idx: memref<4xi64, affine_map<(d0) -> (d0 * 2)>>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64, affine_map<(d0) -> (d0 * 2)>>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}


// -----

// ERROR: nest: %b: slc.load: the strides of %idx must be at least 0
func.func @nest(%idx: memref<4xi64, strided<[-1]>>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64, strided<[-1]>>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      memref.store %x, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
