// A sparse matrix times a vector, the sum of a row in a register.
// ptr <= 12
// col < 9
func.func @nest(%ptr: memref<5xi64>, %col: memref<12xi32>, %val: memref<12xf32>, %x: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    %s = scf.for %j = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
      %i = memref.load %col[%j] : memref<12xi32>
      %r = arith.index_cast %i : i32 to index
      %w = memref.load %val[%j] : memref<12xf32>
      %v = memref.load %x[%r] : memref<9xf32>
      %m = math.fma %v, %w, %acc : f32
      scf.yield %m : f32
    }
    memref.store %s, %out[%b] : memref<4xf32>
  }
  func.return
}
