// RUN: flatten-addresses

// The product stands where the row is known, and is made once; the view keeps the offset.
slc.func @flat(%idxs: memref<20xi64>, %table: memref<10x8xf32, strided<[32, 1], offset: 16>>) {
  slc.loop (%j = 0 to 20 step 1) {
    %i = slc.load %idxs[%j] : memref<20xi64>
    slc.check %i below 10 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%i, %e] : memref<10x8xf32, strided<[32, 1], offset: 16>>
      %y = slc.load %table[%i, %e] : memref<10x8xf32, strided<[32, 1], offset: 16>>
    }
  }
}

// CHECK:       slc.func @flat(%idxs: memref<20xi64>, %table: memref<10x8xf32, strided<[32, 1], offset: 16>>) {
// CHECK-NEXT:    %table_flat = memref.reinterpret_cast %table to offset: [16], sizes: [296], strides: [1] : memref<10x8xf32, strided<[32, 1], offset: 16>> to memref<296xf32, strided<[1], offset: 16>>
// CHECK-NEXT:    slc.loop (%j = 0 to 20 step 1) {
// CHECK-NEXT:      %i = slc.load %idxs[%j] : memref<20xi64>
// CHECK-NEXT:      slc.check %i below 10 : i64
// CHECK-NEXT:      %base = slc.mul %i, 32 : i64
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:        %at = slc.add %base, %e : i64
// CHECK-NEXT:        %x = slc.load %table_flat[%at] : memref<296xf32, strided<[1], offset: 16>>
// CHECK-NEXT:        %at_1 = slc.add %base, %e : i64
// CHECK-NEXT:        %y = slc.load %table_flat[%at_1] : memref<296xf32, strided<[1], offset: 16>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// One-dimensional loads are left alone.
slc.func @line(%table: memref<10xf32>) {
  slc.loop (%j = 0 to 10 step 1) {
    %x = slc.load %table[%j] : memref<10xf32>
  }
}

// CHECK:       slc.func @line(%table: memref<10xf32>) {
// CHECK-NEXT:    slc.loop (%j = 0 to 10 step 1) {
// CHECK-NEXT:      %x = slc.load %table[%j] : memref<10xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: columns: %j: %e: slc.load: %table must have rows of consecutive elements
slc.func @columns(%table: memref<10x8xf32, strided<[1, 10]>>) {
  slc.loop (%j = 0 to 10 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%j, %e] : memref<10x8xf32, strided<[1, 10]>>
    }
  }
}

// -----

slc.func @deep(%table: memref<4x4x4xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b, %b, %b] : memref<4x4x4xf32>
  }
}

// CHECK:       slc.func @deep(%table: memref<4x4x4xf32>) {
// CHECK-NEXT:    %table_flat = memref.reinterpret_cast %table to offset: [0], sizes: [64], strides: [1] : memref<4x4x4xf32> to memref<64xf32, strided<[1]>>
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %base = slc.mul %b, 4 : index
// CHECK-NEXT:      %base_1 = slc.mul %b, 16 : index
// CHECK-NEXT:      %base_2 = slc.add %base_1, %base : index
// CHECK-NEXT:      %at = slc.add %base_2, %b : index
// CHECK-NEXT:      %x = slc.load %table_flat[%at] : memref<64xf32, strided<[1]>>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
