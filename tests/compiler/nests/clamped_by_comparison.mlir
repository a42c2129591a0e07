// Rows, clamped and then rectified by comparisons, as linalg has them.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %out2: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %low = arith.constant 2.500000e-01 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %i = memref.load %idx[%b] : memref<4xi64>
      %r = arith.index_cast %i : i64 to index
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %below = arith.cmpf ult, %x, %low : f32
      %y = arith.select %below, %low, %x : f32
      memref.store %y, %out[%b, %e] : memref<4x4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %i = memref.load %idx[%b] : memref<4xi64>
      %r = arith.index_cast %i : i64 to index
      %x = memref.load %t[%r, %e] : memref<9x4xf32>
      %above = arith.cmpf ugt, %x, %z : f32
      %y = arith.select %above, %x, %z : f32
      memref.store %y, %out2[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
