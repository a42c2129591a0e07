// A truth value with a sign is -1 where it is true: the first two bags take the row behind theirs.
func.func @nest(%t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %early = arith.cmpi slt, %b, %c2 : index
    %w = arith.extsi %early : i1 to i64
    %i = arith.index_cast %w : i64 to index
    %r = arith.subi %b, %i : index
    scf.for %e = %c0 to %c5 step %c1 {
      %x = memref.load %t[%r, %e] : memref<9x5xf32>
      memref.store %x, %out[%b, %e] : memref<4x5xf32>
    }
  }
  func.return
}
