// Two nests that each begin the same rows, of which the first one only fills them.
func.func @nest(%table: memref<1x1xf32>, %out: memref<1x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_0_f32 = arith.constant 0.0 : f32
  scf.for %f = %c0 to %c1 step %c1 {
    scf.for %e = %c0 to %c1 step %c1 {
      memref.store %c0_0_f32, %out[%f, %e] : memref<1x1xf32>
    }
  }
  scf.for %b1 = %c0 to %c1 step %c1 {
    scf.for %e = %c0 to %c1 step %c1 {
      %x2 = memref.load %table[%b1, %e] : memref<1x1xf32>
      memref.store %x2, %out[%b1, %e] : memref<1x1xf32>
    }
  }
  func.return
}
