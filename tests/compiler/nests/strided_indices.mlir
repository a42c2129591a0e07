// Indices and weights that are two elements apart.
// ptr <= 6
// idx < 9
// layers = 4
func.func @nest(%ptr: memref<5xi64>, %idx: memref<6xi64, strided<[2]>>, %w: memref<6xf32, strided<[2]>>, %t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x5xf32>
    }
    %b1 = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%b1] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<6xi64, strided<[2]>>
      %r = arith.index_cast %i : i64 to index
      %f = memref.load %w[%j] : memref<6xf32, strided<[2]>>
      scf.for %e = %c0 to %c5 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x5xf32>
        %m = arith.mulf %x, %f : f32
        %a = memref.load %out[%b, %e] : memref<4x5xf32>
        %s = arith.addf %a, %m : f32
        memref.store %s, %out[%b, %e] : memref<4x5xf32>
      }
    }
  }
  func.return
}
