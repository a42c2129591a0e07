// A sum of whole rows, each a vector, in iter_args, as mlir-opt prints it.
// ptr <= 11
// idx < 9
module {
  func.func @nest(%ptr: memref<5xindex>, %idx: memref<11xindex>, %t: memref<9x16xf32>, %out: memref<4x16xf32>) {
    %cst = arith.constant dense<0.000000e+00> : vector<16xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %arg4 = %c0 to %c4 step %c1 {
      %0 = memref.load %ptr[%arg4] : memref<5xindex>
      %1 = arith.addi %arg4, %c1 : index
      %2 = memref.load %ptr[%1] : memref<5xindex>
      %3 = scf.for %arg5 = %0 to %2 step %c1 iter_args(%arg6 = %cst) -> (vector<16xf32>) {
        %4 = memref.load %idx[%arg5] : memref<11xindex>
        %5 = vector.transfer_read %t[%4, %c0], %cst_0 {in_bounds = [true]} : memref<9x16xf32>, vector<16xf32>
        %6 = arith.addf %arg6, %5 : vector<16xf32>
        scf.yield %6 : vector<16xf32>
      }
      vector.transfer_write %3, %out[%arg4, %c0] {in_bounds = [true]} : vector<16xf32>, memref<4x16xf32>
    }
    return
  }
}
