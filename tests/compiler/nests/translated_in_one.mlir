// The rows of a translation, h + r - t, of two tables in one expression, as linalg has them.
// hs < 9
// rs < 3
// ts < 9
func.func @nest(%hs: memref<6xi64>, %rs: memref<6xi32>, %ts: memref<6xi64>, %t: memref<9x7xf32>, %u: memref<3x7xf32>, %out: memref<6x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  scf.for %b = %c0 to %c6 step %c1 {
    scf.for %e = %c0 to %c7 step %c1 {
      %h = memref.load %hs[%b] : memref<6xi64>
      %head = arith.index_cast %h : i64 to index
      %x = memref.load %t[%head, %e] : memref<9x7xf32>
      %r = memref.load %rs[%b] : memref<6xi32>
      %relation = arith.index_cast %r : i32 to index
      %y = memref.load %u[%relation, %e] : memref<3x7xf32>
      %s = memref.load %ts[%b] : memref<6xi64>
      %tail = arith.index_cast %s : i64 to index
      %w = memref.load %t[%tail, %e] : memref<9x7xf32>
      %sum = arith.addf %x, %y : f32
      %difference = arith.subf %sum, %w : f32
      memref.store %difference, %out[%b, %e] : memref<6x7xf32>
    }
  }
  func.return
}
