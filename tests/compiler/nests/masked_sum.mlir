// Padding adds 0 instead of its row: a choice by the index, with the sum in iter_args.
// ptr <= 11
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<11xi64>, %t: memref<9x7xf32>, %out: memref<4x7xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %pad = arith.constant 2 : i64
  scf.for %b = %c0 to %c4 step %c1 {
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %e = %c0 to %c7 step %c1 {
      %s = scf.for %j = %first to %last step %c1 iter_args(%a = %z) -> (f32) {
        %i = memref.load %idx[%j] : memref<11xi64>
        %r = arith.index_cast %i : i64 to index
        %x = memref.load %t[%r, %e] : memref<9x7xf32>
        %is = arith.cmpi eq, %i, %pad : i64
        %m = arith.select %is, %z, %x : f32
        %y = arith.addf %a, %m : f32
        scf.yield %y : f32
      }
      memref.store %s, %out[%b, %e] : memref<4x7xf32>
    }
  }
  func.return
}
