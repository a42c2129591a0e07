// A weighted bag as mlir-opt has it before it lowers affine loops, unrolled by 2.
// offsets <= 11
// indices < 9
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 * 4 + s0)>
module {
  func.func @nest(%offsets: memref<5xindex>, %indices: memref<11xindex>, %weights: memref<11xf32>, %table: memref<36x8xf32>, %out: memref<4x8xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c2 = arith.constant 2 : index
    affine.for %arg5 = 0 to 4 {
      affine.for %arg6 = 0 to 8 {
        affine.store %cst, %out[%arg5, %arg6] : memref<4x8xf32>
      }
      %0 = affine.load %offsets[%arg5] : memref<5xindex>
      %1 = affine.load %offsets[%arg5 + 1] : memref<5xindex>
      affine.for %arg6 = #map(%0) to #map(%1) {
        %2 = affine.load %indices[%arg6] : memref<11xindex>
        %3 = affine.load %weights[%arg6] : memref<11xf32>
        %4 = affine.apply #map1(%2)[%c2]
        affine.for %arg7 = 0 to 8 step 2 {
          %5 = memref.load %table[%4, %arg7] : memref<36x8xf32>
          %6 = arith.mulf %5, %3 : f32
          %7 = affine.load %out[%arg5, %arg7] : memref<4x8xf32>
          %8 = arith.addf %7, %6 : f32
          affine.store %8, %out[%arg5, %arg7] : memref<4x8xf32>
          %9 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg7)
          %10 = memref.load %table[%4, %9] : memref<36x8xf32>
          %11 = arith.mulf %10, %3 : f32
          %12 = affine.load %out[%arg5, %arg7 + 1] : memref<4x8xf32>
          %13 = arith.addf %12, %11 : f32
          affine.store %13, %out[%arg5, %arg7 + 1] : memref<4x8xf32>
        }
      }
    }
    return
  }
}
