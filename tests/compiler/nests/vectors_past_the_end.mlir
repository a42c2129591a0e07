// Vectors of 8 over rows of 12: what is not in the array is neither read nor stored.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x12xf32>, %out: memref<4x12xf32>) {
  %cst = arith.constant 0.000000e+00 : f32
  %z = arith.constant dense<0.000000e+00> : vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c12 step %c8 {
      %x = vector.transfer_read %t[%r, %e], %cst : memref<9x12xf32>, vector<8xf32>
      %y = arith.maximumf %x, %z : vector<8xf32>
      vector.transfer_write %y, %out[%b, %e] : vector<8xf32>, memref<4x12xf32>
    }
  }
  func.return
}
