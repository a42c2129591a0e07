// RUN: check-bounds

// Loaded bounds may reach the end of the index array; loaded rows may not reach the table's.
slc.func @bag(%ptrs: memref<5xi64>, %idxs: memref<20xi64>, %table: memref<10x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %ptrs[%b] : memref<5xi64>
    %next = slc.add %b, 1 : index
    %q = slc.load %ptrs[%next] : memref<5xi64>
    slc.loop (%j = %p to %q step 1) {
      %i = slc.load %idxs[%j] : memref<20xi64>
      slc.loop (%e = 0 to 8 step 1) {
        %x = slc.load %table[%i, %e] : memref<10x8xf32>
      }
    }
  }
}

// CHECK:       slc.func @bag(%ptrs: memref<5xi64>, %idxs: memref<20xi64>, %table: memref<10x8xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %p = slc.load %ptrs[%b] : memref<5xi64>
// CHECK-NEXT:      slc.check %p below 21 : i64
// CHECK-NEXT:      %next = slc.add %b, 1 : index
// CHECK-NEXT:      %q = slc.load %ptrs[%next] : memref<5xi64>
// CHECK-NEXT:      slc.check %q below 21 : i64
// CHECK-NEXT:      slc.loop (%j = %p to %q step 1) {
// CHECK-NEXT:        %i = slc.load %idxs[%j] : memref<20xi64>
// CHECK-NEXT:        slc.check %i below 10 : i64
// CHECK-NEXT:        slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:          %x = slc.load %table[%i, %e] : memref<10x8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// The requirement goes through address arithmetic: row * 8 + e < 80 needs row < 10.
slc.func @linear(%idxs: memref<20xi32>, %table: memref<80xf32>) {
  slc.loop (%j = 0 to 20 step 1) {
    %i = slc.load %idxs[%j] : memref<20xi32>
    %base = slc.mul %i, 8 : i32
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.add %base, %e : i32
      %x = slc.load %table[%at] : memref<80xf32>
    }
  }
}

// CHECK:       slc.func @linear(%idxs: memref<20xi32>, %table: memref<80xf32>) {
// CHECK-NEXT:    slc.loop (%j = 0 to 20 step 1) {
// CHECK-NEXT:      %i = slc.load %idxs[%j] : memref<20xi32>
// CHECK-NEXT:      slc.check %i below 10 : i32
// CHECK-NEXT:      %base = slc.mul %i, 8 : i32
// CHECK-NEXT:      slc.loop (%e = 0 to 8 step 1) {
// CHECK-NEXT:        %at = slc.add %base, %e : i32
// CHECK-NEXT:        %x = slc.load %table[%at] : memref<80xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Nothing to check where literals decide it, and nothing for a loop that does not run.
slc.func @literal(%table: memref<80xf32>) {
  slc.loop (%j = 0 to 40 step 3) {
    %twice = slc.mul %j, 2 : index
    %at = slc.add %twice, 1 : index
    %x = slc.load %table[%at] : memref<80xf32>
  }
  slc.loop (%k = 100 to 50 step 1) {
    %y = slc.load %table[%k] : memref<80xf32>
  }
}

// CHECK:       slc.func @literal(%table: memref<80xf32>) {
// CHECK-NEXT:    slc.loop (%j = 0 to 40 step 3) {
// CHECK-NEXT:      %twice = slc.mul %j, 2 : index
// CHECK-NEXT:      %at = slc.add %twice, 1 : index
// CHECK-NEXT:      %x = slc.load %table[%at] : memref<80xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%k = 100 to 50 step 1) {
// CHECK-NEXT:      %y = slc.load %table[%k] : memref<80xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: beyond: %j: slc.load: %j reaches 80, but must stay below 80
slc.func @beyond(%table: memref<80xf32>) {
  slc.loop (%j = 0 to 81 step 1) {
    %x = slc.load %table[%j] : memref<80xf32>
  }
}

// -----

// ERROR: after: %j: slc.load: %next reaches 80, but must stay below 80
slc.func @after(%ptrs: memref<80xi32>) {
  slc.loop (%j = 0 to 80 step 1) {
    %next = slc.add %j, 1 : index
    %x = slc.load %ptrs[%next] : memref<80xi32>
  }
}

// -----

// ERROR: unknown: %j: slc.load: %table must have a known size, so that accesses are checked
slc.func @unknown(%table: memref<?xf32>) {
  slc.loop (%j = 0 to 80 step 1) {
    %x = slc.load %table[%j] : memref<?xf32>
  }
}

// -----

