// A sparse matrix times a vector: sums of products.
// ptr <= 6
// col < 9
func.func @nest(%ptr: memref<5xi32>, %col: memref<6xi32>, %val: memref<6xf32>, %t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    memref.store %z, %out[%b] : memref<4xf32>
    %next = arith.addi %b, %c1 : index
    %p = memref.load %ptr[%b] : memref<5xi32>
    %q = memref.load %ptr[%next] : memref<5xi32>
    %first = arith.index_cast %p : i32 to index
    %last = arith.index_cast %q : i32 to index
    scf.for %j = %first to %last step %c1 {
      %i = memref.load %col[%j] : memref<6xi32>
      %r = arith.index_cast %i : i32 to index
      %w = memref.load %val[%j] : memref<6xf32>
      %x = memref.load %t[%r] : memref<9xf32>
      %a = memref.load %out[%b] : memref<4xf32>
      %y = arith.mulf %w, %x : f32
      %s = arith.addf %a, %y : f32
      memref.store %s, %out[%b] : memref<4xf32>
    }
  }
  func.return
}
