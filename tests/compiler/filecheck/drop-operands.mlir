// RUN: drop-operands

// Only the callback that stores needs the row; the others do not get it, and what carried it to
// them goes too. The callback before the lookups had nothing else to do.
dlc.func @scatter(%places: memref<4xi64>, %idx: memref<4x2xi64>, %table: memref<9x8xf32>, %out: memref<5x8xf32>) {
  %idx_flat = memref.reinterpret_cast %idx to offset: [0], sizes: [8], strides: [1] : memref<4x2xi64> to memref<8xi64, strided<[1]>>
  dlc.segment access {
    %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
    %o = dlc.mem %places[%b] below 5 : memref<4xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %j = dlc.tu.dense 0 to 2 step 1 : !dlc.stream<1, index>
    %o_1 = dlc.fwd %o : !dlc.stream<0, i64> -> !dlc.stream<1, i64>
    %i = dlc.mem %idx_flat[%j] below 9 : memref<8xi64, strided<[1]>>, !dlc.stream<1, index> -> !dlc.stream<1, i64>
    %base = dlc.alu mul %i by 8 : !dlc.stream<1, i64> -> !dlc.stream<1, i64>
    %x, %e = dlc.tu.row %table[%base : !dlc.stream<1, i64>] dim 8 : memref<9x8xf32> -> !dlc.stream<2, vector<4xf32>>, !dlc.stream<2, index>
    dlc.push beg of %j, %o : !dlc.stream<1, index>, !dlc.stream<0, i64>
    dlc.token beg of %j, @l1_beg : !dlc.stream<1, index>
    dlc.push beg of %e, %o_1 : !dlc.stream<2, index>, !dlc.stream<1, i64>
    dlc.push ite of %e, %x : !dlc.stream<2, index>, !dlc.stream<2, vector<4xf32>>
    dlc.token beg of %e, @row_beg : !dlc.stream<2, index>
    dlc.push end of %j, %o : !dlc.stream<1, index>, !dlc.stream<0, i64>
    dlc.token end of %j, @l1_end : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<5x8xf32>
    dlc.callback @l1_beg {
      dlc.pop r0
      dlc.setr r0
    }
    dlc.callback @row_beg {
      dlc.pop r0
      dlc.setr r0
      dlc.add v0, dataq, v0
    }
    dlc.callback @l1_end {
      dlc.pop r0
      dlc.setr r0
      dlc.mov v0, v0 emit always
    }
  }
}

// CHECK:       dlc.func @scatter
// CHECK-NEXT:    %idx_flat
// CHECK-NEXT:    dlc.segment access {
// CHECK-NEXT:      %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
// CHECK-NEXT:      %o = dlc.mem %places[%b] below 5 : memref<4xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
// CHECK-NEXT:      %j = dlc.tu.dense 0 to 2 step 1 : !dlc.stream<1, index>
// CHECK-NEXT:      %i = dlc.mem %idx_flat[%j] below 9 : memref<8xi64, strided<[1]>>, !dlc.stream<1, index> -> !dlc.stream<1, i64>
// CHECK-NEXT:      %base = dlc.alu mul %i by 8 : !dlc.stream<1, i64> -> !dlc.stream<1, i64>
// CHECK-NEXT:      %x, %e = dlc.tu.row
// CHECK-NEXT:      dlc.push ite of %e, %x : !dlc.stream<2, index>, !dlc.stream<2, vector<4xf32>>
// CHECK-NEXT:      dlc.token beg of %e, @row_beg : !dlc.stream<2, index>
// CHECK-NEXT:      dlc.push end of %j, %o : !dlc.stream<1, index>, !dlc.stream<0, i64>
// CHECK-NEXT:      dlc.token end of %j, @l1_end : !dlc.stream<1, index>
// CHECK-NEXT:    } execute {
// CHECK-NEXT:      dlc.rows %out : memref<5x8xf32>
// CHECK-NEXT:      dlc.callback @row_beg {
// CHECK-NEXT:        dlc.add v0, dataq, v0
// CHECK-NEXT:      }
// CHECK-NEXT:      dlc.callback @l1_end {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.setr r0
// CHECK-NEXT:        dlc.mov v0, v0 emit always
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: an address that another callback stores at, operands that are read, a value that is
// skipped.
dlc.func @needed(%marks: memref<4xi64>, %table: memref<4x8xf32>, %out: memref<4x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
    %m = dlc.mem %marks[%b] skip 7 : memref<4xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
    %x, %e = dlc.tu.row %table[%b : !dlc.stream<0, index>] dim 8 : memref<4x8xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.push beg of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.token beg of %e, @row_beg : !dlc.stream<1, index>
    dlc.push ite of %e, %e : !dlc.stream<1, index>, !dlc.stream<1, index>
    dlc.push ite of %e, %x : !dlc.stream<1, index>, !dlc.stream<1, f32>
    dlc.token ite of %e, @row_ite : !dlc.stream<1, index>
    dlc.token end of %e, @row_end : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<4x8xf32>
    dlc.callback @row_beg {
      dlc.pop r0
      dlc.setr r0
      dlc.mov v0, zero
    }
    dlc.callback @row_ite {
      dlc.pop r1
      dlc.add v0, dataq, v0 at_element r1
    }
    dlc.callback @row_end {
      dlc.mov v0, v0 emit always
    }
  }
}

