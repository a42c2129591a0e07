// A view at a literal place, taken in each iteration, of which only some columns are read.
func.func @nest(%u: memref<4x6xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = memref.subview %u[0, 1] [4, 5] [1, 1] : memref<4x6xf32> to memref<4x5xf32, strided<[6, 1], offset: 1>>
    scf.for %e = %c0 to %c3 step %c1 {
      %x = memref.load %v[%b, %e] : memref<4x5xf32, strided<[6, 1], offset: 1>>
      memref.store %x, %out[%b, %e] : memref<4x5xf32>
    }
  }
  func.return
}
