// Rows are scaled by a constant.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %half = arith.constant 0.5 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c5 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x5xf32>
      %y = arith.mulf %x, %half : f32
      memref.store %y, %out[%b, %e] : memref<4x5xf32>
    }
  }
  func.return
}
