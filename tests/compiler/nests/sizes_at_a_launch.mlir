// Sizes of arrays and a bound that are known at a launch.
// idx < 7
// idx : 4
// t : 9x6
// out : 4x6
// n = 4
// k = 2
func.func @nest(%idx: memref<?xi64>, %t: memref<?x?xf32>, %out: memref<?x?xf32>, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %z = arith.constant 0.000000e+00 : f32
  %d = memref.dim %t, %c1 : memref<?x?xf32>
  scf.for %b = %c0 to %n step %c1 {
    scf.for %e0 = %c0 to %d step %c1 {
      memref.store %z, %out[%b, %e0] : memref<?x?xf32>
    }
    %i = memref.load %idx[%b] : memref<?xi64>
    %good = arith.cmpi sge, %i, %zero : i64
    cf.assert %good, "an index below 0"
    %r = arith.index_cast %i : i64 to index
    %q = arith.addi %r, %k : index
    scf.for %e1 = %c0 to %d step %c1 {
      %x = memref.load %t[%q, %e1] : memref<?x?xf32>
      %a = memref.load %out[%b, %e1] : memref<?x?xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%b, %e1] : memref<?x?xf32>
    }
  }
  func.return
}
