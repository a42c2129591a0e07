// RUN: store-streams

// A copy and its emit become one store. The tail is that of the loop: 20 elements of 24.
slc.func @gather(%idx: memref<4xi64>, %table: memref<200xf32>, %out: memref<4x20xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idx[%b] : memref<4xi64>
    %base = slc.mul %i, 20 : i64
    slc.loop (%e = 0 to 20 step 8) masked {
      %at = slc.add %base, %e : i64
      %x = slc.load %table[%at] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %register = slc.row %out[%row] : memref<4x20xf32> to memref<24xf32>
        vector.store %value, %register[%column] : memref<24xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x20xf32> to memref<24xf32>
      slc.emit %register : memref<24xf32>
    }
  }
}

// CHECK:       slc.func @gather(%idx: memref<4xi64>, %table: memref<200xf32>, %out: memref<4x20xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<4xi64>
// CHECK-NEXT:      %base = slc.mul %i, 20 : i64
// CHECK-NEXT:      slc.loop (%e = 0 to 20 step 8) masked {
// CHECK-NEXT:        %at = slc.add %base, %e : i64
// CHECK-NEXT:        %x = slc.load %table[%at] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.store %x, %out[%b, %e] : vector<8xf32>, memref<4x20xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----
// Rows 1, 3, 5, .. are every second row of a view; a row that was loaded is as good as a counted one.
slc.func @places(%places: memref<4xi64>, %table: memref<200xf32>, %out: memref<8x8xf32>, %there: memref<9x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %twice = slc.mul %b, 2 : index
    %odd = slc.add %twice, 1 : index
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %odd : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %register = slc.row %out[%row] : memref<8x8xf32> to memref<8xf32>
        vector.store %value, %register[%column] : memref<8xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %odd : index
      %register = slc.row %out[%row] : memref<8x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
  slc.loop (%c = 0 to 4 step 1) {
    %o = slc.load %places[%c] : memref<4xi64>
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %place = slc.to_val %o : i64
        %row = arith.index_cast %place : i64 to index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %register = slc.row %there[%row] : memref<9x8xf32> to memref<8xf32>
        vector.store %value, %register[%column] : memref<8xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %place = slc.to_val %o : i64
      %row = arith.index_cast %place : i64 to index
      %register = slc.row %there[%row] : memref<9x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// CHECK:       slc.func @places(
// CHECK-NEXT:    %out_stored = memref.subview %out[1, 0] [4, 8] [2, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[16, 1], offset: 8>>
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK:           slc.store %x, %out_stored[%b, %e] : vector<8xf32>, memref<4x8xf32, strided<[16, 1], offset: 8>>
// CHECK:         slc.loop (%c = 0 to 4 step 1) {
// CHECK-NEXT:      %o = slc.load %places[%c] : memref<4xi64>
// CHECK-NEXT:      slc.loop (%e_1 = 0 to 8 step 8) {
// CHECK-NEXT:        %x_1 = slc.load %table[%e_1] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.store %x_1, %there[%o, %e_1] : vector<8xf32>, memref<9x8xf32>

// -----
// Left alone: what computes; and a copy of rows that another nest, which computes, may write too.
slc.func @negated(%table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %negated = arith.negf %value : vector<8xf32>
        %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
        vector.store %negated, %register[%column] : memref<8xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
  slc.loop (%c = 0 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %c : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
        vector.store %value, %register[%column] : memref<8xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %c : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// CHECK:       slc.func @negated(
// CHECK-NOT:     slc.store
// CHECK:         slc.loop (%c = 0 to 4 step 1) {
// CHECK-NOT:     slc.store

// -----
// Left alone: the last of several rows is stored, and elements.
slc.func @last(%table: memref<200xf32>, %out: memref<4x8xf32>, %single: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%j = 0 to 3 step 1) {
      %base = slc.mul %j, 8 : index
      slc.loop (%e = 0 to 8 step 8) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<200xf32>, vector<8xf32>
        slc.callback {
          %row = slc.to_val %b : index
          %column = slc.to_val %e : index
          %value = slc.to_val %x : vector<8xf32>
          %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
          vector.store %value, %register[%column] : memref<8xf32>, vector<8xf32>
        }
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
  slc.loop (%c = 0 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<200xf32>
      slc.callback {
        %row = slc.to_val %c : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %register = slc.row %single[%row] : memref<4x8xf32> to memref<8xf32>
        memref.store %value, %register[%column] : memref<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %c : index
      %register = slc.row %single[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// CHECK:       slc.func @last(
// CHECK-NOT:     slc.store
