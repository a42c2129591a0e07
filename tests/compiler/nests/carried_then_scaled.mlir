// What is stored is computed from the sum: behind the loop it is half of it.
// ptr <= 12
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %half = arith.constant 5.000000e-01 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %e = %c0 to %c4 step %c1 {
      %s = scf.for %j = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
        %i = memref.load %idx[%j] : memref<12xi64>
        %r = arith.index_cast %i : i64 to index
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %sum = arith.addf %acc, %x : f32
        scf.yield %sum : f32
      }
      %y = arith.mulf %s, %half : f32
      memref.store %y, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
