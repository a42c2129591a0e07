// Three entries from where an array says on: the position is handed on, too.
// start < 9
// idx < 9
// layers = 4
func.func @nest(%start: memref<4xi64>, %idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n0 = arith.constant 0 : i64
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %p = memref.load %start[%b] : memref<4xi64>
      %good = arith.cmpi sge, %p, %n0 : i64
      cf.assert %good, "at least 0"
      %first = arith.index_cast %p : i64 to index
      %s, %end = scf.for %j = %c0 to %c3 step %c1 iter_args(%acc = %z, %at = %first) -> (f32, index) {
        %i = memref.load %idx[%at] : memref<12xi64>
        %r = arith.index_cast %i : i64 to index
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %sum = arith.addf %acc, %x : f32
        %next = arith.addi %at, %c1 : index
        scf.yield %sum, %next : f32, index
      }
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
