// A row that one element of an array names, and a weight that is always the same.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %weights: memref<3xf32>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e0 = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e0] : memref<4x4xf32>
    }
    %i = memref.load %idx[%c2] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %w = memref.load %weights[%c1] : memref<3xf32>
    scf.for %e1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%r, %e1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e1] : memref<4x4xf32>
      %s = math.fma %x, %w, %a : f32
      memref.store %s, %out[%b, %e1] : memref<4x4xf32>
    }
  }
  func.return
}