// ERROR: difference: %j: slc.load: %d starts at -79, below 0: the access unit checks only that a value is not too large
slc.func @difference(%idxs: memref<80xi32>, %table: memref<80xf32>) {
  slc.loop (%j = 0 to 80 step 1) {
    %i = slc.load %idxs[%j] : memref<80xi32>
    %d = slc.sub %i, %j : i32
    %x = slc.load %table[%d] : memref<80xf32>
  }
}

// -----

// ERROR: before: %j: slc.load: %at starts at -1, below 0: the access unit checks only that a value is not too large
slc.func @before(%table: memref<80xf32>) {
  slc.loop (%j = 0 to 80 step 1) {
    %at = slc.add %j, -1 : index
    %x = slc.load %table[%at] : memref<80xf32>
  }
}

// -----

// ERROR: negative: %j: slc.load: %j starts at -1, below 0: the access unit checks only that a value is not too large
slc.func @negative(%table: memref<80xf32>) {
  slc.loop (%j = -1 to 80 step 1) {
    %x = slc.load %table[%j] : memref<80xf32>
  }
}

// -----

// ERROR: argument: %j: slc.load: cannot prove that %n stays below 80
slc.func @argument(%table: memref<80xf32>, %n: index) {
  slc.loop (%j = 0 to 80 step 1) {
    %x = slc.load %table[%n] : memref<80xf32>
  }
}

// -----

// The value that is skipped is no index: it is looked at first.
slc.func @padded(%idxs: memref<4xi64>, %table: memref<9xf32>) {
  slc.loop (%j = 0 to 4 step 1) {
    %i = slc.load %idxs[%j] : memref<4xi64>
    slc.skip %i equal -1 : i64
    %x = slc.load %table[%i] : memref<9xf32>
  }
}

// CHECK:       slc.func @padded
// CHECK:           %i = slc.load %idxs[%j] : memref<4xi64>
// CHECK-NEXT:      slc.skip %i equal -1 : i64
// CHECK-NEXT:      slc.check %i below 9 : i64
// CHECK-NEXT:      %x = slc.load %table[%i] : memref<9xf32>

// -----

// ERROR: early: %j: slc.load: uses %i before it is known not to be the value that is skipped
slc.func @early(%idxs: memref<4xi64>, %table: memref<9xf32>) {
  slc.loop (%j = 0 to 4 step 1) {
    %i = slc.load %idxs[%j] : memref<4xi64>
    %x = slc.load %table[%i] : memref<9xf32>
    slc.skip %i equal 9 : i64
  }
}

// -----

// What is skipped further in is checked there, where it is known to be an index.
slc.func @inside(%idxs: memref<4xi64>, %table: memref<9xf32>) {
  slc.loop (%j = 0 to 4 step 1) {
    %i = slc.load %idxs[%j] : memref<4xi64>
    slc.loop (%k = 0 to 2 step 1) {
      slc.skip %i equal -1 : i64
      slc.loop (%l = 0 to 2 step 1) {
        %x = slc.load %table[%i] : memref<9xf32>
      }
    }
  }
}

// CHECK:       slc.func @inside
// CHECK:           %i = slc.load %idxs[%j] : memref<4xi64>
// CHECK-NEXT:      slc.loop (%k = 0 to 2 step 1) {
// CHECK-NEXT:        slc.skip %i equal -1 : i64
// CHECK-NEXT:        slc.check %i below 9 : i64
// CHECK-NEXT:        slc.loop (%l = 0 to 2 step 1) {

// -----

// ERROR: early_outside: %j: slc.load: uses %i before it is known not to be the value that is skipped
slc.func @early_outside(%idxs: memref<4xi64>, %table: memref<9xf32>) {
  slc.loop (%j = 0 to 4 step 1) {
    %i = slc.load %idxs[%j] : memref<4xi64>
    %x = slc.load %table[%i] : memref<9xf32>
    slc.loop (%k = 0 to 2 step 1) {
      slc.skip %i equal 9 : i64
    }
  }
}

// -----

// A check that is there already becomes one with what is needed.
slc.func @asserted(%idxs: memref<4xi64>, %table: memref<9xf32>) {
  slc.loop (%j = 0 to 4 step 1) {
    %i = slc.load %idxs[%j] : memref<4xi64>
    slc.check %i below 9223372036854775807 : i64
    %at = slc.add %i, 2 : i64
    %x = slc.load %table[%at] : memref<9xf32>
  }
}

// CHECK:       slc.func @asserted
// CHECK:           %i = slc.load %idxs[%j] : memref<4xi64>
// CHECK-NEXT:      slc.check %i below 7 : i64
// CHECK-NEXT:      %at = slc.add %i, 2 : i64
