// Rows are scaled, with nothing written before.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %weights: memref<4xf32>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %w = memref.load %weights[%b] : memref<4xf32>
    scf.for %e1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e1] : memref<9x4xf32>
      %y = arith.mulf %w, %x : f32
      memref.store %y, %out[%b, %e1] : memref<4x4xf32>
    }
  }
  func.return
}
