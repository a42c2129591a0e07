// RUN: raise-min-max

// x > c, then x > c or first, then that or (isnan(x) and not isnan(c)).
slc.func @maxima(%table: memref<32xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b] : memref<32xf32>
    slc.callback {
      %v = slc.to_val %x : f32
      %c = arith.constant 1.0 : f32
      %first = arith.constant true
      %greater = arith.cmpf ogt, %v, %c : f32
      %plain = arith.select %greater, %v, %c : f32
      %greater_1 = arith.cmpf ogt, %v, %plain : f32
      %take = arith.ori %first, %greater_1 : i1
      %initial = arith.select %take, %v, %plain : f32
      %greater_2 = arith.cmpf ogt, %v, %initial : f32
      %isnan = arith.cmpf uno, %v, %v : f32
      %isnot = arith.cmpf ord, %initial, %initial : f32
      %nan = arith.andi %isnot, %isnan : i1
      %both = arith.ori %greater_2, %nan : i1
      %all = arith.ori %both, %first : i1
      %propagating = arith.select %all, %v, %initial : f32
    }
  }
}

// CHECK:       slc.func @maxima(%table: memref<32xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %x = slc.load %table[%b] : memref<32xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %v = slc.to_val %x : f32
// CHECK-NEXT:        %c = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:        %first = arith.constant true
// CHECK-NEXT:        %plain = slc.max %v, %c : f32
// CHECK-NEXT:        %0 = slc.max %v, %plain : f32
// CHECK-NEXT:        %initial = arith.select %first, %v, %0 : f32
// CHECK-NEXT:        %1 = slc.maxn %v, %initial : f32
// CHECK-NEXT:        %propagating = arith.select %first, %v, %1 : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// With <, or with the operands the other way round.
slc.func @minima(%table: memref<32xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b] : memref<32xf32>
    slc.callback {
      %v = slc.to_val %x : f32
      %c = arith.constant 1.0 : f32
      %first = arith.constant true
      %less = arith.cmpf olt, %v, %c : f32
      %minimum = arith.select %less, %v, %c : f32
      %less_1 = arith.cmpf ogt, %c, %v : f32
      %take = arith.ori %less_1, %first : i1
      %initial = arith.select %take, %v, %c : f32
      %greater = arith.cmpf olt, %c, %v : f32
      %maximum = arith.select %greater, %v, %c : f32
      %greater_1 = arith.cmpf ogt, %v, %c : f32
      %other = arith.select %greater_1, %c, %v : f32
    }
  }
}

// CHECK:       slc.func @minima(%table: memref<32xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %x = slc.load %table[%b] : memref<32xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %v = slc.to_val %x : f32
// CHECK-NEXT:        %c = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:        %first = arith.constant true
// CHECK-NEXT:        %minimum = slc.min %v, %c : f32
// CHECK-NEXT:        %0 = slc.min %v, %c : f32
// CHECK-NEXT:        %initial = arith.select %first, %v, %0 : f32
// CHECK-NEXT:        %maximum = slc.max %v, %c : f32
// CHECK-NEXT:        %other = slc.min %c, %v : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Other comparisons are left alone: equal operands or a NaN would choose the other one.
slc.func @others(%table: memref<32xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b] : memref<32xf32>
    slc.callback {
      %v = slc.to_val %x : f32
      %c = arith.constant 0.0 : f32
      %least = arith.cmpf ole, %v, %c : f32
      %minimum = arith.select %least, %v, %c : f32
      %unordered = arith.cmpf ult, %v, %c : f32
      %other = arith.select %unordered, %v, %c : f32
      %less = arith.cmpf olt, %v, %c : f32
      %isnan = arith.cmpf uno, %v, %v : f32
      %isnot = arith.cmpf ord, %c, %c : f32
      %nan = arith.andi %isnot, %isnan : i1
      %both = arith.ori %less, %nan : i1
      %propagating = arith.select %both, %v, %c : f32
    }
  }
}

// CHECK:       slc.func @others(%table: memref<32xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %x = slc.load %table[%b] : memref<32xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %v = slc.to_val %x : f32
// CHECK-NEXT:        %c = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %least = arith.cmpf ole, %v, %c : f32
// CHECK-NEXT:        %minimum = arith.select %least, %v, %c : f32
// CHECK-NEXT:        %unordered = arith.cmpf ult, %v, %c : f32
// CHECK-NEXT:        %other = arith.select %unordered, %v, %c : f32
// CHECK-NEXT:        %less = arith.cmpf olt, %v, %c : f32
// CHECK-NEXT:        %isnan = arith.cmpf uno, %v, %v : f32
// CHECK-NEXT:        %isnot = arith.cmpf ord, %c, %c : f32
// CHECK-NEXT:        %nan = arith.andi %isnot, %isnan : i1
// CHECK-NEXT:        %both = arith.ori %less, %nan : i1
// CHECK-NEXT:        %propagating = arith.select %both, %v, %c : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// What compares equal to a literal but 0 is that literal, and a literal is no NaN.
slc.func @literals(%table: memref<32xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %x = slc.load %table[%b] : memref<32xf32>
    slc.callback {
      %v = slc.to_val %x : f32
      %c = arith.constant 1.0 : f32
      %z = arith.constant 0.0 : f32
      %p = arith.cmpf oge, %v, %c : f32
      %at_least = arith.select %p, %v, %c : f32
      %q = arith.cmpf ult, %v, %c : f32
      %clamped = arith.select %q, %c, %v : f32
      %r = arith.cmpf ole, %v, %c : f32
      %at_most = arith.select %r, %v, %c : f32
      %s = arith.cmpf ugt, %v, %z : f32
      %rectified = arith.select %s, %v, %z : f32
    }
  }
}

// CHECK:       slc.func @literals(%table: memref<32xf32>) {
// CHECK:             %at_least = slc.max %v, %c : f32
// CHECK-NEXT:        %clamped = slc.max %v, %c : f32
// CHECK-NEXT:        %at_most = slc.min %v, %c : f32
// CHECK-NEXT:        %rectified = slc.maxn %v, %z : f32
// CHECK-NEXT:      }
