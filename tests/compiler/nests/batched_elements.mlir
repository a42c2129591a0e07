// Two lookups of single elements, where a mask says so, whose bags follow each other in the arrays.
// idx < 9
// mask < 2
// layers = 4
func.func @nest(%idx: memref<8xi64>, %mask: memref<8xi32>, %t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i32
  %z = arith.constant 0.000000e+00 : f32
  scf.for %f = %c0 to %c4 step %c1 {
    memref.store %z, %out[%f] : memref<4xf32>
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %m = memref.load %mask[%b] : memref<8xi32>
    %some = arith.cmpi ne, %m, %n0 : i32
    scf.if %some {
      %i = memref.load %idx[%b] : memref<8xi64>
      %r = arith.index_cast %i : i64 to index
      %x = memref.load %t[%r] : memref<9xf32>
      %a = memref.load %out[%b] : memref<4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b] : memref<4xf32>
    }
  }
  scf.for %b = %c0 to %c4 step %c1 {
    %at = arith.addi %b, %c4 : index
    %m = memref.load %mask[%at] : memref<8xi32>
    %some = arith.cmpi ne, %m, %n0 : i32
    scf.if %some {
      %i = memref.load %idx[%at] : memref<8xi64>
      %r = arith.index_cast %i : i64 to index
      %x = memref.load %t[%r] : memref<9xf32>
      %a = memref.load %out[%b] : memref<4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b] : memref<4xf32>
    }
  }
  func.return
}
