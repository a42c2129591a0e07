// RUN:

// ERROR: step must be at least 1, not 0
slc.func @step() {
  slc.loop (%b = 0 to 4 step 0) {
  }
}

// -----

// ERROR: a masked loop must have literal bounds
slc.func @masked(%ptrs: memref<5xi64>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.loop (%j = %p to %q step 8) masked {
    }
  }
}

// -----

// ERROR: start must be a stream or a literal
"slc.func"() <{sym_name = "literal", function_type = () -> ()}> ({
  "slc.loop"() <{stop_literal = 4 : i64, step = 1 : i64, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%b: index):
  }) : () -> ()
}) : () -> ()

// -----

// ERROR: a loop must have 1 induction variable, not 0
"slc.func"() <{sym_name = "induction", function_type = () -> ()}> ({
  "slc.loop"() <{start_literal = 0 : i64, stop_literal = 4 : i64, step = 1 : i64, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0:
  }) : () -> ()
}) : () -> ()

// -----

// ERROR: the induction variable must be index, not i64
"slc.func"() <{sym_name = "kind", function_type = () -> ()}> ({
  "slc.loop"() <{start_literal = 0 : i64, stop_literal = 4 : i64, step = 1 : i64, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%b: i64):
  }) : () -> ()
}) : () -> ()

// -----

// ERROR: arguments must have the types of the function type
"slc.func"() <{sym_name = "arguments", function_type = () -> ()}> ({
^bb0(%b: i64):
}) : () -> ()

// -----

// ERROR: %b must be defined before its use
slc.func @undefined() {
  slc.loop (%a = 0 to %b step 1) {
  }
}

// -----

// ERROR: the first operand is index, not i64
slc.func @operand() {
  slc.loop (%a = 0 to 4 step 1) {
    %s = slc.add %a, 1 : i64
  }
}

// -----

// ERROR: the array is memref<5xi64>, not memref<5xi32>
slc.func @array(%ptrs: memref<5xi64>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %ptrs[%b] : memref<5xi32>
  }
}

// -----

// ERROR: expected a vector type, not i64
slc.func @vector(%ptrs: memref<5xi64>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %ptrs[%b] : memref<5xi64>, i64
  }
}

// -----

// ERROR: the array holds f32, but the result is of f64
slc.func @element(%table: memref<5xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %table[%b] : memref<5xf32>, vector<4xf64>
  }
}

// -----

// ERROR: a loaded vector must have 1 dimension, not 2
slc.func @matrix(%table: memref<5xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %table[%b] : memref<5xf32>, vector<4x4xf32>
  }
}

// -----

// ERROR: the array has 2 dimensions, but there are 1 indices
slc.func @indices(%table: memref<5x5xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p = slc.load %table[%b] : memref<5x5xf32>
  }
}

// -----

// ERROR: limit must be at least 0, not -1
slc.func @limit() {
  slc.loop (%b = 0 to 4 step 1) {
    slc.check %b below -1 : index
  }
}

// -----

// ERROR: must be inside a callback
slc.func @outside() {
  slc.loop (%b = 0 to 4 step 1) {
    %v = slc.to_val %b : index
  }
}

// -----

// ERROR: a token carries an f32, not index
slc.func @token() {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %v = slc.to_val %b token : index
    }
  }
}

// -----

// ERROR: a callback with first and last must be inside a fused loop
slc.func @unfused() {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback first {
    } each {
    } last {
    }
  }
}

// -----

// ERROR: first and last regions must come together
slc.func @alone() {
  slc.loop (%b = 0 to 4 step 1) fused {
    slc.callback first {
    } each {
    }
  }
}

// -----

// ERROR: first and last regions must not read streams: an empty loop has none
slc.func @reads() {
  slc.loop (%b = 0 to 4 step 1) fused {
    slc.callback first {
      %v = slc.to_val %b : index
    } each {
    } last {
    }
  }
}

// -----

// ERROR: out must have 2 dimensions and the register 1, not 1 and 1
slc.func @dimensions(%out: memref<4xf32>) {
  slc.callback {
    %row = slc.row %out : memref<4xf32> to memref<4xf32>
  }
}

// -----

// ERROR: a register of 7 elements cannot hold a row of 8
slc.func @short(%out: memref<4x8xf32>) {
  slc.callback {
    %row = slc.row %out : memref<4x8xf32> to memref<7xf32>
  }
}

// -----

// ERROR: only the result of slc.row can be emitted
slc.func @emit(%out: memref<8xf32>) {
  slc.callback {
    slc.emit %out : memref<8xf32>
  }
}

// -----

// ERROR: the last index must be the variable of the loop around it
slc.func @store(%table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.store %x, %out[%e, %b] : vector<8xf32>, memref<4x8xf32>
    }
  }
}

// -----

// ERROR: must store what the loop around it loads
slc.func @store(%table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b] : memref<200xf32>, vector<8xf32>
    slc.loop (%e = 0 to 8 step 8) {
      slc.store %x, %out[%b, %e] : vector<8xf32>, memref<4x8xf32>
    }
  }
}

// -----

// ERROR: the array has 2 dimensions, but there are 1 indices
slc.func @store(%table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%e = 0 to 8 step 8) {
    %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
    slc.store %x, %out[%e] : vector<8xf32>, memref<4x8xf32>
  }
}
