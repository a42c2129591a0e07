// Rows of four elements, each column for itself.
// ptr <= 11
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<11xi64>, %w: memref<11xf32>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
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
    memref.store %z, %out[%b, %c0] : memref<4x4xf32>
    memref.store %z, %out[%b, %c1] : memref<4x4xf32>
    memref.store %z, %out[%b, %c2] : memref<4x4xf32>
    memref.store %z, %out[%b, %c3] : memref<4x4xf32>
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %idx[%j] : memref<11xi64>
      %r = arith.index_cast %i : i64 to index
      %f = memref.load %w[%j] : memref<11xf32>
      %x0 = memref.load %t[%r, %c0] : memref<9x4xf32>
      %a0 = memref.load %out[%b, %c0] : memref<4x4xf32>
      %y0 = math.fma %x0, %f, %a0 : f32
      memref.store %y0, %out[%b, %c0] : memref<4x4xf32>
      %x1 = memref.load %t[%r, %c1] : memref<9x4xf32>
      %a1 = memref.load %out[%b, %c1] : memref<4x4xf32>
      %y1 = math.fma %x1, %f, %a1 : f32
      memref.store %y1, %out[%b, %c1] : memref<4x4xf32>
      %x2 = memref.load %t[%r, %c2] : memref<9x4xf32>
      %a2 = memref.load %out[%b, %c2] : memref<4x4xf32>
      %y2 = math.fma %x2, %f, %a2 : f32
      memref.store %y2, %out[%b, %c2] : memref<4x4xf32>
      %x3 = memref.load %t[%r, %c3] : memref<9x4xf32>
      %a3 = memref.load %out[%b, %c3] : memref<4x4xf32>
      %y3 = math.fma %x3, %f, %a3 : f32
      memref.store %y3, %out[%b, %c3] : memref<4x4xf32>
    }
  }
  func.return
}
