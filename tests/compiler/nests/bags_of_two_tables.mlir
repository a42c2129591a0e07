// Two bags of different tables, one after the other into the same row.
// ptr <= 11
// qtr <= 7
// idx < 9
// jdx < 6
func.func @nest(%ptr: memref<5xi64>, %qtr: memref<5xi32>, %idx: memref<11xi64>, %jdx: memref<7xi32>, %t: memref<9x10xf32>, %u: memref<6x10xf32>, %out: memref<4x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c10 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x10xf32>
    }
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<11xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e1 = %c0 to %c10 step %c1 {
        %x = memref.load %t[%r, %e1] : memref<9x10xf32>
        %a = memref.load %out[%b, %e1] : memref<4x10xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %e1] : memref<4x10xf32>
      }
    }
    %p2 = memref.load %qtr[%b] : memref<5xi32>
    %q2 = memref.load %qtr[%next] : memref<5xi32>
    %first2 = arith.index_cast %p2 : i32 to index
    %last2 = arith.index_cast %q2 : i32 to index
    scf.for %k = %first2 to %last2 step %c1 {
      %i2 = memref.load %jdx[%k] : memref<7xi32>
      %r2 = arith.index_cast %i2 : i32 to index
      scf.for %e2 = %c0 to %c10 step %c1 {
        %x2 = memref.load %u[%r2, %e2] : memref<6x10xf32>
        %a2 = memref.load %out[%b, %e2] : memref<4x10xf32>
        %s2 = arith.addf %a2, %x2 : f32
        memref.store %s2, %out[%b, %e2] : memref<4x10xf32>
      }
    }
  }
  func.return
}
