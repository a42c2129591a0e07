// One loop: a vector.
func.func @nest(%t: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %e = %c0 to %c4 step %c1 {
    %x = memref.load %t[%e] : memref<4xf32>
    memref.store %x, %out[%e] : memref<4xf32>
  }
  func.return
}
