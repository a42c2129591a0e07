// Columns from 3 on are left out by a choice on the element's number, and the rest is a sum.
// ptr <= 11
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<11xi64>, %t: memref<9x7xf32>, %out: memref<4x7xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %e = %c0 to %c7 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x7xf32>
    }
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<11xi64>
      %r = arith.index_cast %i : i64 to index
      scf.for %e1 = %c0 to %c7 step %c1 {
        %x = memref.load %t[%r, %e1] : memref<9x7xf32>
        %inside = arith.cmpi ult, %e1, %c3 : index
        %m = arith.select %inside, %x, %z : f32
        %a = memref.load %out[%b, %e1] : memref<4x7xf32>
        %y = arith.addf %a, %m : f32
        memref.store %y, %out[%b, %e1] : memref<4x7xf32>
      }
    }
  }
  func.return
}
