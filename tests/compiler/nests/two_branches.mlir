// Rows, or zeros where the index is the padding; and their elements by a condition with a result.
// idx < 9
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>, %out2: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 3 : i64
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %i = memref.load %idx[%b] : memref<4xi64>
    %r = arith.index_cast %i : i64 to index
    %padding = arith.cmpi eq, %i, %pad : i64
    scf.if %padding {
      scf.for %e = %c0 to %c4 step %c1 {
        memref.store %z, %out[%b, %e] : memref<4x4xf32>
      }
    } else {
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        memref.store %x, %out[%b, %e] : memref<4x4xf32>
      }
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %i = memref.load %idx[%b] : memref<4xi64>
      %r = arith.index_cast %i : i64 to index
      %some = arith.cmpi ne, %i, %pad : i64
      %y = scf.if %some -> (f32) {
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        scf.yield %x : f32
      } else {
        scf.yield %z : f32
      }
      memref.store %y, %out2[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
