// RUN: unpack-vectors

// A loop in steps of a vector, with equal elements made in front of it.
func.func @steps(%w: memref<9xf32>, %t: memref<9x16xf32>, %out: memref<2x16xf32>) {
  %z = arith.constant dense<0.0> : vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %b = %c0 to %c2 step %c1 {
    %f = memref.load %w[%b] : memref<9xf32>
    %v = vector.broadcast %f : f32 to vector<8xf32>
    scf.for %e = %c0 to %c16 step %c8 {
      %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %z) -> (vector<8xf32>) {
        %x = vector.load %t[%j, %e] : memref<9x16xf32>, vector<8xf32>
        %y = vector.fma %x, %v, %a : vector<8xf32>
        scf.yield %y : vector<8xf32>
      }
      vector.store %s, %out[%b, %e] : memref<2x16xf32>, vector<8xf32>
    }
  }
  func.return
}

// CHECK:       func.func @steps
// CHECK:         scf.for %b = %c0 to %c2 step %c1 {
// CHECK-NEXT:      %f = memref.load %w[%b] : memref<9xf32>
// CHECK:           scf.for %e = %c0 to {{%.+}} step {{%.+}} {
// CHECK:             [[Z:%.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = [[Z]]) -> (f32) {
// CHECK-NEXT:          %x = memref.load %t[%j, %e] : memref<9x16xf32>
// CHECK-NEXT:          %y = math.fma %x, %f, %a : f32
// CHECK-NEXT:          scf.yield %y : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<2x16xf32>

// -----

// Vectors outside of such a loop: one over their elements, without those that are not stored.
func.func @rows(%idx: memref<4xindex>, %t: memref<9x6xf32>, %out: memref<4x6xf32>) {
  %p = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %x = vector.transfer_read %t[%b, %c0], %p : memref<9x6xf32>, vector<8xf32>
    %i = memref.load %idx[%b] : memref<4xindex>
    %y = vector.transfer_read %t[%i, %c0], %p : memref<9x6xf32>, vector<8xf32>
    %s = arith.addf %x, %y : vector<8xf32>
    vector.transfer_write %s, %out[%b, %c0] : vector<8xf32>, memref<4x6xf32>
  }
  func.return
}

// CHECK:       func.func @rows
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %i = memref.load %idx[%b] : memref<4xindex>
// CHECK:           [[SIX:%.+]] = arith.constant 6 : index
// CHECK:           scf.for %e = {{%.+}} to [[SIX]] step {{%.+}} {
// CHECK-NEXT:        %x = memref.load %t[%b, %e] : memref<9x6xf32>
// CHECK-NEXT:        %y = memref.load %t[%i, %e] : memref<9x6xf32>
// CHECK-NEXT:        %s = arith.addf %x, %y : f32
// CHECK-NEXT:        memref.store %s, %out[%b, %e] : memref<4x6xf32>

// -----

// Sums of elements, in the order of the list: by a loop in steps, and of one vector.
func.func @sums(%t: memref<9x8xf32>, %out: memref<4xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %s = scf.for %e = %c0 to %c8 step %c4 iter_args(%a = %z) -> (f32) {
      %x = vector.load %t[%b, %e] : memref<9x8xf32>, vector<4xf32>
      %y = vector.reduction <add>, %x, %a : vector<4xf32> into f32
      scf.yield %y : f32
    }
    %v = vector.load %t[%c1, %c0] : memref<9x8xf32>, vector<4xf32>
    %r = vector.reduction <add>, %v, %s : vector<4xf32> into f32
    memref.store %r, %out[%b] : memref<4xf32>
  }
  func.return
}

// CHECK:       func.func @sums
// CHECK:         %s = scf.for %e = {{.*}} iter_args(%a = {{%.+}}) -> (f32) {
// CHECK-NEXT:      %x = memref.load %t[%b, %e] : memref<9x8xf32>
// CHECK-NEXT:      %y = arith.addf %a, %x : f32
// CHECK-NEXT:      scf.yield %y : f32
// CHECK-NEXT:    }
// CHECK:         %r = scf.for %e_1 = {{.*}} iter_args(%r_1 = %s) -> (f32) {
// CHECK-NEXT:      %v = memref.load %t[%c1, %e_1] : memref<9x8xf32>
// CHECK-NEXT:      %{{.+}} = arith.addf %r_1, %v : f32

// -----

