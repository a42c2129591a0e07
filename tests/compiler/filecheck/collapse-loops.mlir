// RUN: collapse-loops

// Loops over all pairs, and over all triples.
slc.func @pairs(%idx: memref<24xi64>) {
  slc.loop (%a = 0 to 4 step 1) {
    %of_a = slc.mul %a, 3 : index
    slc.loop (%b = 0 to 3 step 1) {
      %ab = slc.add %of_a, %b : index
      %of_ab = slc.mul %ab, 2 : index
      slc.loop (%c = 0 to 2 step 1) {
        %at = slc.add %c, %of_ab : index
        %i = slc.load %idx[%at] : memref<24xi64>
        slc.callback {
          %row = slc.to_val %at : index
          %i_1 = slc.to_val %i : i64
        }
      }
    }
  }
}

// CHECK:       slc.func @pairs(%idx: memref<24xi64>) {
// CHECK-NEXT:    slc.loop (%c = 0 to 24 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%c] : memref<24xi64>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.to_val %c : index
// CHECK-NEXT:        %i_1 = slc.to_val %i : i64
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: another distance; a variable that is used by itself; something beside the inner loop;
// a bound that is loaded; a step.
slc.func @alone(%idx: memref<24xi64>) {
  slc.loop (%distance = 0 to 4 step 1) {
    %of = slc.mul %distance, 4 : index
    slc.loop (%b = 0 to 3 step 1) {
      %at = slc.add %of, %b : index
      %i = slc.load %idx[%at] : memref<24xi64>
      slc.callback {
        %i_1 = slc.to_val %i : i64
      }
    }
  }
  slc.loop (%used = 0 to 4 step 1) {
    %of = slc.mul %used, 3 : index
    slc.loop (%b = 0 to 3 step 1) {
      %at = slc.add %of, %b : index
      %i = slc.load %idx[%at] : memref<24xi64>
      slc.callback {
        %i_1 = slc.to_val %i : i64
        %b_1 = slc.to_val %b : index
      }
    }
  }
  slc.loop (%beside = 0 to 4 step 1) {
    %of = slc.mul %beside, 3 : index
    %limit = slc.load %idx[%beside] : memref<24xi64>
    slc.loop (%b = 0 to 3 step 1) {
      %at = slc.add %of, %b : index
      %i = slc.load %idx[%at] : memref<24xi64>
      slc.callback {
        %i_1 = slc.to_val %i : i64
        %l_1 = slc.to_val %limit : i64
      }
    }
  }
  slc.loop (%stepped = 0 to 4 step 1) {
    %of = slc.mul %stepped, 3 : index
    slc.loop (%b = 0 to 3 step 2) {
      %at = slc.add %of, %b : index
      %i = slc.load %idx[%at] : memref<24xi64>
      slc.callback {
        %i_1 = slc.to_val %i : i64
      }
    }
  }
}

// CHECK:       slc.func @alone
// CHECK:         slc.loop (%distance = 0 to 4 step 1) {
// CHECK:         slc.loop (%used = 0 to 4 step 1) {
// CHECK:         slc.loop (%beside = 0 to 4 step 1) {
// CHECK:         slc.loop (%stepped = 0 to 4 step 1) {
