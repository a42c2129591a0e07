// The rows of a translation, h + r - t, from two tables.
// hs < 9
// rs < 3
// ts < 9
func.func @nest(%hs: memref<6xi64>, %rs: memref<6xi32>, %ts: memref<6xi64>, %t: memref<9x7xf32>, %u: memref<3x7xf32>, %out: memref<6x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  scf.for %b = %c0 to %c6 step %c1 {
    %h = memref.load %hs[%b] : memref<6xi64>
    %r = memref.load %rs[%b] : memref<6xi32>
    %s = memref.load %ts[%b] : memref<6xi64>
    %head = arith.index_cast %h : i64 to index
    %relation = arith.index_cast %r : i32 to index
    %tail = arith.index_cast %s : i64 to index
    scf.for %e = %c0 to %c7 step %c1 {
      %x = memref.load %t[%head, %e] : memref<9x7xf32>
      memref.store %x, %out[%b, %e] : memref<6x7xf32>
    }
    scf.for %e1 = %c0 to %c7 step %c1 {
      %x1 = memref.load %u[%relation, %e1] : memref<3x7xf32>
      %a1 = memref.load %out[%b, %e1] : memref<6x7xf32>
      %y1 = arith.addf %a1, %x1 : f32
      memref.store %y1, %out[%b, %e1] : memref<6x7xf32>
    }
    scf.for %e2 = %c0 to %c7 step %c1 {
      %x2 = memref.load %t[%tail, %e2] : memref<9x7xf32>
      %a2 = memref.load %out[%b, %e2] : memref<6x7xf32>
      %y2 = arith.subf %a2, %x2 : f32
      memref.store %y2, %out[%b, %e2] : memref<6x7xf32>
    }
  }
  func.return
}
