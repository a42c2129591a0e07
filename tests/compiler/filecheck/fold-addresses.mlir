// RUN: fold-addresses

// Constants in the middle of a sum come to its end, and equal sums are one.
slc.func @middle(%idx: memref<4xi64>, %t: memref<72xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idx[%b] : memref<4xi64>
    %next = slc.add %i, 3 : i64
    %base = slc.mul %next, 8 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %base, %e : i64
      %x = slc.load %t[%at] : memref<72xf32>
    }
  }
}

// CHECK:       slc.func @middle(%idx: memref<4xi64>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<4xi64>
// CHECK-NEXT:      %base = slc.mul %i, 8 : i64
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:        %at = slc.add %base, %e : i64
// CHECK-NEXT:        %at_1 = slc.add %at, 24 : i64
// CHECK-NEXT:        %x = slc.load %t[%at_1] : memref<72xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Products of products, shifts and differences.
slc.func @products(%idx: memref<4xi64>, %t: memref<72xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idx[%b] : memref<4xi64>
    %four = slc.shl %i, 2 : i64
    %less = slc.sub %four, %b : i64
    %base = slc.mul %less, 8 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %e, %base : index
      %x = slc.load %t[%at] : memref<72xf32>
    }
  }
}

// CHECK:       slc.func @products(%idx: memref<4xi64>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<4xi64>
// CHECK-NEXT:      %base = slc.mul %i, 32 : i64
// CHECK-NEXT:      %base_1 = slc.mul %b, 8 : index
// CHECK-NEXT:      %at = slc.sub %base, %base_1 : i64
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:        %at_1 = slc.add %at, %e : i64
// CHECK-NEXT:        %x = slc.load %t[%at_1] : memref<72xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A sum stands in the outermost loop that knows it, and a constant minus a value is a difference.
slc.func @outside(%p: memref<4xi64>, %t: memref<72xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %o = slc.load %p[%b] : memref<4xi64>
    slc.loop (%j = 0 to 4 step 1) {
      slc.loop (%e = 0 to 8 step 1) {
        %a = slc.add %e, %j : index
        %s = slc.sub %a, %o : index
        %at = slc.add %s, 7 : index
        %x = slc.load %t[%at] : memref<72xf32>
      }
    }
  }
}

// CHECK:       slc.func @outside(%p: memref<4xi64>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %o = slc.load %p[%b] : memref<4xi64>
// CHECK-NEXT:      %0 = slc.const 0 : index
// CHECK-NEXT:      %base = slc.sub %0, %o : index
// CHECK-NEXT:      slc.loop (%j = 0 to 4 step 1) {
// CHECK-NEXT:        %at = slc.add %base, %j : index
// CHECK-NEXT:        slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:          %at_1 = slc.add %at, %e : index
// CHECK-NEXT:          %at_2 = slc.add %at_1, 7 : index
// CHECK-NEXT:          %x = slc.load %t[%at_2] : memref<72xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A loop that starts below 0 starts at 0, and its variable is what it was; bounds of a fixed
// distance stay that.
slc.func @bounds(%idx: memref<9xi64>, %t: memref<72xf32>) {
  slc.loop (%b = -2 to 4 step 3) {
    %i = slc.add %b, 2 : index
    %p = slc.load %idx[%i] : memref<9xi64>
    %plus = slc.add %p, 1 : i64
    %first = slc.mul %plus, 2 : i64
    %last = slc.add %first, 4 : i64
    slc.loop (%j = %first to %last step 1) {
      %x = slc.load %idx[%j] : memref<9xi64>
    }
  }
}

// CHECK:       slc.func @bounds(%idx: memref<9xi64>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 6 step 3) {
// CHECK-NEXT:      %p = slc.load %idx[%b] : memref<9xi64>
// CHECK-NEXT:      %base = slc.mul %p, 2 : i64
// CHECK-NEXT:      %first = slc.add %base, 2 : i64
// CHECK-NEXT:      %last = slc.add %first, 4 : i64
// CHECK-NEXT:      slc.loop (%j = %first to %last step 1) {
// CHECK-NEXT:        %x = slc.load %idx[%j] : memref<9xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// What a lookup has is left alone.
slc.func @lookup(%idx: memref<4xi64>, %t: memref<72xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idx[%b] : memref<4xi64>
    %base = slc.mul %i, 8 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %base, %e : i64
      %x = slc.load %t[%at] : memref<72xf32>
      slc.callback {
        %b_1 = slc.to_val %b : index
        %x_1 = slc.to_val %x : f32
        memref.store %x_1, %out[%b_1, %b_1] : memref<4x8xf32>
      }
    }
  }
}

// CHECK:       slc.func @lookup(%idx: memref<4xi64>, %t: memref<72xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<4xi64>
// CHECK-NEXT:      %base = slc.mul %i, 8 : i64
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:        %at = slc.add %base, %e : i64
// CHECK-NEXT:        %x = slc.load %t[%at] : memref<72xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %b_1 = slc.to_val %b : index
// CHECK-NEXT:          %x_1 = slc.to_val %x : f32
// CHECK-NEXT:          memref.store %x_1, %out[%b_1, %b_1] : memref<4x8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// The row that callbacks see is computed once, where all of it is known.
slc.func @row(%idxs: memref<4xi64>, %table: memref<8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idxs[%b] : memref<4xi64>
    %eight = slc.const 8 : index
    %row = slc.sub %eight, %i : index
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<8xf32>
      slc.callback {
        %r = slc.to_val %row : index
      }
    }
  }
}

// CHECK:       slc.func @row
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idxs[%b] : memref<4xi64>
// CHECK-NEXT:      %0 = slc.const 0 : index
// CHECK-NEXT:      %base = slc.sub %0, %i : index
// CHECK-NEXT:      %row = slc.add %base, 8 : index
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:        %x = slc.load %table[%e] : memref<8xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %r = slc.to_val %row : index
