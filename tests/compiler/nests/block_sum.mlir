// A block-sparse sum: rows of a block of three are worked on in turns.
// ptr <= 6
// col < 9
func.func @nest(%ptr: memref<5xi64>, %col: memref<6xi32>, %w: memref<6xf32>, %t: memref<27x5xf32>, %out: memref<12x5xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %o0 = arith.muli %b, %c3 : index
    scf.for %s = %c0 to %c3 step %c1 {
      %o = arith.addi %o0, %s : index
      scf.for %e = %c0 to %c5 step %c1 {
        memref.store %z, %out[%o, %e] : memref<12x5xf32>
      }
    }
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %k = %first to %last step %c1 {
      %j = memref.load %col[%k] : memref<6xi32>
      %block = arith.index_cast %j : i32 to index
      %j0 = arith.muli %block, %c3 : index
      %f = memref.load %w[%k] : memref<6xf32>
      scf.for %s = %c0 to %c3 step %c1 {
        %o = arith.addi %o0, %s : index
        %r = arith.addi %j0, %s : index
        scf.for %e = %c0 to %c5 step %c1 {
          %x = memref.load %t[%r, %e] : memref<27x5xf32>
          %m = arith.mulf %x, %f : f32
          %a = memref.load %out[%o, %e] : memref<12x5xf32>
          %y = arith.addf %a, %m : f32
          memref.store %y, %out[%o, %e] : memref<12x5xf32>
        }
      }
    }
  }
  func.return
}
