// RUN: fuse-tokens

slc.func @fused(%ptrs: memref<5xi64>, %table: memref<200xf32>, %out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.callback {
      %before = slc.row %out : memref<4x16xf32> to memref<16xf32>
    }
    slc.loop (%j = %p to %q step 1) {
      %x = slc.load %table[%j] : memref<200xf32>
      slc.callback {
        %value = slc.to_val %x : f32
      }
    }
    slc.callback {
      %after = slc.row %out : memref<4x16xf32> to memref<16xf32>
      slc.emit %after : memref<16xf32>
    }
  }
}

// CHECK:       slc.func @fused(%ptrs: memref<5xi64>, %table: memref<200xf32>, %out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      slc.loop (%j = %p to %q step 1) fused {
// CHECK-NEXT:        %x = slc.load %table[%j] : memref<200xf32>
// CHECK-NEXT:        slc.callback first {
// CHECK-NEXT:          %before = slc.row %out : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:        } each {
// CHECK-NEXT:          %value = slc.to_val %x : f32
// CHECK-NEXT:        } last {
// CHECK-NEXT:          %after = slc.row %out : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:          slc.emit %after : memref<16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: a callback outside reads a stream, which a loop without iterations does not have.
slc.func @reads(%ptrs: memref<5xi64>, %table: memref<200xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.callback {
      %row = slc.to_val %b : index
    }
    slc.loop (%j = %p to %q step 1) {
      %x = slc.load %table[%j] : memref<200xf32>
      slc.callback {
        %value = slc.to_val %x : f32
      }
    }
    slc.callback {
      %one = arith.constant 1 : index
    }
  }
}

// CHECK:       slc.func @reads(%ptrs: memref<5xi64>, %table: memref<200xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.to_val %b : index
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:        %x = slc.load %table[%j] : memref<200xf32>
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %value = slc.to_val %x : f32
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %one = arith.constant 1 : index
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: two callbacks inside.
slc.func @deep(%ptrs: memref<5xi64>, %table: memref<200xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.callback {
      %one = arith.constant 1 : index
    }
    slc.loop (%j = %p to %q step 1) {
      slc.loop (%e = 0 to 8 step 1) {
        %x = slc.load %table[%e] : memref<200xf32>
        slc.callback {
          %value = slc.to_val %x : f32
        }
      }
      slc.callback {
        %two = arith.constant 2 : index
      }
    }
    slc.callback {
      %three = arith.constant 3 : index
    }
  }
}

// CHECK:       slc.func @deep(%ptrs: memref<5xi64>, %table: memref<200xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %one = arith.constant 1 : index
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:        slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:          %x = slc.load %table[%e] : memref<200xf32>
// CHECK-NEXT:          slc.callback {
// CHECK-NEXT:            %value = slc.to_val %x : f32
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %two = arith.constant 2 : index
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %three = arith.constant 3 : index
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: a row that is skipped would clear the register.
slc.func @overwritten(%ptrs: memref<5xi64>, %table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.callback {
      %one = arith.constant 1 : index
    }
    slc.loop (%j = %p to %q step 1) {
      %w = slc.load %table[%j] : memref<200xf32>
      slc.callback {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %zero = arith.constant 0 : index
        %value = slc.to_val %w : f32
        memref.store %value, %register[%zero] : memref<8xf32>
      }
    }
    slc.callback {
      %two = arith.constant 2 : index
    }
  }
}

// CHECK:       slc.func @overwritten
// CHECK:         slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:      %w = slc.load
// CHECK-NEXT:      slc.callback {
// CHECK:         slc.callback {
// CHECK-NEXT:      %two

// -----

// Left alone: what stands between two nests belongs to the second.
slc.func @nests(%table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.callback {
    slc.rewind %out : memref<4x8xf32>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b] : memref<200xf32>
    slc.callback {
      %value = slc.to_val %x : f32
    }
  }
  slc.callback {
    slc.rewind %out : memref<4x8xf32>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b] : memref<200xf32>
  }
}

