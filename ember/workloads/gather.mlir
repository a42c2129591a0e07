// Rows are copied to where they are needed: out[b] = table[indices[b]].
func.func @op(%indices: memref<?xi32>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %indices, %c0 : memref<?xi32>
  %dim = memref.dim %table, %c1 : memref<?x?xf32>
  scf.for %b = %c0 to %n step %c1 {
    %i = memref.load %indices[%b] : memref<?xi32>
    %row = arith.index_cast %i : i32 to index
    scf.for %e = %c0 to %dim step %c1 {
      %x = memref.load %table[%row, %e] : memref<?x?xf32>
      memref.store %x, %out[%b, %e] : memref<?x?xf32>
    }
  }
  func.return
}
