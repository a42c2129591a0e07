// Entries with rows, whose row and column are loaded for each element.
// row < 4
// col < 9
func.func @nest(%row: memref<12xi64>, %col: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %f = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%f, %e] : memref<4x4xf32>
    }
  }
  scf.for %n = %c0 to %c12 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %i = memref.load %row[%n] : memref<12xi64>
      %r = arith.index_cast %i : i64 to index
      %j = memref.load %col[%n] : memref<12xi32>
      %c = arith.index_cast %j : i32 to index
      %x = memref.load %t[%c, %e] : memref<9x4xf32>
      %a = memref.load %out[%r, %e] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%r, %e] : memref<4x4xf32>
    }
  }
  func.return
}
