// RUN: drop-streams

// What nobody needs goes, users first: a value in a callback, the callback, its stream with its
// check, what the stream was computed from, the inner loop.
slc.func @unused(%ptrs: memref<5xi64>, %idx: memref<20xi64>, %table: memref<9x4xf32>, %out: memref<4x4xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %ptrs[%b] : memref<5xi64>
    slc.check %p below 21 : i64
    %next = slc.add %b, 1 : index
    %q = slc.load %ptrs[%next] : memref<5xi64>
    slc.check %q below 21 : i64
    slc.callback {
      %zero = arith.constant 0.000000e+00 : f32
      %b_1 = slc.to_val %b : index
      %row = slc.row %out[%b_1] : memref<4x4xf32> to memref<4xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %e = %c0 to %c4 step %c1 {
        memref.store %zero, %row[%e] : memref<4xf32>
      }
      slc.emit %row : memref<4xf32>
    }
    slc.loop (%j = %p to %q step 1) {
      %i = slc.load %idx[%j] : memref<20xi64>
      slc.check %i below 9 : i64
      slc.loop (%e = 0 to 4 step 1) {
        %x = slc.load %table[%i, %e] : memref<9x4xf32>
        slc.callback {
          %b_1 = slc.to_val %b : index
          %row = slc.row %out[%b_1] : memref<4x4xf32> to memref<4xf32>
          %x_1 = slc.to_val %x : f32
          %twice = arith.addf %x_1, %x_1 : f32
          %most = slc.max %twice, %x_1 : f32
          %first = slc.maxn %most, %x_1 : f32
          %least = slc.min %first, %x_1 : f32
        }
      }
    }
  }
}

// CHECK:       slc.func @unused
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %b_1 = slc.to_val %b : index
// CHECK-NEXT:        %row = slc.row %out[%b_1] : memref<4x4xf32> to memref<4xf32>
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %c1 = arith.constant 1 : index
// CHECK-NEXT:        %c4 = arith.constant 4 : index
// CHECK-NEXT:        scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:          memref.store %zero, %row[%e] : memref<4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        slc.emit %row : memref<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A counter that only counts, a buffer that nobody reads, one element of a pair.
slc.func @parts(%ptrs: memref<5xi64>, %table: memref<20xf32>, %out: memref<4x4xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.check %p below 21 : i64
    slc.check %q below 21 : i64
    %count = memref.alloca() : memref<i32>
    slc.callback {
      %none = arith.constant 0 : i32
      memref.store %none, %count[] : memref<i32>
    }
    %buffer = slc.buffer : memref<4xf32>
    slc.loop (%e = 0 to 4 step 4) {
      %x = slc.load %table[%e] : memref<20xf32>, vector<4xf32>
      slc.push %x to %buffer : vector<4xf32>, memref<4xf32>
    }
    slc.loop (%j = 0 to %q step 1) {
      slc.callback {
        %one = arith.constant 1 : i32
        %seen = memref.load %count[] : memref<i32>
        %more = arith.addi %seen, %one : i32
        memref.store %more, %count[] : memref<i32>
        %b_1 = slc.to_val %b : index
        %row = slc.row %out[%b_1] : memref<4x4xf32> to memref<4xf32>
        slc.emit %row : memref<4xf32>
      }
    }
  }
}

// CHECK:       slc.func @parts
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %0 = slc.add %b, 1 : index
// CHECK-NEXT:      %q = slc.load %ptrs[%0] : memref<5xi64>
// CHECK-NEXT:      slc.check %q below 21 : i64
// CHECK-NEXT:      slc.loop (%j = 0 to %q step 1) {
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %b_1 = slc.to_val %b : index
// CHECK-NEXT:          %row = slc.row %out[%b_1] : memref<4x4xf32> to memref<4xf32>
// CHECK-NEXT:          slc.emit %row : memref<4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: a value that is skipped, checks of what is used, a counter that is read, an outermost
// loop.
slc.func @needed(%marks: memref<4xi64>, %idx: memref<4xi64>, %weights: memref<9xf32>, %out: memref<4x4xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %m = slc.load %marks[%b] : memref<4xi64>
    slc.skip %m equal 0 : i64
    %i = slc.load %idx[%b] : memref<4xi64>
    slc.check %i below 9 : i64
    %w = slc.load %weights[%i] : memref<9xf32>
    %count = memref.alloca() : memref<i32>
    slc.callback {
      %none = arith.constant 0 : i32
      memref.store %none, %count[] : memref<i32>
      %seen = memref.load %count[] : memref<i32>
      %n = arith.uitofp %seen : i32 to f32
      %w_1 = slc.to_val %w : f32
      %y = arith.divf %w_1, %n : f32
      %b_1 = slc.to_val %b : index
      %row = slc.row %out[%b_1] : memref<4x4xf32> to memref<4xf32>
      memref.store %y, %row[%b_1] : memref<4xf32>
    }
  }
  slc.loop (%c = 0 to 4 step 1) {
  }
}

// CHECK:       slc.func @needed
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %m = slc.load %marks[%b] : memref<4xi64>
// CHECK-NEXT:      slc.skip %m equal 0 : i64
// CHECK-NEXT:      %i = slc.load %idx[%b] : memref<4xi64>
// CHECK-NEXT:      slc.check %i below 9 : i64
// CHECK-NEXT:      %w = slc.load %weights[%i] : memref<9xf32>
// CHECK-NEXT:      %count = memref.alloca() : memref<i32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %none = arith.constant 0 : i32
// CHECK-NEXT:        memref.store %none, %count[] : memref<i32>
// CHECK-NEXT:        %seen = memref.load %count[] : memref<i32>
// CHECK-NEXT:        %n = arith.uitofp %seen : i32 to f32
// CHECK-NEXT:        %w_1 = slc.to_val %w : f32
// CHECK-NEXT:        %y = arith.divf %w_1, %n : f32
// CHECK-NEXT:        %b_1 = slc.to_val %b : index
// CHECK-NEXT:        %row = slc.row %out[%b_1] : memref<4x4xf32> to memref<4xf32>
// CHECK-NEXT:        memref.store %y, %row[%b_1] : memref<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%c = 0 to 4 step 1) {
// CHECK-NEXT:    }
// CHECK-NEXT:  }
