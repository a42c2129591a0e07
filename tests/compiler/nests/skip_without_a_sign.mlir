// What is skipped is compared after it was extended without a sign: -1 is 4294967295, and never -2.
// marks < -2..2
// idx < 9
func.func @nest(%marks: memref<12xi32>, %idx: memref<12xi64>, %t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %last = arith.constant 4294967295 : i64
  %below = arith.constant -2 : i64
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x5xf32>
    }
    scf.for %k = %c0 to %c3 step %c1 {
      %m = arith.muli %b, %c3 : index
      %j = arith.addi %m, %k : index
      %v = memref.load %marks[%j] : memref<12xi32>
      %w = arith.extui %v : i32 to i64
      %one = arith.cmpi ne, %w, %last : i64
      %always = arith.cmpi ne, %w, %below : i64
      %both = arith.andi %one, %always : i1
      scf.if %both {
        %i = memref.load %idx[%j] : memref<12xi64>
        %r = arith.index_cast %i : i64 to index
        scf.for %e = %c0 to %c5 step %c1 {
          %x = memref.load %t[%r, %e] : memref<9x5xf32>
          %a = memref.load %out[%b, %e] : memref<4x5xf32>
          %s = arith.addf %a, %x : f32
          memref.store %s, %out[%b, %e] : memref<4x5xf32>
        }
      }
    }
  }
  func.return
}
