// RUN: bufferize

// The callback moves behind the loop and takes in the one that follows.
slc.func @row(%table: memref<200xf32>, %out: memref<4x20xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%e = 0 to 20 step 8) masked {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %register = slc.row %out[%row] : memref<4x20xf32> to memref<24xf32>
        %acc = vector.load %register[%column] : memref<24xf32>, vector<8xf32>
        %sum = arith.addf %acc, %value : vector<8xf32>
        vector.store %sum, %register[%column] : memref<24xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %one = arith.constant 1 : i32
      %n = memref.load %count[] : memref<i32>
      %more = arith.addi %n, %one : i32
      memref.store %more, %count[] : memref<i32>
    }
  }
}

// CHECK:       slc.func @row(%table: memref<200xf32>, %out: memref<4x20xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %count = memref.alloca() : memref<i32>
// CHECK-NEXT:      %row = slc.buffer : memref<24xf32>
// CHECK-NEXT:      slc.loop (%e = 0 to 20 step 8) masked {
// CHECK-NEXT:        %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.push %x to %row : vector<8xf32>, memref<24xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row_1 = slc.to_val %b : index
// CHECK-NEXT:        %register = slc.row %out[%row_1] : memref<4x20xf32> to memref<24xf32>
// CHECK-NEXT:        %data = slc.to_val %row : memref<24xf32>
// CHECK-NEXT:        %0 = arith.constant 0 : index
// CHECK-NEXT:        %1 = arith.constant 24 : index
// CHECK-NEXT:        %2 = arith.constant 8 : index
// CHECK-NEXT:        scf.for %e_1 = %0 to %1 step %2 {
// CHECK-NEXT:          %value = vector.load %data[%e_1] : memref<24xf32>, vector<8xf32>
// CHECK-NEXT:          %acc = vector.load %register[%e_1] : memref<24xf32>, vector<8xf32>
// CHECK-NEXT:          %sum = arith.addf %acc, %value : vector<8xf32>
// CHECK-NEXT:          vector.store %sum, %register[%e_1] : memref<24xf32>, vector<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %one = arith.constant 1 : i32
// CHECK-NEXT:        %n = memref.load %count[] : memref<i32>
// CHECK-NEXT:        %more = arith.addi %n, %one : i32
// CHECK-NEXT:        memref.store %more, %count[] : memref<i32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Scalar loops are left alone.
slc.func @scalar(%table: memref<200xf32>, %out: memref<4x20xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 20 step 1) {
      %x = slc.load %table[%e] : memref<200xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %register = slc.row %out[%row] : memref<4x20xf32> to memref<20xf32>
        memref.store %value, %register[%column] : memref<20xf32>
      }
    }
  }
}

// CHECK:       slc.func @scalar(%table: memref<200xf32>, %out: memref<4x20xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.loop (%e = 0 to 20 step 1) {
// CHECK-NEXT:        %x = slc.load %table[%e] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row = slc.to_val %b : index
// CHECK-NEXT:          %column = slc.to_val %e : index
// CHECK-NEXT:          %value = slc.to_val %x : f32
// CHECK-NEXT:          %register = slc.row %out[%row] : memref<4x20xf32> to memref<20xf32>
// CHECK-NEXT:          memref.store %value, %register[%column] : memref<20xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// The callback before the loop is merged in too, but not past a skip.
slc.func @before(%idxs: memref<4xi64>, %table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      slc.rewind %out : memref<4x8xf32>
    }
    %i = slc.load %idxs[%b] : memref<4xi64>
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %value = slc.to_val %x : vector<8xf32>
      }
    }
  }
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      slc.rewind %out : memref<4x8xf32>
    }
    %i = slc.load %idxs[%b] : memref<4xi64>
    slc.skip %i equal 3 : i64
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %value = slc.to_val %x : vector<8xf32>
      }
    }
  }
}

// CHECK:       slc.func @before(%idxs: memref<4xi64>, %table: memref<200xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idxs[%b] : memref<4xi64>
// CHECK-NEXT:      %row = slc.buffer : memref<8xf32>
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 8) {
// CHECK-NEXT:        %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.push %x to %row : vector<8xf32>, memref<8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        slc.rewind %out : memref<4x8xf32>
// CHECK-NEXT:        %data = slc.to_val %row : memref<8xf32>
// CHECK-NEXT:        %0 = arith.constant 0 : index
// CHECK-NEXT:        %1 = arith.constant 8 : index
// CHECK-NEXT:        %2 = arith.constant 8 : index
// CHECK-NEXT:        scf.for %e_1 = %0 to %1 step %2 {
// CHECK-NEXT:          %value = vector.load %data[%e_1] : memref<8xf32>, vector<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%b_1 = 0 to 4 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        slc.rewind %out : memref<4x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %i_1 = slc.load %idxs[%b_1] : memref<4xi64>
// CHECK-NEXT:      slc.skip %i_1 equal 3 : i64
// CHECK-NEXT:      %row_1 = slc.buffer : memref<8xf32>
// CHECK-NEXT:      slc.loop (%e_2 = 0 to 8 step 8) {
// CHECK-NEXT:        %x_1 = slc.load %table[%e_2] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.push %x_1 to %row_1 : vector<8xf32>, memref<8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %data_1 = slc.to_val %row_1 : memref<8xf32>
// CHECK-NEXT:        %3 = arith.constant 0 : index
// CHECK-NEXT:        %4 = arith.constant 8 : index
// CHECK-NEXT:        %5 = arith.constant 8 : index
// CHECK-NEXT:        scf.for %e_3 = %3 to %4 step %5 {
// CHECK-NEXT:          %value_1 = vector.load %data_1[%e_3] : memref<8xf32>, vector<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
