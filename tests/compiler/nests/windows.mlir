// Windows over a list: the index is a sum of two variables.
// idx < 9
func.func @nest(%idx: memref<8xi32>, %t: memref<9x5xf32>, %out: memref<5x5xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %b = %c0 to %c5 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %z, %out[%b, %e] : memref<5x5xf32>
    }
    scf.for %s = %c0 to %c4 step %c1 {
      %k = arith.addi %b, %s : index
      %i = memref.load %idx[%k] : memref<8xi32>
      %r = arith.index_cast %i : i32 to index
      scf.for %e1 = %c0 to %c5 step %c1 {
        %x = memref.load %t[%r, %e1] : memref<9x5xf32>
        %a = memref.load %out[%b, %e1] : memref<5x5xf32>
        %y = arith.addf %a, %x : f32
        memref.store %y, %out[%b, %e1] : memref<5x5xf32>
      }
    }
  }
  func.return
}
