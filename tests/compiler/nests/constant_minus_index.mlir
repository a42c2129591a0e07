// A row counted from the end.
// idx < 5
// layers = 4
func.func @nest(%idx: memref<4xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e0 = %c0 to %c4 step %c1 {
      memref.store %z, %out[%b, %e0] : memref<4x4xf32>
    }
    %i = memref.load %idx[%b] : memref<4xi64>
    %good = arith.cmpi sge, %i, %zero : i64
    cf.assert %good, "an index below 0"
    %r = arith.index_cast %i : i64 to index
    %q = arith.subi %c4, %r : index
    scf.for %e1 = %c0 to %c4 step %c1 {
      %x = memref.load %t[%q, %e1] : memref<9x4xf32>
      %a = memref.load %out[%b, %e1] : memref<4x4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e1] : memref<4x4xf32>
    }
  }
  func.return
}
