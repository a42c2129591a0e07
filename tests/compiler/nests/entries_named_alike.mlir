// Entries whose columns are called as offsets of the rows would be.
// row < 3
// row_offsets < 6
func.func @nest(%row: memref<5xi64>, %row_offsets: memref<5xi64>, %t: memref<6x4xf32>, %out: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c3 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e] : memref<3x4xf32>
    }
  }
  scf.for %j = %c0 to %c5 step %c1 {
    %d = memref.load %row[%j] : memref<5xi64>
    %s = memref.load %row_offsets[%j] : memref<5xi64>
    %r = arith.index_cast %d : i64 to index
    %q = arith.index_cast %s : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e] : memref<6x4xf32>
      %a = memref.load %out[%r, %e] : memref<3x4xf32>
      %y = arith.addf %a, %x : f32
      memref.store %y, %out[%r, %e] : memref<3x4xf32>
    }
  }
  func.return
}
