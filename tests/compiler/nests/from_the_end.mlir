// Indices below 0 count from the end, as PyTorch has them; an assertion says that none is.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i64
  %rows = arith.constant 9 : i64
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %good = arith.cmpi sge, %i, %zero : i64
    cf.assert %good, "an index below 0"
    %below = arith.cmpi slt, %i, %zero : i64
    %end = arith.addi %i, %rows : i64
    %k = arith.select %below, %end, %i : i64
    %r = arith.index_cast %k : i64 to index
    scf.for %e = %c0 to %c5 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x5xf32>
      memref.store %x, %out[%b, %e] : memref<4x5xf32>
    }
  }
  func.return
}
