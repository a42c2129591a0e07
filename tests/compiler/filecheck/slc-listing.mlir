// RUN:

// The spelling that users of such IRs expect: loaded bounds of any integer type, literals and
// values as operands, one flat table.
slc.func @bag_sum(%ptrs: memref<?xi32>, %idxs: memref<?xi32>, %table: memref<?xf32>, %out: memref<?x?xf32>, %bags: index, %dim: index) {
  slc.loop (%b = 0 to %bags step 1) {
    %first = slc.load %ptrs[%b] : memref<?xi32>
    %next = slc.add %b, 1 : index
    %last = slc.load %ptrs[%next] : memref<?xi32>
    slc.loop (%j = %first to %last step 1) {
      %row = slc.load %idxs[%j] : memref<?xi32>
      %base = slc.mul %row, %dim : i32
      slc.loop (%e = 0 to %dim step 1) {
        %at = slc.add %base, %e : i32
        %x = slc.load %table[%at] : memref<?xf32>
        slc.callback {
          %v = slc.to_val %x : f32
        }
      }
    }
  }
}

// CHECK:       slc.func @bag_sum(%ptrs: memref<?xi32>, %idxs: memref<?xi32>, %table: memref<?xf32>, %out: memref<?x?xf32>, %bags: index, %dim: index) {
// CHECK-NEXT:    slc.loop (%b = 0 to %bags step 1) {
// CHECK-NEXT:      %first = slc.load %ptrs[%b] : memref<?xi32>
// CHECK-NEXT:      %next = slc.add %b, 1 : index
// CHECK-NEXT:      %last = slc.load %ptrs[%next] : memref<?xi32>
// CHECK-NEXT:      slc.loop (%j = %first to %last step 1) {
// CHECK-NEXT:        %row = slc.load %idxs[%j] : memref<?xi32>
// CHECK-NEXT:        %base = slc.mul %row, %dim : i32
// CHECK-NEXT:        slc.loop (%e = 0 to %dim step 1) {
// CHECK-NEXT:          %at = slc.add %base, %e : i32
// CHECK-NEXT:          %x = slc.load %table[%at] : memref<?xf32>
// CHECK-NEXT:          slc.callback {
// CHECK-NEXT:            %v = slc.to_val %x : f32
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
