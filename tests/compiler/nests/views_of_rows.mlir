// Rows are views of arrays: one with two dimensions, one that has lost one.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x8xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %row = memref.subview %t[%r, 2] [1, 5] [1, 1] : memref<9x8xf32> to memref<1x5xf32, strided<[8, 1], offset: ?>>
    %place = memref.subview %out[%b, 0] [1, 5] [1, 1] : memref<4x5xf32> to memref<5xf32, strided<[1], offset: ?>>
    scf.for %e = %c0 to %c5 step %c1 {
      %x = memref.load %row[%c0, %e] : memref<1x5xf32, strided<[8, 1], offset: ?>>
      memref.store %x, %place[%e] : memref<5xf32, strided<[1], offset: ?>>
    }
  }
  func.return
}
