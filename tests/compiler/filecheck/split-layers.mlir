// RUN: split-layers{layers=4}

// A load at a loaded index has a layer of its own, and all that comes after it.
slc.func @chain(%first: memref<4xi64>, %second: memref<9xi64>, %t: memref<72xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %first[%b] : memref<4xi64>
    slc.check %i below 9 : i64
    %k = slc.load %second[%i] : memref<9xi64>
    slc.check %k below 64 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %k, %e : i64
      %x = slc.load %t[%at] : memref<72xf32>
    }
  }
}

// CHECK:       slc.func @chain(%first: memref<4xi64>, %second: memref<9xi64>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %first[%b] : memref<4xi64>
// CHECK-NEXT:      slc.check %i below 9 : i64
// CHECK-NEXT:      slc.loop (%once = 0 to 1 step 1) {
// CHECK-NEXT:        %k = slc.load %second[%i] : memref<9xi64>
// CHECK-NEXT:        slc.check %k below 64 : i64
// CHECK-NEXT:        slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:          %at = slc.add %k, %e : i64
// CHECK-NEXT:          %x = slc.load %t[%at] : memref<72xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// So has a second integer operation; an offset of a load and the end of a fixed length are none.
slc.func @integers(%idx: memref<9xi64>, %t: memref<72xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %next = slc.add %b, 1 : index
    %i = slc.load %idx[%next] : memref<9xi64>
    %p = slc.mul %b, 2 : index
    %q = slc.add %p, 2 : index
    %r = slc.mul %i, 8 : i64
    slc.loop (%j = %p to %q step 1) {
      slc.loop (%e = 0 to 8 step 1) {
        %at = slc.add %r, %e : i64
        %x = slc.load %t[%at] : memref<72xf32>
      }
    }
  }
}

// CHECK:       slc.func @integers(%idx: memref<9xi64>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %next = slc.add %b, 1 : index
// CHECK-NEXT:      %i = slc.load %idx[%next] : memref<9xi64>
// CHECK-NEXT:      %p = slc.mul %b, 2 : index
// CHECK-NEXT:      %q = slc.add %p, 2 : index
// CHECK-NEXT:      slc.loop (%once = 0 to 1 step 1) {
// CHECK-NEXT:        %r = slc.mul %i, 8 : i64
// CHECK-NEXT:        slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:          slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:            %at = slc.add %r, %e : i64
// CHECK-NEXT:            %x = slc.load %t[%at] : memref<72xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A value that is skipped and would not pass its check: it is loaded again to be checked.
slc.func @padding(%idx: memref<9xi64>, %t: memref<72xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %next = slc.add %b, 1 : index
    %i = slc.load %idx[%next] : memref<9xi64>
    slc.skip %i equal -1 : i64
    slc.check %i below 64 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %i, %e : i64
      %x = slc.load %t[%at] : memref<72xf32>
    }
  }
}

// CHECK:       slc.func @padding(%idx: memref<9xi64>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %next = slc.add %b, 1 : index
// CHECK-NEXT:      %i = slc.load %idx[%next] : memref<9xi64>
// CHECK-NEXT:      slc.skip %i equal -1 : i64
// CHECK-NEXT:      slc.loop (%once = 0 to 1 step 1) {
// CHECK-NEXT:        %0 = slc.add %b, 1 : index
// CHECK-NEXT:        %i_1 = slc.load %idx[%0] : memref<9xi64>
// CHECK-NEXT:        slc.check %i_1 below 64 : i64
// CHECK-NEXT:        slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:          %at = slc.add %i_1, %e : i64
// CHECK-NEXT:          %x = slc.load %t[%at] : memref<72xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// What fits is left alone.
slc.func @fits(%idx: memref<9xi64>, %w: memref<9xf32>, %t: memref<72xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idx[%b] : memref<9xi64>
    slc.skip %i equal 3 : i64
    slc.check %i below 64 : i64
    %v = slc.load %w[%b] : memref<9xf32>
    %r = slc.mul %i, 8 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %r, %e : i64
      %x = slc.load %t[%at] : memref<72xf32>
    }
  }
}

// CHECK:       slc.func @fits(%idx: memref<9xi64>, %w: memref<9xf32>, %t: memref<72xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<9xi64>
// CHECK-NEXT:      slc.skip %i equal 3 : i64
// CHECK-NEXT:      slc.check %i below 64 : i64
// CHECK-NEXT:      %v = slc.load %w[%b] : memref<9xf32>
// CHECK-NEXT:      %r = slc.mul %i, 8 : i64
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:        %at = slc.add %r, %e : i64
// CHECK-NEXT:        %x = slc.load %t[%at] : memref<72xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: loads: %g: %j: slc.load: a layer has 2 loads, and this is one more; a further layer would do it, but then the nest has 5 of them and the configuration 4 (layers)
slc.func @loads(%a: memref<9xi64>, %b: memref<9xf32>, %c: memref<9xf32>, %t: memref<72xf32>) {
  slc.loop (%g = 0 to 4 step 1) {
    slc.loop (%j = 0 to 4 step 1) {
      %x = slc.load %a[%j] : memref<9xi64>
      %y = slc.load %b[%j] : memref<9xf32>
      %z = slc.load %c[%j] : memref<9xf32>
      slc.loop (%k = 0 to 4 step 1) {
        slc.loop (%e = 0 to 8 step 1) {
          %v = slc.load %t[%e] : memref<72xf32>
        }
      }
    }
  }
}
