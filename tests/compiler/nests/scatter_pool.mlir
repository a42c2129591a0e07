// Sums of rows that go to rows of the output that an array names.
// places < 5
// idx < 9
// layers = 4
func.func @nest(%places: memref<4xi64>, %idx: memref<4xi64>, %t: memref<9x8xf32>, %out: memref<5x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %p = memref.load %places[%b] : memref<4xi64>
    %o = arith.index_cast %p : i64 to index
    scf.for %e0 = %c0 to %c8 step %c1 {
      memref.store %z, %out[%o, %e0] : memref<5x8xf32>
    }
    scf.for %j = %c0 to %c4 step %c1 {
      %i = memref.load %idx[%j] : memref<4xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e1 = %c0 to %c8 step %c1 {
        %x = memref.load %t[%r, %e1] : memref<9x8xf32>
        %a = memref.load %out[%o, %e1] : memref<5x8xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%o, %e1] : memref<5x8xf32>
      }
    }
  }
  func.return
}