// ERROR: nest: %b: vector.reduction: a reduction must begin with an accumulator: rows are summed in the order of the list
func.func @nest(%t: memref<9x8xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<4xf32>
    %r = vector.reduction <add>, %v : vector<4xf32> into f32
    memref.store %r, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.reduction: there is no operation for a reduction by mul
func.func @nest(%t: memref<9x8xf32>, %out: memref<4xf32>) {
  %z = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<4xf32>
    %r = vector.reduction <mul>, %v, %z : vector<4xf32> into f32
    memref.store %r, %out[%b] : memref<4xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.shuffle: an element of a vector must not depend on others
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<2xf32>
    %s = vector.shuffle %v, %v [1, 0] : vector<2xf32>, vector<2xf32>
    vector.store %s, %out[%b, %c0] : memref<4x8xf32>, vector<2xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.load: vectors of 8 and of 4 elements are in one loop
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<8xf32>
    %w = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<4xf32>
    vector.store %v, %out[%b, %c0] : memref<4x8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.load: a vector must have one dimension, and not be vector<2x4xf32>
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<2x4xf32>
    vector.store %v, %out[%b, %c0] : memref<4x8xf32>, vector<2x4xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.transfer_read: a vector must be consecutive elements of a row
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %p = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.transfer_read %t[%c0, %b], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<9x8xf32>, vector<8xf32>
    vector.store %v, %out[%b, %c0] : memref<4x8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: arith.constant: the elements of a constant vector must be equal
func.func @nest(%out: memref<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant dense<[0.0, 1.0]> : vector<2xf32>
  scf.for %b = %c0 to %c4 step %c1 {
    vector.store %v, %out[%b, %c0] : memref<4x2xf32>, vector<2xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.transfer_read: elements that are not in the array are stored
func.func @nest(%t: memref<9x6xf32>, %out: memref<4x8xf32>) {
  %p = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.transfer_read %t[%b, %c0], %p : memref<9x6xf32>, vector<8xf32>
    vector.store %v, %out[%b, %c0] : memref<4x8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.store: it stores 8 elements, but others 6
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x6xf32>, %out2: memref<4x8xf32>) {
  %p = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<8xf32>
    vector.transfer_write %v, %out[%b, %c0] : vector<8xf32>, memref<4x6xf32>
    vector.store %v, %out2[%b, %c0] : memref<4x8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.transfer_write: elements may not be in the array: say that they are, with in_bounds
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<8xf32>
    vector.transfer_write %v, %out[%b, %b] : vector<8xf32>, memref<4x6xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: scf.for: it walks vectors, but %e is not only the first column of vectors
func.func @nest(%idx: memref<8xi64>, %t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c8 step %c4 {
      %i = memref.load %idx[%e] : memref<8xi64>
      %r = arith.index_cast %i : i64 to index
      %v = vector.load %t[%r, %e] : memref<9x8xf32>, vector<4xf32>
      vector.store %v, %out[%b, %e] : memref<4x8xf32>, vector<4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: scf.for: it walks vectors, but it hands %a on, which is no reduction
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x4xf32>) {
  %z = arith.constant dense<0.0> : vector<4xf32>
  %n = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %o = arith.constant 1 : i32
  scf.for %b = %c0 to %c4 step %c1 {
    %s = scf.for %e = %c0 to %c8 step %c4 iter_args(%a = %n) -> (i32) {
      %x = vector.load %t[%b, %e] : memref<9x8xf32>, vector<4xf32>
      vector.store %x, %out[%b, %e] : memref<4x4xf32>, vector<4xf32>
      %y = arith.addi %a, %o : i32
      scf.yield %y : i32
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %j: memref.store: single elements are stored between operations on vectors
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %x = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<4xf32>
    %y = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %x) -> (vector<4xf32>) {
      memref.store %z, %out[%b, %j] : memref<4x8xf32>
      scf.yield %a : vector<4xf32>
    }
    vector.store %y, %out[%b, %c0] : memref<4x8xf32>, vector<4xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: vector.load: %t is stored to, and elements of it are loaded that another element of the vector has stored
func.func @nest(%t: memref<9x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c8 step %c4 {
      %x = vector.load %t[%b, %e] : memref<9x9xf32>, vector<4xf32>
      %next = arith.addi %e, %c1 : index
      vector.store %x, %t[%b, %next] : memref<9x9xf32>, vector<4xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: %j: memref.load: %out is stored to, and elements of it are loaded that another element of the vector has stored
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %x = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<4xf32>
    %y = scf.for %j = %c0 to %c4 step %c1 iter_args(%a = %x) -> (vector<4xf32>) {
      %f = memref.load %out[%b, %c1] : memref<4x8xf32>
      %g = vector.broadcast %f : f32 to vector<4xf32>
      %s = arith.addf %a, %g : vector<4xf32>
      vector.store %s, %out[%b, %c0] : memref<4x8xf32>, vector<4xf32>
      scf.yield %s : vector<4xf32>
    }
    vector.store %y, %out[%b, %c0] : memref<4x8xf32>, vector<4xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: memref.store: stands between operations on vectors, and cannot be done before
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %x = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<4xf32>
    memref.store %z, %out[%b, %c0] : memref<4x8xf32>
    vector.store %x, %out[%b, %c1] : memref<4x8xf32>, vector<4xf32>
  }
  func.return
}

// -----

// ERROR: nest: %b: %e: scf.for: a loop that walks vectors must have literal bounds
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %n step %c2 {
      %v = vector.load %t[%b, %e] : memref<9x8xf32>, vector<2xf32>
      vector.store %v, %out[%b, %e] : memref<4x8xf32>, vector<2xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: vector.reduction: a reduction must be the last that is done to a vector
func.func @nest(%t: memref<9x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.000000e+00 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    %v = vector.load %t[%b, %c0] : memref<9x8xf32>, vector<4xf32>
    %s = vector.reduction <add>, %v, %z : vector<4xf32> into f32
    %w = vector.broadcast %s : f32 to vector<4xf32>
    %u = arith.addf %v, %w : vector<4xf32>
    vector.store %u, %out[%b, %c0] : memref<4x8xf32>, vector<4xf32>
  }
  func.return
}
