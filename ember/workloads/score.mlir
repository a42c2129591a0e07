// How well each candidate fits a query: out[b] = the sum of query[e] * table[indices[b], e].
func.func @op(%indices: memref<?xi32>, %query: memref<?xf32>, %table: memref<?x?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %indices, %c0 : memref<?xi32>
  %dim = memref.dim %query, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    memref.store %zero, %out[%b] : memref<?xf32>
    %i = memref.load %indices[%b] : memref<?xi32>
    %row = arith.index_cast %i : i32 to index
    scf.for %e = %c0 to %dim step %c1 {
      %q = memref.load %query[%e] : memref<?xf32>
      %x = memref.load %table[%row, %e] : memref<?x?xf32>
      %acc = memref.load %out[%b] : memref<?xf32>
      %sum = math.fma %q, %x, %acc : f32
      memref.store %sum, %out[%b] : memref<?xf32>
    }
  }
  func.return
}
