// The first rows are copies, the others sums of two rows: a condition on the outermost variable.
// idx < 9
func.func @nest(%idx: memref<10xi64>, %t: memref<9x5xf32>, %out: memref<5x5xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  scf.for %b = %c0 to %c5 step %c1 {
    %early = arith.cmpi slt, %b, %c2 : index
    scf.if %early {
      %i = memref.load %idx[%b] : memref<10xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %c5 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x5xf32>
        memref.store %x, %out[%b, %e] : memref<5x5xf32>
      }
    } else {
      scf.for %e = %c0 to %c5 step %c1 {
        memref.store %z, %out[%b, %e] : memref<5x5xf32>
      }
      %p = arith.muli %b, %c2 : index
      %q = arith.addi %p, %c2 : index
      scf.for %j = %p to %q step %c1 {
        %i = memref.load %idx[%j] : memref<10xi64>
        %r = arith.index_cast %i : i64 to index
        scf.for %e = %c0 to %c5 step %c1 {
          %x = memref.load %t[%r, %e] : memref<9x5xf32>
          %a = memref.load %out[%b, %e] : memref<5x5xf32>
          %y = arith.addf %a, %x : f32
          memref.store %y, %out[%b, %e] : memref<5x5xf32>
        }
      }
    }
  }
  func.return
}
