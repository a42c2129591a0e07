// A leaky ReLU of sums: a comparison with 0 that chooses between a sum and a part of it.
// ptr <= 11
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<11xi64>, %t: memref<9x7xf32>, %out: memref<4x7xf32>) {
  %z = arith.constant 0.0 : f32
  %slope = arith.constant 2.000000e-01 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
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
        %y = arith.addf %a, %x : f32
        scf.yield %y : f32
      }
      %above = arith.cmpf ogt, %s, %z : f32
      %part = arith.mulf %s, %slope : f32
      %leaky = arith.select %above, %s, %part : f32
      memref.store %leaky, %out[%b, %e] : memref<4x7xf32>
    }
  }
  func.return
}
