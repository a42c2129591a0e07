// Two loops one after the other, each with an output of its own.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %out2: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e0 = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e0] : memref<4x4xf32>
    }
    scf.for %e0 = %c0 to %c4 step %c1 {
      memref.store %z, %out2[%b, %e0] : memref<4x4xf32>
    }
    scf.for %j = %c0 to %c3 step %c1 {
      %i = memref.load %idx[%j] : memref<4xi64>
      %r = arith.index_cast %i : i64 to index
    scf.for %e1 = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e1] : memref<9x4xf32>
        %a = memref.load %out[%b, %e1] : memref<4x4xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out[%b, %e1] : memref<4x4xf32>
      }
    }
    scf.for %k = %c1 to %c4 step %c2 {
      scf.for %e1 = %c0 to %c4 step %c1 {
        %x = memref.load %t[%k, %e1] : memref<9x4xf32>
        %a = memref.load %out2[%b, %e1] : memref<4x4xf32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %out2[%b, %e1] : memref<4x4xf32>
      }
    }
  }
  func.return
}
