// RUN: vectorize{lanes=8}

// 20 elements are 3 vectors; the last has 4. Registers grow to 24, also in other callbacks.
slc.func @masked(%table: memref<200xf32>, %out: memref<4x20xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %base = slc.mul %b, 20 : index
    %w = slc.load %table[%b] : memref<200xf32>
    slc.loop (%e = 0 to 20 step 1) {
      %at = slc.add %base, %e : index
      %x = slc.load %table[%at] : memref<200xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %weight = slc.to_val %w : f32
        %register = slc.row %out[%row] : memref<4x20xf32> to memref<20xf32>
        %acc = memref.load %register[%column] : memref<20xf32>
        %sum = math.fma %value, %weight, %acc : f32
        memref.store %sum, %register[%column] : memref<20xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x20xf32> to memref<20xf32>
      slc.emit %register : memref<20xf32>
    }
  }
}

// CHECK:       slc.func @masked(%table: memref<200xf32>, %out: memref<4x20xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %base = slc.mul %b, 20 : index
// CHECK-NEXT:      %w = slc.load %table[%b] : memref<200xf32>
// CHECK-NEXT:      slc.loop (%e = 0 to 20 step 8) masked {
// CHECK-NEXT:        %at = slc.add %base, %e : index
// CHECK-NEXT:        %x = slc.load %table[%at] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row = slc.to_val %b : index
// CHECK-NEXT:          %column = slc.to_val %e : index
// CHECK-NEXT:          %value = slc.to_val %x : vector<8xf32>
// CHECK-NEXT:          %weight = slc.to_val %w : f32
// CHECK-NEXT:          %register = slc.row %out[%row] : memref<4x20xf32> to memref<24xf32>
// CHECK-NEXT:          %acc = vector.load %register[%column] : memref<24xf32>, vector<8xf32>
// CHECK-NEXT:          %0 = vector.broadcast %weight : f32 to vector<8xf32>
// CHECK-NEXT:          %sum = math.fma %value, %0, %acc : vector<8xf32>
// CHECK-NEXT:          vector.store %sum, %register[%column] : memref<24xf32>, vector<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row_1 = slc.to_val %b : index
// CHECK-NEXT:        %register_1 = slc.row %out[%row_1] : memref<4x20xf32> to memref<24xf32>
// CHECK-NEXT:        slc.emit %register_1 : memref<24xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Whole vectors need no mask. The condition of a select stays a scalar.
slc.func @whole(%table: memref<200xf32>, %out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%e = 0 to 16 step 1) {
      %x = slc.load %table[%e] : memref<200xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
        %acc = memref.load %register[%column] : memref<16xf32>
        %zero = arith.constant 0 : i32
        %n = memref.load %count[] : memref<i32>
        %first = arith.cmpi eq, %n, %zero : i32
        %max = slc.max %value, %acc : f32
        %result = arith.select %first, %value, %max : f32
        memref.store %result, %register[%column] : memref<16xf32>
      }
    }
  }
}

// CHECK:       slc.func @whole(%table: memref<200xf32>, %out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %count = memref.alloca() : memref<i32>
// CHECK-NEXT:      slc.loop (%e = 0 to 16 step 8) {
// CHECK-NEXT:        %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row = slc.to_val %b : index
// CHECK-NEXT:          %column = slc.to_val %e : index
// CHECK-NEXT:          %value = slc.to_val %x : vector<8xf32>
// CHECK-NEXT:          %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:          %acc = vector.load %register[%column] : memref<16xf32>, vector<8xf32>
// CHECK-NEXT:          %zero = arith.constant 0 : i32
// CHECK-NEXT:          %n = memref.load %count[] : memref<i32>
// CHECK-NEXT:          %first = arith.cmpi eq, %n, %zero : i32
// CHECK-NEXT:          %max = slc.max %value, %acc : vector<8xf32>
// CHECK-NEXT:          %result = arith.select %first, %value, %max : vector<8xf32>
// CHECK-NEXT:          vector.store %result, %register[%column] : memref<16xf32>, vector<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: elements that are not consecutive.
slc.func @strided(%table: memref<200xf32>, %out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 16 step 1) {
      %at = slc.mul %e, 2 : index
      %x = slc.load %table[%at] : memref<200xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
        memref.store %value, %register[%column] : memref<16xf32>
      }
    }
  }
}

