// Two vectors of a row, both sums in one loop.
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
    %v0 = vector.broadcast %z : f32 to vector<4xf32>
    %s:2 = scf.for %j = %first to %last step %c1 iter_args(%a0 = %v0, %a1 = %v0) -> (vector<4xf32>, vector<4xf32>) {
      %i = memref.load %idx[%j] : memref<11xi64>
      %r = arith.index_cast %i : i64 to index
      %f = memref.load %w[%j] : memref<11xf32>
      %g = vector.broadcast %f : f32 to vector<4xf32>
      %x0 = vector.load %t[%r, %c0] : memref<9x8xf32>, vector<4xf32>
      %y0 = vector.fma %x0, %g, %a0 : vector<4xf32>
      %x1 = vector.load %t[%r, %c4] : memref<9x8xf32>, vector<4xf32>
      %y1 = vector.fma %x1, %g, %a1 : vector<4xf32>
      scf.yield %y0, %y1 : vector<4xf32>, vector<4xf32>
    }
    vector.store %s#0, %out[%b, %c0] : memref<4x8xf32>, vector<4xf32>
    vector.store %s#1, %out[%b, %c4] : memref<4x8xf32>, vector<4xf32>
  }
  func.return
}
