// A vectorized sum: a loop in steps of a vector, whose sum is a vector in iter_args.
// ptr <= 11
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<11xi64>, %w: memref<11xf32>, %t: memref<9x16xf32>, %out: memref<4x16xf32>) {
  %cst = arith.constant dense<0.000000e+00> : vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi64>
    %q = memref.load %ptr[%next] : memref<5xi64>
    %first = arith.index_cast %p : i64 to index
    %last = arith.index_cast %q : i64 to index
    scf.for %e = %c0 to %c16 step %c8 {
      %sum = scf.for %j = %first to %last step %c1 iter_args(%a = %cst) -> (vector<8xf32>) {
        %i = memref.load %idx[%j] : memref<11xi64>
        %r = arith.index_cast %i : i64 to index
        %f = memref.load %w[%j] : memref<11xf32>
        %v = vector.broadcast %f : f32 to vector<8xf32>
        %x = vector.load %t[%r, %e] : memref<9x16xf32>, vector<8xf32>
        %m = arith.mulf %x, %v : vector<8xf32>
        %s = arith.addf %a, %m : vector<8xf32>
        scf.yield %s : vector<8xf32>
      }
      vector.store %sum, %out[%b, %e] : memref<4x16xf32>, vector<8xf32>
    }
  }
  func.return
}
