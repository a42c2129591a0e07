// Blocks of three rows are copied.
// col < 9
func.func @nest(%col: memref<4xi64>, %t: memref<27x5xf32>, %out: memref<12x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %k = %c0 to %c4 step %c1 {
    %j = memref.load %col[%k] : memref<4xi64>
    %block = arith.index_cast %j : i64 to index
    %j0 = arith.muli %block, %c3 : index
    %o0 = arith.muli %k, %c3 : index
    scf.for %s = %c0 to %c3 step %c1 {
      %o = arith.addi %o0, %s : index
      %r = arith.addi %j0, %s : index
      scf.for %e = %c0 to %c5 step %c1 {
        %x = memref.load %t[%r, %e] : memref<27x5xf32>
        memref.store %x, %out[%o, %e] : memref<12x5xf32>
      }
    }
  }
  func.return
}
