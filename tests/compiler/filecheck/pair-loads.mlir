// RUN: pair-loads

slc.func @pair(%ptrs: memref<5xi64>, %idxs: memref<20xi64>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %ptrs[%b] : memref<5xi64>
    slc.check %p below 21 : i64
    %next = slc.add %b, 1 : index
    %q = slc.load %ptrs[%next] : memref<5xi64>
    slc.check %q below 21 : i64
    slc.loop (%j = %p to %q step 1) {
      %i = slc.load %idxs[%j] : memref<20xi64>
    }
  }
}

// CHECK:       slc.func @pair(%ptrs: memref<5xi64>, %idxs: memref<20xi64>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      slc.check %p below 21 : i64
// CHECK-NEXT:      slc.check %q below 21 : i64
// CHECK-NEXT:      slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:        %i = slc.load %idxs[%j] : memref<20xi64>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// The adder stays if something else uses it.
slc.func @used(%ptrs: memref<5xi64>, %other: memref<5xi64>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %ptrs[%b] : memref<5xi64>
    %next = slc.add %b, 1 : index
    %q = slc.load %ptrs[%next] : memref<5xi64>
    %r = slc.load %other[%next] : memref<5xi64>
  }
}

// CHECK:       slc.func @used(%ptrs: memref<5xi64>, %other: memref<5xi64>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      %next = slc.add %b, 1 : index
// CHECK-NEXT:      %r = slc.load %other[%next] : memref<5xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: another step, another distance, another array.
slc.func @apart(%ptrs: memref<9xi64>, %other: memref<9xi64>) {
  slc.loop (%b = 0 to 8 step 2) {
    %p = slc.load %ptrs[%b] : memref<9xi64>
    %next = slc.add %b, 1 : index
    %q = slc.load %ptrs[%next] : memref<9xi64>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %ptrs[%b] : memref<9xi64>
    %next = slc.add %b, 2 : index
    %q = slc.load %ptrs[%next] : memref<9xi64>
    %one = slc.add %b, 1 : index
    %r = slc.load %other[%one] : memref<9xi64>
  }
}

// CHECK:       slc.func @apart(%ptrs: memref<9xi64>, %other: memref<9xi64>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 8 step 2) {
// CHECK-NEXT:      %p = slc.load %ptrs[%b] : memref<9xi64>
// CHECK-NEXT:      %next = slc.add %b, 1 : index
// CHECK-NEXT:      %q = slc.load %ptrs[%next] : memref<9xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%b_1 = 0 to 4 step 1) {
// CHECK-NEXT:      %p_1 = slc.load %ptrs[%b_1] : memref<9xi64>
// CHECK-NEXT:      %next_1 = slc.add %b_1, 2 : index
// CHECK-NEXT:      %q_1 = slc.load %ptrs[%next_1] : memref<9xi64>
// CHECK-NEXT:      %one = slc.add %b_1, 1 : index
// CHECK-NEXT:      %r = slc.load %other[%one] : memref<9xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A pair stands where the first of its loads was, also if the array is loaded twice.
slc.func @twice(%ptrs: memref<5xi64>) {
  slc.loop (%b = 0 to 4 step 1) {
    %next = slc.add %b, 1 : index
    %q = slc.load %ptrs[%next] : memref<5xi64>
    slc.check %q below 21 : i64
    %p = slc.load %ptrs[%b] : memref<5xi64>
    slc.check %p below 21 : i64
    %p2 = slc.load %ptrs[%b] : memref<5xi64>
    slc.check %p2 below 21 : i64
  }
}

// CHECK:       slc.func @twice(%ptrs: memref<5xi64>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      slc.check %q below 21 : i64
// CHECK-NEXT:      slc.check %p below 21 : i64
// CHECK-NEXT:      %p2 = slc.load %ptrs[%b] : memref<5xi64>
