// Messages along edges, weighted: sources and destinations are rows of one array.
// edge < 6
func.func @nest(%edge: memref<2x17xi64>, %w: memref<17xf32>, %x: memref<6x7xf32>, %out: memref<6x7xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c17 = arith.constant 17 : index
  scf.for %r = %c0 to %c6 step %c1 {
    scf.for %e = %c0 to %c7 step %c1 {
      memref.store %z, %out[%r, %e] : memref<6x7xf32>
    }
  }
  %from = memref.subview %edge[0, 0] [1, 17] [1, 1] : memref<2x17xi64> to memref<17xi64, strided<[1]>>
  scf.for %j = %c0 to %c17 step %c1 {
    %s = memref.load %from[%j] : memref<17xi64, strided<[1]>>
    %d = memref.load %edge[%c1, %j] : memref<2x17xi64>
    %source = arith.index_cast %s : i64 to index
    %target = arith.index_cast %d : i64 to index
    %v = memref.load %w[%j] : memref<17xf32>
    scf.for %e = %c0 to %c7 step %c1 {
      %y = memref.load %x[%source, %e] : memref<6x7xf32>
      %m = arith.mulf %y, %v : f32
      %a = memref.load %out[%target, %e] : memref<6x7xf32>
      %n = arith.addf %a, %m : f32
      memref.store %n, %out[%target, %e] : memref<6x7xf32>
    }
  }
  func.return
}
