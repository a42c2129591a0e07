// Rows are only written.
func.func @nest(%out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c2 step %c1 {
    %r = arith.addi %b, %c1 : index
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%r, %e] : memref<4x4xf32>
    }
  }
  func.return
}
