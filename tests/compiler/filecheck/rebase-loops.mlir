// RUN: rebase-loops

// The index of two variables becomes the inner one; a multiple becomes the step.
slc.func @rebased(%idx: memref<12xi64>, %w: memref<12xf32>, %t: memref<64xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %base = slc.mul %b, 3 : index
    slc.loop (%s = 0 to 3 step 1) {
      %at = slc.add %base, %s : index
      %i = slc.load %idx[%at] : memref<12xi64>
      %also = slc.add %s, %base : index
      %f = slc.load %w[%also] : memref<12xf32>
      slc.loop (%e = 0 to 8 step 1) {
        %x = slc.load %t[%e] : memref<64xf32>
      }
    }
  }
  slc.loop (%c = 0 to 4 step 1) {
    %first = slc.load %idx[%c] : memref<12xi64>
    slc.loop (%r = 0 to 7 step 2) {
      %eight = slc.mul %r, 8 : index
      %row = slc.add %first, %eight : i64
      slc.loop (%e = 0 to 8 step 1) {
        %place = slc.add %row, %e : i64
        %x = slc.load %t[%place] : memref<64xf32>
      }
    }
  }
}

// CHECK:       slc.func @rebased
// CHECK:           %base = slc.mul %b, 3 : index
// CHECK-NEXT:      [[END:%[0-9]+]] = slc.add %base, 3 : index
// CHECK-NEXT:      slc.loop (%also = %base to [[END]] step 1) {
// CHECK-NEXT:        %i = slc.load %idx[%also] : memref<12xi64>
// CHECK-NEXT:        %f = slc.load %w[%also] : memref<12xf32>
// CHECK:           %first = slc.load %idx[%c] : memref<12xi64>
// CHECK-NEXT:      [[END:%[0-9]+]] = slc.add %first, 49 : i64
// CHECK-NEXT:      slc.loop (%row = %first to [[END]] step 16) {
// CHECK-NEXT:        slc.loop (%e_1 = 0 to 8 step 1) {
// CHECK-NEXT:          %place = slc.add %row, %e_1 : {{.*}}
// CHECK-NEXT:          {{%.+}} = slc.load %t[%place] : memref<64xf32>

// -----

// Left alone: the variable is also used by itself, or added to two things; a start that may be
// below 0; a start or an end that is not literal; a row's elements.
slc.func @alone(%idx: memref<12xi64>, %t: memref<64xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%itself = 0 to 3 step 1) {
      %at = slc.add %b, %itself : index
      %i = slc.load %idx[%at] : memref<12xi64>
      %j = slc.load %idx[%itself] : memref<12xi64>
    }
  }
  slc.loop (%c = 0 to 4 step 1) {
    %base = slc.mul %c, 2 : index
    slc.loop (%two = 0 to 3 step 1) {
      %at = slc.add %c, %two : index
      %i = slc.load %idx[%at] : memref<12xi64>
      %at2 = slc.add %base, %two : index
      %j = slc.load %idx[%at2] : memref<12xi64>
    }
  }
  slc.loop (%d = 0 to 4 step 1) {
    %below = slc.sub %d, 1 : index
    slc.loop (%below_zero = 0 to 3 step 1) {
      %at = slc.add %below, %below_zero : index
      %i = slc.load %idx[%at] : memref<12xi64>
    }
  }
  slc.loop (%f = 0 to 4 step 1) {
    slc.loop (%later = 1 to 3 step 1) {
      %at = slc.add %f, %later : index
      %i = slc.load %idx[%at] : memref<12xi64>
    }
  }
  slc.loop (%g = 0 to 4 step 1) {
    %n = slc.load %idx[%g] : memref<12xi64>
    slc.loop (%loaded = 0 to %n step 1) {
      %at = slc.add %g, %loaded : index
      %i = slc.load %idx[%at] : memref<12xi64>
    }
  }
  slc.loop (%h = 0 to 4 step 1) {
    slc.loop (%element = 0 to 8 step 1) {
      %at = slc.add %h, %element : index
      %x = slc.load %t[%at] : memref<64xf32>
    }
  }
}

// CHECK:       slc.func @alone
// CHECK:           slc.loop (%itself = 0 to 3 step 1) {
// CHECK:           slc.loop (%two = 0 to 3 step 1) {
// CHECK:           slc.loop (%below_zero = 0 to 3 step 1) {
// CHECK:           slc.loop (%later = 1 to 3 step 1) {
// CHECK:           slc.loop (%loaded = 0 to %n step 1) {
// CHECK:           slc.loop (%element = 0 to 8 step 1) {
