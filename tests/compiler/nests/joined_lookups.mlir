// Two lookups, of which the second one goes on where the first one ends.
// ptr <= 12
// idx < 9
func.func @nest(%ptr: memref<9xi64>, %idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %eb = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %eb] : memref<8x4xf32>
    }
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<9xi64>
    %q = memref.load %ptr[%next] : memref<9xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<12xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %a = memref.load %out[%b, %e] : memref<8x4xf32>
        %sum = arith.addf %a, %x : f32
        memref.store %sum, %out[%b, %e] : memref<8x4xf32>
      }
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %s = arith.constant 4 : index
    %at = arith.addi %b, %s : index
    scf.for %eb = %c0 to %c4 step %c1 {
      memref.store %z, %out[%at, %eb] : memref<8x4xf32>
    }
    %next = arith.addi %at, %c1 : index
    %p = memref.load %ptr[%at] : memref<9xi64>
    %q = memref.load %ptr[%next] : memref<9xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<12xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %a = memref.load %out[%at, %e] : memref<8x4xf32>
        %sum = arith.addf %a, %x : f32
        memref.store %sum, %out[%at, %e] : memref<8x4xf32>
      }
    }
  }
  func.return
}
