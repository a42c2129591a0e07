// Means without padding, sums and counts in registers.
// ptr <= 12
// idx < 9
func.func @nest(%ptr: memref<5xi64>, %idx: memref<12xi64>, %t: memref<9x4xf32>, %out: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %pad = arith.constant 3 : i64
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %next = arith.addi %b, %c1 : index
      %p = memref.load %ptr[%b] : memref<5xi64>
      %q = memref.load %ptr[%next] : memref<5xi64>
      %first = arith.index_cast %p : i64 to index
      %last = arith.index_cast %q : i64 to index
      %s, %n = scf.for %j = %first to %last step %c1 iter_args(%acc = %z, %k = %n0) -> (f32, i32) {
        %i = memref.load %idx[%j] : memref<12xi64>
        %r = arith.index_cast %i : i64 to index
        %w = arith.cmpi ne, %i, %pad : i64
        %f, %g = scf.if %w -> (f32, i32) {
          %x = memref.load %t[%r, %e] : memref<9x4xf32>
          %sum = arith.addf %acc, %x : f32
          %m = arith.addi %k, %n1 : i32
          scf.yield %sum, %m : f32, i32
        } else {
          scf.yield %acc, %k : f32, i32
        }
        scf.yield %f, %g : f32, i32
      }
      %some = arith.cmpi ne, %n, %n0 : i32
      %mean = scf.if %some -> (f32) {
        %d = arith.uitofp %n : i32 to f32
        %h = arith.divf %s, %d : f32
        scf.yield %h : f32
      } else {
        scf.yield %s : f32
      }
      memref.store %mean, %out[%b, %e] : memref<4x4xf32>
    }
  }
  func.return
}