// CHECK:       slc.func @nests
// CHECK-NEXT:    slc.callback {
// CHECK-NEXT:      slc.rewind %out
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %x = slc.load
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %value = slc.to_val %x : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.callback {
// CHECK-NEXT:      slc.rewind %out

// -----

// A callback that pops an integer is left alone: a skipped row has none.
slc.func @popped(%p: memref<9xi64>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
    }
    slc.loop (%j = 0 to 4 step 1) {
      slc.callback {
        %j_1 = slc.to_val %j : index
      }
    }
    slc.callback {
    }
  }
}

// CHECK:       slc.func @popped(%p: memref<9xi64>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = 0 to 4 step 1) {
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %j_1 = slc.to_val %j : index
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A register that begins with another number is left alone.
slc.func @begins(%table: memref<8xf32>, %out: memref<4x1xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      %c = arith.constant 0 : index
      %r = arith.constant 1.000000e+00 : f32
      memref.store %r, %row[%c] : memref<1xf32>
    }
    slc.loop (%j = 0 to 4 step 1) {
      %x = slc.load %table[%j] : memref<8xf32>
      slc.callback {
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
        %c = arith.constant 0 : index
        %acc = memref.load %row[%c] : memref<1xf32>
        %r = arith.addf %acc, %v : f32
        memref.store %r, %row[%c] : memref<1xf32>
      }
    }
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      slc.emit %row : memref<1xf32>
    }
  }
}

// CHECK:       slc.func @begins
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
// CHECK-NEXT:        %c = arith.constant 0 : index
// CHECK-NEXT:        %r = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:        memref.store %r, %row[%c] : memref<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = 0 to 4 step 1) {


// -----

// One that is scaled before something is added, too: no instruction does both.
slc.func @scaled(%table: memref<8xf32>, %out: memref<4x1xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      %c = arith.constant 0 : index
      %r = arith.constant 0.000000e+00 : f32
      memref.store %r, %row[%c] : memref<1xf32>
    }
    slc.loop (%j = 0 to 4 step 1) {
      %x = slc.load %table[%j] : memref<8xf32>
      slc.callback {
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
        %c = arith.constant 0 : index
        %acc = memref.load %row[%c] : memref<1xf32>
        %p = arith.mulf %acc, %v : f32
        %r = arith.addf %p, %v : f32
        memref.store %r, %row[%c] : memref<1xf32>
      }
    }
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      slc.emit %row : memref<1xf32>
    }
  }
}

// CHECK:       slc.func @scaled
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
// CHECK-NEXT:        %c = arith.constant 0 : index
// CHECK-NEXT:        %r = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        memref.store %r, %row[%c] : memref<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = 0 to 4 step 1) {


// -----

// A comparison that does not take the first entry as it is.
slc.func @compared(%table: memref<8xf32>, %out: memref<4x1xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      %c = arith.constant 0 : index
      %r = arith.constant 0.000000e+00 : f32
      memref.store %r, %row[%c] : memref<1xf32>
    }
    slc.loop (%j = 0 to 4 step 1) {
      %x = slc.load %table[%j] : memref<8xf32>
      slc.callback {
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
        %c = arith.constant 0 : index
        %acc = memref.load %row[%c] : memref<1xf32>
        %r = arith.maximumf %v, %acc : f32
        memref.store %r, %row[%c] : memref<1xf32>
      }
    }
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      slc.emit %row : memref<1xf32>
    }
  }
}

// CHECK:       slc.func @compared
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
// CHECK-NEXT:        %c = arith.constant 0 : index
// CHECK-NEXT:        %r = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        memref.store %r, %row[%c] : memref<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = 0 to 4 step 1) {


// -----

