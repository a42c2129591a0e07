// The sum of an element is in a cell, as a reduction of one element is a buffer without dimensions.
// ptr <= 12
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %sum = memref.alloca() : memref<f32>
      memref.store %z, %sum[] : memref<f32>
      %next = arith.addi %b, %c1 : index
      %p = memref.load %ptr[%b] : memref<5xi64>
      %q = memref.load %ptr[%next] : memref<5xi64>
      %first = arith.index_cast %p : i64 to index
      %last = arith.index_cast %q : i64 to index
      scf.for %j = %first to %last step %c1 {
        %i = memref.load %idx[%j] : memref<12xi64>
        %r = arith.index_cast %i : i64 to index
        %x = memref.load %t[%r, %e] : memref<9x4xf32>
        %a = memref.load %sum[] : memref<f32>
        %s = arith.addf %a, %x : f32
        memref.store %s, %sum[] : memref<f32>
      }
      %y = memref.load %sum[] : memref<f32>
      memref.store %y, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
