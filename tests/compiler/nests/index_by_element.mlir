// Rows of a table for a batch of sequences, the index loaded for each element, and asserted.
// idx < 9
func.func @nest(%idx: memref<3x2xi64>, %t: memref<9x4xf32>, %out: memref<3x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i64
  %n9 = arith.constant 9 : i64
  scf.for %b = %c0 to %c3 step %c1 {
    scf.for %s = %c0 to %c2 step %c1 {
      scf.for %e = %c0 to %c4 step %c1 {
        %i = memref.load %idx[%b, %s] : memref<3x2xi64>
        %below = arith.cmpi slt, %i, %n9 : i64
        cf.assert %below, "index must be smaller than dim size"
        %above = arith.cmpi sge, %i, %n0 : i64
        cf.assert %above, "index must be larger or equal to 0"
        %r = arith.index_cast %i : i64 to index
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %s, %e] : memref<3x2x4xf32>
      }
    }
  }
  func.return
}
