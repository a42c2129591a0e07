// An output with one dimension: an element for each index.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %x = memref.load %t[%r] : memref<9xf32>
    memref.store %x, %out[%b] : memref<4xf32>
  }
  func.return
}
