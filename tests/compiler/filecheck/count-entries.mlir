// RUN: count-entries

// A mean by the length of the range, at least 1; and one under a condition.
func.func @means(%ptr: memref<5xi64>, %t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %p = memref.load %ptr[%c0] : memref<5xi64>
  %q = memref.load %ptr[%c1] : memref<5xi64>
  %first = arith.index_cast %p : i64 to index
  %last = arith.index_cast %q : i64 to index
  %s = scf.for %j = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
    %x = memref.load %t[%j] : memref<9xf32>
    %r = arith.addf %acc, %x : f32
    scf.yield %r : f32
  }
  %n = arith.subi %q, %p : i64
  %least = arith.maxsi %n, %n1 : i64
  %d = arith.sitofp %least : i64 to f32
  %mean = arith.divf %s, %d : f32
  memref.store %mean, %out[%c0] : memref<4xf32>
  %s2 = scf.for %j2 = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
    %x = memref.load %t[%j2] : memref<9xf32>
    %r = arith.addf %acc, %x : f32
    scf.yield %r : f32
  }
  %some = arith.cmpi sgt, %n, %n0 : i64
  %mean2 = scf.if %some -> (f32) {
    %d2 = arith.sitofp %n : i64 to f32
    %y = arith.divf %s2, %d2 : f32
    scf.yield %y : f32
  } else {
    scf.yield %z : f32
  }
  memref.store %mean2, %out[%c1] : memref<4xf32>
  func.return
}

// CHECK:       func.func @means
// CHECK:         memref.store %{{.+}}, %count[] : memref<i32>
// CHECK-NEXT:    %s = scf.for %j = %first to %last step %c1 iter_args(%acc = %z) -> (f32) {
// CHECK-NEXT:      %x = memref.load %t[%j] : memref<9xf32>
// CHECK-NEXT:      %r = arith.addf %acc, %x : f32
// CHECK-NEXT:      [[N:%.+]] = memref.load %count[] : memref<i32>
// CHECK-NEXT:      [[M:%.+]] = arith.addi [[N]], %{{.+}} : i32
// CHECK-NEXT:      memref.store [[M]], %count[] : memref<i32>
// CHECK-NEXT:      scf.yield %r : f32
// CHECK-NEXT:    }
// CHECK:         scf.if %{{.+}} -> (f32) {
// CHECK:           arith.uitofp %{{.+}} : i32 to f32
// CHECK:           arith.divf %s, %{{.+}} : f32
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %s : f32
// CHECK-NEXT:    }
// CHECK:         %s2 = scf.for %j2
// CHECK:         scf.if %{{.+}} -> (f32) {
// CHECK:           %y = arith.divf %s2, %{{.+}} : f32
// CHECK-NEXT:      scf.yield %y : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %s2 : f32
// CHECK-NEXT:    }

// -----

// Left alone: another length, a step, a division without a condition, a sum that is loaded.
func.func @alone(%ptr: memref<5xi64>, %t: memref<9xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %n1 = arith.constant 1 : i64
  %p = memref.load %ptr[%c0] : memref<5xi64>
  %q = memref.load %ptr[%c1] : memref<5xi64>
  %first = arith.index_cast %p : i64 to index
  %last = arith.index_cast %q : i64 to index
  %loaded = memref.load %t[%c0] : memref<9xf32>
  %s = scf.for %j = %first to %last step %c1 iter_args(%acc = %loaded) -> (f32) {
    %x = memref.load %t[%j] : memref<9xf32>
    %r = arith.addf %acc, %x : f32
    scf.yield %r : f32
  }
  scf.for %j = %c0 to %last step %c2 {
    memref.store %z, %out[%j] : memref<4xf32>
  }
  %n = arith.subi %q, %p : i64
  %d = arith.sitofp %n : i64 to f32
  %no_condition = arith.divf %s, %d : f32
  memref.store %no_condition, %out[%c0] : memref<4xf32>
  %least = arith.maxsi %n, %n1 : i64
  %d2 = arith.sitofp %least : i64 to f32
  %begins_loaded = arith.divf %s, %d2 : f32
  memref.store %begins_loaded, %out[%c1] : memref<4xf32>
  %other = arith.maxsi %q, %n1 : i64
  %d3 = arith.sitofp %other : i64 to f32
  %stepped = arith.divf %s, %d3 : f32
  memref.store %stepped, %out[%c2] : memref<4xf32>
  func.return
}

// CHECK:       func.func @alone
// CHECK-NOT:     memref.alloca
// CHECK:         func.return
