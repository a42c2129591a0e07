// More loops than layers: the outermost one is written out.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %g = %c0 to %c2 step %c1 {
    scf.for %b = %c0 to %c2 step %c1 {
      %p = arith.muli %g, %c2 : index
      %row = arith.addi %p, %b : index
      scf.for %e0 = %c0 to %c4 step %c1 {
        memref.store %z, %out[%row, %e0] : memref<4x4xf32>
      }
      scf.for %j = %c0 to %c3 step %c1 {
        %i = memref.load %idx[%j] : memref<4xi64>
        %r = arith.index_cast %i : i64 to index
        scf.for %e1 = %c0 to %c4 step %c1 {
          %x = memref.load %t[%r, %e1] : memref<9x4xf32>
          %a = memref.load %out[%row, %e1] : memref<4x4xf32>
          %s = arith.addf %a, %x : f32
          memref.store %s, %out[%row, %e1] : memref<4x4xf32>
        }
      }
    }
  }
  func.return
}
