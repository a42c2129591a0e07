// Sums of two tables' rows side by side in one row, as features of a model are concatenated.
// ptr <= 11
// qtr <= 9
// idx < 9
// jdx < 5
func.func @nest(%ptr: memref<5xi64>, %qtr: memref<5xi64>, %idx: memref<11xi64>, %jdx: memref<9xi64>, %t: memref<9x6xf32>, %u: memref<5x5xf32>, %out: memref<4x11xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c11 = arith.constant 11 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c11 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x11xf32>
    }
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<11xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c6 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x6xf32>
        %a = memref.load %out[%b, %e] : memref<4x11xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %e] : memref<4x11xf32>
      }
    }
    %p2 = memref.load %qtr[%b] : memref<5xi64>
    %q2 = memref.load %qtr[%next] : memref<5xi64>
    %first2 = arith.index_cast %p2 : i64 to index
    %last2 = arith.index_cast %q2 : i64 to index
    scf.for %j = %first2 to %last2 step %c1 {
      %i = memref.load %jdx[%j] : memref<9xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c5 step %c1 {
        %f = arith.addi %e, %c6 : index
        %x = memref.load %u[%r, %e] : memref<5x5xf32>
        %a = memref.load %out[%b, %f] : memref<4x11xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %f] : memref<4x11xf32>
      }
    }
  }
  func.return
}
