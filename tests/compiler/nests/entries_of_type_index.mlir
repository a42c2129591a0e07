// Rows of entries whose type is index need no cast.
// dst < 4
// src < 9
func.func @nest(%dst: memref<7xindex>, %src: memref<7xindex>, %x: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %d = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %z, %out[%d, %e] : memref<4x5xf32>
    }
  }
  scf.for %j = %c0 to %c7 step %c1 {
    %d = memref.load %dst[%j] : memref<7xindex>
    %s = memref.load %src[%j] : memref<7xindex>
    scf.for %e = %c0 to %c5 step %c1 {
      %v = memref.load %x[%s, %e] : memref<9x5xf32>
      %a = memref.load %out[%d, %e] : memref<4x5xf32>
      %n = arith.addf %a, %v : f32
      memref.store %n, %out[%d, %e] : memref<4x5xf32>
    }
  }
  func.return
}
