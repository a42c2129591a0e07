// Sums of the elements of rows: a vector's elements are added one after the other.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x16xf32>, %out: memref<4xf32>) {
  %z = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %sum = scf.for %e = %c0 to %c16 step %c8 iter_args(%a = %z) -> (f32) {
      %x = vector.load %t[%r, %e] : memref<9x16xf32>, vector<8xf32>
      %s = vector.reduction <add>, %x, %a : vector<8xf32> into f32
      scf.yield %s : f32
    }
    memref.store %sum, %out[%b] : memref<4xf32>
  }
  func.return
}
