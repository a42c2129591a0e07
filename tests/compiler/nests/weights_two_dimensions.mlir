// Indices and weights with two dimensions, which two variables address, in three layers.
// idx < 9
func.func @nest(%idx: memref<4x3xi64>, %w: memref<4x3xf32>, %t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x5xf32>
    }
    scf.for %s = %c0 to %c3 step %c1 {
      %i = memref.load %idx[%b, %s] : memref<4x3xi64>
      %r = arith.index_cast %i : i64 to index
      %f = memref.load %w[%b, %s] : memref<4x3xf32>
      scf.for %e1 = %c0 to %c5 step %c1 {
        %x = memref.load %t[%r, %e1] : memref<9x5xf32>
        %m = arith.mulf %x, %f : f32
        %a = memref.load %out[%b, %e1] : memref<4x5xf32>
        %y = arith.addf %a, %m : f32
        memref.store %y, %out[%b, %e1] : memref<4x5xf32>
      }
    }
  }
  func.return
}
