// An index that counts as a row of zeros, where only later columns of rows are read.
// index0 < 3
func.func @nest(%index0: memref<4xi64>, %table: memref<3x7xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  %k = arith.constant 0 : i64
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x5xf32>
    }
    %i = memref.load %index0[%b] : memref<4xi64>
    %w = arith.cmpi ne, %i, %k : i64
    %n = arith.index_cast %i : i64 to index
    scf.for %e = %c0 to %c5 step %c1 {
      %f = arith.addi %e, %c2 : index
      %x = memref.load %table[%n, %f] : memref<3x7xf32>
      %y = arith.select %w, %x, %z : f32
      %acc = memref.load %out[%b, %e] : memref<4x5xf32>
      %r = arith.addf %acc, %y : f32
      memref.store %r, %out[%b, %e] : memref<4x5xf32>
    }
  }
  func.return
}