// What else is done to the register at the end.
slc.func @finished(%table: memref<8xf32>, %out: memref<4x1xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      %c = arith.constant 0 : index
      %r = arith.constant 0.000000e+00 : f32
      memref.store %r, %row[%c] : memref<1xf32>
    }
    slc.loop (%j = 0 to 4 step 1) {
      %x = slc.load %table[%j] : memref<8xf32>
      slc.callback {
        %v = slc.to_val %x : f32
        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
        %c = arith.constant 0 : index
        %acc = memref.load %row[%c] : memref<1xf32>
        %r = arith.addf %acc, %v : f32
        memref.store %r, %row[%c] : memref<1xf32>
      }
    }
    slc.callback {
      %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
      %c = arith.constant 0 : index
      %acc = memref.load %row[%c] : memref<1xf32>
      %r = arith.negf %acc : f32
      memref.store %r, %row[%c] : memref<1xf32>
      slc.emit %row : memref<1xf32>
    }
  }
}

// CHECK:       slc.func @finished
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.row %out : memref<4x1xf32> to memref<1xf32>
// CHECK-NEXT:        %c = arith.constant 0 : index
// CHECK-NEXT:        %r = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        memref.store %r, %row[%c] : memref<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.loop (%j = 0 to 4 step 1) {

// -----

// What only computes streams may stand before the loop.
slc.func @between(%table: memref<200xf32>, %out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %before = slc.row %out : memref<4x16xf32> to memref<16xf32>
    }
    %base = slc.mul %b, 3 : index
    slc.loop (%j = 0 to 3 step 1) {
      %at = slc.add %base, %j : index
      %x = slc.load %table[%at] : memref<200xf32>
      slc.callback {
        %value = slc.to_val %x : f32
      }
    }
    slc.callback {
      %after = slc.row %out : memref<4x16xf32> to memref<16xf32>
      slc.emit %after : memref<16xf32>
    }
  }
}

// CHECK:       slc.func @between(%table: memref<200xf32>, %out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %base = slc.mul %b, 3 : index
// CHECK-NEXT:      slc.loop (%j = 0 to 3 step 1) fused {
// CHECK-NEXT:        %at = slc.add %base, %j : index
// CHECK-NEXT:        %x = slc.load %table[%at] : memref<200xf32>
// CHECK-NEXT:        slc.callback first {
// CHECK-NEXT:          %before = slc.row %out : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:        } each {
// CHECK-NEXT:          %value = slc.to_val %x : f32
// CHECK-NEXT:        } last {
// CHECK-NEXT:          %after = slc.row %out : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:          slc.emit %after : memref<16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: a counter that counts before the update; one that is not set to 0 before the loop.
slc.func @counters(%table: memref<32xf32>, %out: memref<4x8xf32>) {
  slc.callback {
    slc.rewind %out : memref<4x8xf32>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %n = memref.alloca() : memref<i32>
    slc.callback {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      %n0 = arith.constant 0 : i32
      %z = arith.constant 0.0 : f32
      %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
      scf.for %e = %c0 to %c8 step %c1 {
        memref.store %z, %register[%e] : memref<8xf32>
      }
      memref.store %n0, %n[] : memref<i32>
    }
    slc.loop (%early = 0 to 3 step 1) {
      %row = slc.buffer : memref<8xf32>
      slc.callback {
        %c0 = arith.constant 0 : index
        %c8 = arith.constant 8 : index
        %n1 = arith.constant 1 : i32
        %k = memref.load %n[] : memref<i32>
        %m = arith.addi %k, %n1 : i32
        memref.store %m, %n[] : memref<i32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %data = slc.to_val %row : memref<8xf32>
        scf.for %e = %c0 to %c8 step %c8 {
          %x = vector.load %data[%e] : memref<8xf32>, vector<8xf32>
          %a = vector.load %register[%e] : memref<8xf32>, vector<8xf32>
          %s = arith.addf %a, %x : vector<8xf32>
          vector.store %s, %register[%e] : memref<8xf32>, vector<8xf32>
        }
      }
    }
    slc.callback {
      %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// CHECK:       slc.func @counters
// CHECK:           slc.loop (%early = 0 to 3 step 1) {
