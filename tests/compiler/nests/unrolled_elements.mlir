// The loop over elements is unrolled by 4.
// ptr <= 11
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<11xi64>, %w: memref<11xf32>, %t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %e = %c0 to %c8 step %c1 {
      memref.store %z, %out[%b, %e] : memref<4x8xf32>
    }
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<11xi64>
      %r = arith.index_cast %i : i64 to index
      %f = memref.load %w[%j] : memref<11xf32>
      scf.for %e = %c0 to %c8 step %c4 {
        %x0 = memref.load %t[%r, %e] : memref<9x8xf32>
        %m0 = arith.mulf %x0, %f : f32
        %a0 = memref.load %out[%b, %e] : memref<4x8xf32>
        %y0 = arith.addf %a0, %m0 : f32
        memref.store %y0, %out[%b, %e] : memref<4x8xf32>
        %s1 = arith.muli %c1, %c1 : index
        %e1 = arith.addi %e, %s1 : index
        %x1 = memref.load %t[%r, %e1] : memref<9x8xf32>
        %m1 = arith.mulf %x1, %f : f32
        %a1 = memref.load %out[%b, %e1] : memref<4x8xf32>
        %y1 = arith.addf %a1, %m1 : f32
        memref.store %y1, %out[%b, %e1] : memref<4x8xf32>
        %s2 = arith.muli %c1, %c2 : index
        %e2 = arith.addi %e, %s2 : index
        %x2 = memref.load %t[%r, %e2] : memref<9x8xf32>
        %m2 = arith.mulf %x2, %f : f32
        %a2 = memref.load %out[%b, %e2] : memref<4x8xf32>
        %y2 = arith.addf %a2, %m2 : f32
        memref.store %y2, %out[%b, %e2] : memref<4x8xf32>
        %s3 = arith.muli %c1, %c3 : index
        %e3 = arith.addi %e, %s3 : index
        %x3 = memref.load %t[%r, %e3] : memref<9x8xf32>
        %m3 = arith.mulf %x3, %f : f32
        %a3 = memref.load %out[%b, %e3] : memref<4x8xf32>
        %y3 = arith.addf %a3, %m3 : f32
        memref.store %y3, %out[%b, %e3] : memref<4x8xf32>
      }
    }
  }
  func.return
}
