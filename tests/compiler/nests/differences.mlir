// Rows are subtracted.
// idx < 9
func.func @nest(%idx: memref<12xi64>, %t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x5xf32>
    }
    %p = arith.muli %b, %c3 : index
    %q = arith.addi %p, %c3 : index
    scf.for %j = %p to %q step %c1 {
      %i = memref.load %idx[%j] : memref<12xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e1 = %c0 to %c5 step %c1 {
        %x = memref.load %t[%r, %e1] : memref<9x5xf32>
        %a = memref.load %out[%b, %e1] : memref<4x5xf32>
        %y = arith.subf %a, %x : f32
        memref.store %y, %out[%b, %e1] : memref<4x5xf32>
      }
    }
  }
  func.return
}
