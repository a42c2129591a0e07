// Sums of groups of bags: two loops hand the sum on.
// grp <= 8
// ptr <= 12
// idx < 9
// layers = 4
func.func @nest(%grp: memref<5xi64>, %ptr: memref<9xi64>, %idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %following = arith.addi %b, %c1 : index
      %p0 = memref.load %grp[%b] : memref<5xi64>
      %q0 = memref.load %grp[%following] : memref<5xi64>
      %first0 = arith.index_cast %p0 : i64 to index
      %last0 = arith.index_cast %q0 : i64 to index
      %s = scf.for %g = %first0 to %last0 step %c1 iter_args(%a = %z) -> (f32) {
        %next = arith.addi %g, %c1 : index
        %p = memref.load %ptr[%g] : memref<9xi64>
        %q = memref.load %ptr[%next] : memref<9xi64>
        %first = arith.index_cast %p : i64 to index
        %last = arith.index_cast %q : i64 to index
        %h = scf.for %j = %first to %last step %c1 iter_args(%acc = %a) -> (f32) {
          %i = memref.load %idx[%j] : memref<12xi64>
          %r = arith.index_cast %i : i64 to index
          %x = memref.load %t[%r, %e] : memref<9x4xf32>
          %sum = arith.addf %acc, %x : f32
          scf.yield %sum : f32
        }
        scf.yield %h : f32
      }
      memref.store %s, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
