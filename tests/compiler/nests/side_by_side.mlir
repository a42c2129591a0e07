// Rows of two tables side by side, the second one written out from its own column on.
// idx < 9
// jdx < 5
func.func @nest(%idx: memref<4xi32>, %jdx: memref<4xi64>, %t: memref<9x6xf32>, %u: memref<5x5xf32>, %out: memref<4x11xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c11 = arith.constant 11 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi32>
    %r = arith.index_cast %i : i32 to index
    scf.for %e = %c0 to %c6 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x6xf32>
      memref.store %x, %out[%b, %e] : memref<4x11xf32>
    }
    %j = memref.load %jdx[%b] : memref<4xi64>
    %s = arith.index_cast %j : i64 to index
    scf.for %e = %c6 to %c11 step %c1 {
      %f = arith.subi %e, %c6 : index
      %x = memref.load %u[%s, %f] : memref<5x5xf32>
      memref.store %x, %out[%b, %e] : memref<4x11xf32>
    }
  }
  func.return
}