// CHECK:       dlc.func @needed
// CHECK:           %m = dlc.mem %marks[%b] skip 7
// CHECK:           dlc.push beg of %e, %b
// CHECK:           dlc.push ite of %e, %e
// CHECK:           dlc.push ite of %e, %x
// CHECK:         dlc.callback @row_beg {
// CHECK-NEXT:      dlc.pop r0
// CHECK-NEXT:      dlc.setr r0
// CHECK-NEXT:      dlc.mov v0, zero
// CHECK:         dlc.callback @row_ite {
// CHECK-NEXT:      dlc.pop r1
// CHECK-NEXT:      dlc.add v0, dataq, v0 at_element r1

// -----

// A pop after data is not the first push's, so it stays although nobody reads it; one that is
// popped over is not read.
dlc.func @order(%table: memref<4x8xf32>, %out: memref<4x8xf32>) {
  dlc.segment access {
    %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
    %x, %e = dlc.tu.row %table[%b : !dlc.stream<0, index>] dim 8 : memref<4x8xf32> -> !dlc.stream<1, f32>, !dlc.stream<1, index>
    dlc.push beg of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.push beg of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
    dlc.token beg of %e, @row_beg : !dlc.stream<1, index>
    dlc.push ite of %e, %x : !dlc.stream<1, index>, !dlc.stream<1, f32>
    dlc.push ite of %e, %e : !dlc.stream<1, index>, !dlc.stream<1, index>
    dlc.token ite of %e, @row_ite : !dlc.stream<1, index>
  } execute {
    dlc.rows %out : memref<4x8xf32>
    dlc.callback @row_beg {
      dlc.pop r0
      dlc.pop r0
      dlc.setr r0
      dlc.mov v0, zero emit always
    }
    dlc.callback @row_ite {
      dlc.add v0, dataq, v0
      dlc.pop r1
    }
  }
}

// CHECK:       dlc.func @order
// CHECK:           dlc.push beg of %e, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
// CHECK-NEXT:      dlc.token beg of %e, @row_beg
// CHECK-NEXT:      dlc.push ite of %e, %x
// CHECK-NEXT:      dlc.push ite of %e, %e
// CHECK:         dlc.callback @row_beg {
// CHECK-NEXT:      dlc.pop r0
// CHECK-NEXT:      dlc.setr r0
// CHECK-NEXT:      dlc.mov v0, zero emit always
// CHECK:         dlc.callback @row_ite {
// CHECK-NEXT:      dlc.add v0, dataq, v0
// CHECK-NEXT:      dlc.pop r1
