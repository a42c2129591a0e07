// Entries whose flag is not set leave the sum as it is.
// ptr <= 12
// idx < 9
// flag < 2
func.func @nest(%ptr: memref<5xi64>, %idx: memref<12xi64>, %flag: memref<12xi32>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %n0 = arith.constant 0 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %next = arith.addi %b, %c1 : index
      %p = memref.load %ptr[%b] : memref<5xi64>
      %q = memref.load %ptr[%next] : memref<5xi64>
      %first = arith.index_cast %p : i64 to index
      %last = arith.index_cast %q : i64 to index
      %s = scf.for %j = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
        %i = memref.load %idx[%j] : memref<12xi64>
        %f = memref.load %flag[%j] : memref<12xi32>
        %r = arith.index_cast %i : i64 to index
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %sum = arith.addf %acc, %x : f32
        %off = arith.cmpi eq, %f, %n0 : i32
        %new = arith.select %off, %acc, %sum : f32
        scf.yield %new : f32
      }
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
