// A row is the sum of three lists of rows, one after another, and then halved.
// ptr <= 12
// idx < 9
// layers = 4
func.func @nest(%ptr: memref<13xi64>, %idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.000000e+00 : f32
  %half = arith.constant 5.000000e-01 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x4xf32>
    }
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<13xi64>
    %q = memref.load %ptr[%next] : memref<13xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<12xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %a = memref.load %out[%b, %e] : memref<4x4xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %e] : memref<4x4xf32>
      }
    }
    %b2 = arith.addi %b, %c4 : index
    %next2 = arith.addi %b2, %c1 : index
    %p2 = memref.load %ptr[%b2] : memref<13xi64>
    %q2 = memref.load %ptr[%next2] : memref<13xi64>
    %first2 = arith.index_cast %p2 : i64 to index
    %last2 = arith.index_cast %q2 : i64 to index
    scf.for %j = %first2 to %last2 step %c1 {
      %i = memref.load %idx[%j] : memref<12xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %a = memref.load %out[%b, %e] : memref<4x4xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %e] : memref<4x4xf32>
      }
    }
    %b3 = arith.addi %b, %c8 : index
    %next3 = arith.addi %b3, %c1 : index
    %p3 = memref.load %ptr[%b3] : memref<13xi64>
    %q3 = memref.load %ptr[%next3] : memref<13xi64>
    %first3 = arith.index_cast %p3 : i64 to index
    %last3 = arith.index_cast %q3 : i64 to index
    scf.for %j = %first3 to %last3 step %c1 {
      %i = memref.load %idx[%j] : memref<12xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %a = memref.load %out[%b, %e] : memref<4x4xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %e] : memref<4x4xf32>
      }
    }
    scf.for %e = %c0 to %c4 step %c1 {
      %a = memref.load %out[%b, %e] : memref<4x4xf32>
      %s = arith.mulf %a, %half : f32
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
