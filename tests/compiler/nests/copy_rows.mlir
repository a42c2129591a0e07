// Rows are copied: nothing is written before, and no bit is changed.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e1] : memref<9x4xf32>
      memref.store %x, %out[%b, %e1] : memref<4x4xf32>
    }
  }
  func.return
}