// CHECK:       slc.func @strided(%table: memref<200xf32>, %out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.loop (%e = 0 to 16 step 1) {
// CHECK-NEXT:        %at = slc.mul %e, 2 : index
// CHECK-NEXT:        %x = slc.load %table[%at] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row = slc.to_val %b : index
// CHECK-NEXT:          %column = slc.to_val %e : index
// CHECK-NEXT:          %value = slc.to_val %x : f32
// CHECK-NEXT:          %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:          memref.store %value, %register[%column] : memref<16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: a reduction, where elements meet.
slc.func @dot(%table: memref<200xf32>, %out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 16 step 1) {
      %x = slc.load %table[%e] : memref<200xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %value = slc.to_val %x : f32
        %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
        %acc = memref.load %register[%row] : memref<16xf32>
        %sum = arith.addf %acc, %value : f32
        memref.store %sum, %register[%row] : memref<16xf32>
      }
    }
  }
}

// CHECK:       slc.func @dot(%table: memref<200xf32>, %out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.loop (%e = 0 to 16 step 1) {
// CHECK-NEXT:        %x = slc.load %table[%e] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row = slc.to_val %b : index
// CHECK-NEXT:          %value = slc.to_val %x : f32
// CHECK-NEXT:          %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:          %acc = memref.load %register[%row] : memref<16xf32>
// CHECK-NEXT:          %sum = arith.addf %acc, %value : f32
// CHECK-NEXT:          memref.store %sum, %register[%row] : memref<16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: a step, a loaded bound, a callback with a counter.
slc.func @loops(%ptrs: memref<5xi64>, %table: memref<200xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.loop (%j = %p to %q step 1) {
      %x = slc.load %table[%j] : memref<200xf32>
      slc.callback {
        %v = slc.to_val %x : f32
      }
    }
  }
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 16 step 2) {
      %x = slc.load %table[%e] : memref<200xf32>
      slc.callback {
        %v = slc.to_val %x : f32
      }
    }
  }
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%e = 0 to 16 step 1) {
      %x = slc.load %table[%e] : memref<200xf32>
      slc.callback {
        %v = slc.to_val %x : f32
        %zero = arith.constant 0 : i32
        memref.store %zero, %count[] : memref<i32>
      }
    }
  }
}

// CHECK:       slc.func @loops(%ptrs: memref<5xi64>, %table: memref<200xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %count = memref.alloca() : memref<i32>
// CHECK-NEXT:      %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:        %x = slc.load %table[%j] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %v = slc.to_val %x : f32
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%b_1 = 0 to 4 step 1) {
// CHECK-NEXT:      slc.loop (%e = 0 to 16 step 2) {
// CHECK-NEXT:        %x_1 = slc.load %table[%e] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %v_1 = slc.to_val %x_1 : f32
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%b_2 = 0 to 4 step 1) {
// CHECK-NEXT:      %count_1 = memref.alloca() : memref<i32>
// CHECK-NEXT:      slc.loop (%e_1 = 0 to 16 step 1) {
// CHECK-NEXT:        %x_2 = slc.load %table[%e_1] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %v_2 = slc.to_val %x_2 : f32
// CHECK-NEXT:          %zero = arith.constant 0 : i32
// CHECK-NEXT:          memref.store %zero, %count_1[] : memref<i32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: every second element, although the address is a sum.
slc.func @second(%table: memref<200xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 16 step 1) {
      %t = slc.add %e, %b : index
      %at = slc.add %t, %e : index
      %x = slc.load %table[%at] : memref<200xf32>
      slc.callback {
        %v = slc.to_val %x : f32
      }
    }
  }
}

// CHECK:       slc.func @second(%table: memref<200xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.loop (%e = 0 to 16 step 1) {
// CHECK-NEXT:        %t = slc.add %e, %b : index
// CHECK-NEXT:        %at = slc.add %t, %e : index
// CHECK-NEXT:        %x = slc.load %table[%at] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %v = slc.to_val %x : f32
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
