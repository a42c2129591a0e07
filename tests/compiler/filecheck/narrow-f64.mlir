// RUN: narrow-f64

// Arrays, vectors, constants, what loops hand on; conversions between f32 and f64 go.
func.func @narrowed(%w: memref<4xf32>, %t: memref<9x4xf64, strided<[5, 1]>>, %out: memref<?x4xf64, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %tenth = arith.constant 0.1 : f64
  %large = arith.constant 1.0e300 : f64
  %two = arith.constant dense<[0.1, 2.0]> : vector<2xf64>
  %s = scf.for %b = %c0 to %c4 step %c1 iter_args(%sum = %tenth) -> (f64) {
    %f = memref.load %w[%b] : memref<4xf32>
    %g = arith.extf %f : f32 to f64
    %x = memref.load %t[%b, %c0] : memref<9x4xf64, strided<[5, 1]>>
    %y = arith.mulf %x, %g : f64
    %next = arith.addf %sum, %y : f64
    memref.store %next, %out[%b, %c1] : memref<?x4xf64, 1>
    %n = arith.truncf %next : f64 to f32
    memref.store %n, %w[%b] : memref<4xf32>
    scf.yield %next : f64
  }
  memref.store %large, %out[%c0, %c0] : memref<?x4xf64, 1>
  vector.store %two, %out[%c0, %c0] : memref<?x4xf64, 1>, vector<2xf64>
  func.return
}

// CHECK:       func.func @narrowed(%w: memref<4xf32>, %t: memref<9x4xf32, strided<[5, 1]>>, %out: memref<?x4xf32, 1 : i64>) {
// CHECK:         %tenth = arith.constant 1.000000e-01 : f32
// CHECK-NEXT:    %large = arith.constant 0x7f800000 : f32
// CHECK-NEXT:    %two = arith.constant dense<[1.000000e-01, 2.000000e+00]> : vector<2xf32>
// CHECK-NEXT:    %s = scf.for %b = %c0 to %c4 step %c1 iter_args(%sum = %tenth) -> (f32) {
// CHECK-NEXT:      %f = memref.load %w[%b] : memref<4xf32>
// CHECK-NEXT:      %x = memref.load %t[%b, %c0] : memref<9x4xf32, strided<[5, 1]>>
// CHECK-NEXT:      %y = arith.mulf %x, %f : f32
// CHECK-NEXT:      %next = arith.addf %sum, %y : f32
// CHECK-NEXT:      memref.store %next, %out[%b, %c1] : memref<?x4xf32, 1 : i64>
// CHECK-NEXT:      memref.store %next, %w[%b] : memref<4xf32>
// CHECK-NEXT:      scf.yield %next : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %large, %out[%c0, %c0] : memref<?x4xf32, 1 : i64>
// CHECK-NEXT:    vector.store %two, %out[%c0, %c0] : memref<?x4xf32, 1 : i64>, vector<2xf32>

// -----

// Other types, and conversions between them, are left alone.
func.func @others(%i: memref<4xi64>, %h: memref<4xf16>, %t: memref<4xf64>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 3 : i64
  %half = arith.constant 5.000000e-01 : f16
  memref.store %k, %i[%c0] : memref<4xi64>
  memref.store %half, %h[%c0] : memref<4xf16>
  %x = memref.load %h[%c0] : memref<4xf16>
  %y = arith.extf %x : f16 to f32
  memref.store %y, %out[%c0] : memref<4xf32>
  %z = arith.extf %x : f16 to f64
  memref.store %z, %t[%c0] : memref<4xf64>
  func.return
}

// CHECK:       func.func @others(%i: memref<4xi64>, %h: memref<4xf16>, %t: memref<4xf32>, %out: memref<4xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %k = arith.constant 3 : i64
// CHECK-NEXT:    %half = arith.constant 5.000000e-01 : f16
// CHECK-NEXT:    memref.store %k, %i[%c0] : memref<4xi64>
// CHECK-NEXT:    memref.store %half, %h[%c0] : memref<4xf16>
// CHECK-NEXT:    %x = memref.load %h[%c0] : memref<4xf16>
// CHECK-NEXT:    %y = arith.extf %x : f16 to f32
// CHECK-NEXT:    memref.store %y, %out[%c0] : memref<4xf32>
// CHECK-NEXT:    %z = arith.extf %x : f16 to f32
// CHECK-NEXT:    memref.store %z, %t[%c0] : memref<4xf32>
