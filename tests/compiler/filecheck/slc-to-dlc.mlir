// RUN: slc-to-dlc{layers=4}

// Scalar marshaling on four layers: the third is passed through, indices are forwarded to the row.
slc.func @scalar(%ptrs: memref<5xi64>, %idxs: memref<20xi32>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<5xi64>
    slc.check %p below 21 : i64
    slc.check %q below 21 : i64
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %dim = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      scf.for %e = %c0 to %dim step %c1 {
        memref.store %zero, %register[%e] : memref<8xf32>
      }
    }
    slc.loop (%j = %p to %q step 1) {
      %i = slc.load %idxs[%j] : memref<20xi32>
      slc.check %i below 10 : i32
      slc.skip %i equal 3 : i32
      %base = slc.mul %i, 8 : i32
      slc.loop (%e = 0 to 8 step 1) {
        %at = slc.add %base, %e : i32
        %x = slc.load %table[%at] : memref<80xf32>
        slc.callback {
          %row = slc.to_val %b : index
          %column = slc.to_val %e : index
          %value = slc.to_val %x : f32
          %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
          %acc = memref.load %register[%column] : memref<8xf32>
          %sum = arith.addf %acc, %value : f32
          memref.store %sum, %register[%column] : memref<8xf32>
        }
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// CHECK:       dlc.func @scalar(%ptrs: memref<5xi64>, %idxs: memref<20xi32>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    dlc.segment access {
// CHECK-NEXT:      %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
// CHECK-NEXT:      %p, %q = dlc.mem_pair %ptrs[%b] below 21 : memref<5xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>, !dlc.stream<0, i64>
// CHECK-NEXT:      %j = dlc.tu.range %p to %q step 1 : !dlc.stream<0, i64>, !dlc.stream<0, i64> -> !dlc.stream<1, index>
// CHECK-NEXT:      %b_1 = dlc.fwd %b : !dlc.stream<0, index> -> !dlc.stream<1, index>
// CHECK-NEXT:      %i = dlc.mem %idxs[%j] below 10 skip 3 : memref<20xi32>, !dlc.stream<1, index> -> !dlc.stream<1, i32>
// CHECK-NEXT:      %base = dlc.alu mul %i by 8 : !dlc.stream<1, i32> -> !dlc.stream<1, i32>
// CHECK-NEXT:      %0 = dlc.tu.once : !dlc.stream<2, index>
// CHECK-NEXT:      %base_1 = dlc.fwd %base : !dlc.stream<1, i32> -> !dlc.stream<2, i32>
// CHECK-NEXT:      %b_2 = dlc.fwd %b_1 : !dlc.stream<1, index> -> !dlc.stream<2, index>
// CHECK-NEXT:      %x, %e = dlc.tu.row %table[%base_1 : !dlc.stream<2, i32>] dim 8 : memref<80xf32> -> !dlc.stream<3, f32>, !dlc.stream<3, index>
// CHECK-NEXT:      dlc.push beg of %j, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
// CHECK-NEXT:      dlc.token beg of %j, @l1_beg : !dlc.stream<1, index>
// CHECK-NEXT:      dlc.push end of %j, %b : !dlc.stream<1, index>, !dlc.stream<0, index>
// CHECK-NEXT:      dlc.token end of %j, @l1_end : !dlc.stream<1, index>
// CHECK-NEXT:      dlc.push ite of %e, %b_2 : !dlc.stream<3, index>, !dlc.stream<2, index>
// CHECK-NEXT:      dlc.push ite of %e, %e : !dlc.stream<3, index>, !dlc.stream<3, index>
// CHECK-NEXT:      dlc.push ite of %e, %x : !dlc.stream<3, index>, !dlc.stream<3, f32>
// CHECK-NEXT:      dlc.token ite of %e, @row_ite : !dlc.stream<3, index>
// CHECK-NEXT:    } execute {
// CHECK-NEXT:      dlc.rows %out : memref<4x8xf32>
// CHECK-NEXT:      dlc.callback @l1_beg {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.setr r0
// CHECK-NEXT:        dlc.mov v0, zero
// CHECK-NEXT:      }
// CHECK-NEXT:      dlc.callback @l1_end {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.setr r0
// CHECK-NEXT:        dlc.mov v0, v0 emit always
// CHECK-NEXT:      }
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.pop r1
// CHECK-NEXT:        dlc.setr r0
// CHECK-NEXT:        dlc.add v0, dataq, v0 at_element r1
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A fused callback is one instruction; a load at i + 1 has its 1 in the address; bounds that are
// a constant apart need one stream.
slc.func @fused(%weights: memref<21xf32>, %idxs: memref<20xi64>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.callback {
    slc.rewind %out : memref<4x8xf32>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    %first = slc.mul %b, 5 : index
    %last = slc.add %first, 5 : index
    slc.loop (%j = %first to %last step 1) fused {
      %i = slc.load %idxs[%j] : memref<20xi64>
      %more = slc.add %j, 1 : index
      %w = slc.load %weights[%more] : memref<21xf32>
      %base = slc.mul %i, 8 : i64
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : i64
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        memref.store %none, %count[] : memref<i32>
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %data = slc.to_val %buffer : memref<8xf32>
        %weight = slc.to_val %w token : f32
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %scale = vector.broadcast %weight : f32 to vector<4xf32>
          %sum = math.fma %scale, %value, %acc : vector<4xf32>
          vector.store %sum, %register[%e] : memref<8xf32>, vector<4xf32>
        }
        %n = memref.load %count[] : memref<i32>
        %n1 = arith.addi %n, %one : i32
        memref.store %n1, %count[] : memref<i32>
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %n = memref.load %count[] : memref<i32>
        %some = arith.cmpi ne, %n, %none : i32
        scf.if %some {
          %divisor = arith.uitofp %n : i32 to f32
          scf.for %e = %c0 to %dim step %c1 {
            %acc = memref.load %register[%e] : memref<8xf32>
            %mean = arith.divf %acc, %divisor : f32
            memref.store %mean, %register[%e] : memref<8xf32>
          }
        }
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// CHECK:       dlc.func @fused(%weights: memref<21xf32>, %idxs: memref<20xi64>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    dlc.segment access {
// CHECK-NEXT:      %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
// CHECK-NEXT:      %first = dlc.alu mul %b by 5 : !dlc.stream<0, index> -> !dlc.stream<0, index>
// CHECK-NEXT:      %j = dlc.tu.index %first for 5 step 1 fused : !dlc.stream<0, index> -> !dlc.stream<1, index>
// CHECK-NEXT:      %i = dlc.mem %idxs[%j] : memref<20xi64>, !dlc.stream<1, index> -> !dlc.stream<1, i64>
// CHECK-NEXT:      %w = dlc.mem %weights[%j] offset 1 : memref<21xf32>, !dlc.stream<1, index> -> !dlc.stream<1, f32>
// CHECK-NEXT:      %base = dlc.alu mul %i by 8 : !dlc.stream<1, i64> -> !dlc.stream<1, i64>
// CHECK-NEXT:      %0 = dlc.tu.once : !dlc.stream<2, index>
// CHECK-NEXT:      %base_1 = dlc.fwd %base : !dlc.stream<1, i64> -> !dlc.stream<2, i64>
// CHECK-NEXT:      %w_1 = dlc.fwd %w : !dlc.stream<1, f32> -> !dlc.stream<2, f32>
// CHECK-NEXT:      %x, %e = dlc.tu.row %table[%base_1 : !dlc.stream<2, i64>] dim 8 : memref<80xf32> -> !dlc.stream<3, vector<4xf32>>, !dlc.stream<3, index>
// CHECK-NEXT:      dlc.token beg of %b, @l0_beg : !dlc.stream<0, index>
// CHECK-NEXT:      dlc.push ite of %e, %x : !dlc.stream<3, index>, !dlc.stream<3, vector<4xf32>>
// CHECK-NEXT:      dlc.token beg of %e, @row_beg arg %w_1 : !dlc.stream<2, f32> : !dlc.stream<3, index>
// CHECK-NEXT:    } execute {
// CHECK-NEXT:      dlc.rows %out : memref<4x8xf32>
// CHECK-NEXT:      dlc.callback @l0_beg {
// CHECK-NEXT:        dlc.seta
// CHECK-NEXT:      }
// CHECK-NEXT:      dlc.callback @row_beg {
// CHECK-NEXT:        dlc.fma v0, dataq, arg, v0 init count fused emit last div bump
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: deep: %a: slc.loop: the nest has 4 loops above the row, but the configuration has 3 scalar layers (layers = 4)
slc.func @deep(%table: memref<80xf32>) {
  slc.loop (%a = 0 to 2 step 1) {
    slc.loop (%b = 0 to 2 step 1) {
      slc.loop (%c = 0 to 2 step 1) {
        slc.loop (%d = 0 to 2 step 1) {
          slc.loop (%e = 0 to 8 step 1) {
            %x = slc.load %table[%e] : memref<80xf32>
          }
        }
      }
    }
  }
}

// -----

// ERROR: flat: %e: slc.loop: a loop around the loop over the row's elements is needed
slc.func @flat(%table: memref<80xf32>) {
  slc.loop (%e = 0 to 8 step 1) {
    %x = slc.load %table[%e] : memref<80xf32>
  }
}

// -----

// ERROR: wide: %b: %f: slc.loop: 2 loops side by side in one loop; the layers form one chain, which has one table: loops one after another can only differ in how far on arrays are read
slc.func @wide(%table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
    slc.loop (%f = 0 to 8 step 1) {
      %x = slc.load %table[%f] : memref<80xf32>
    }
  }
}

// -----

// ERROR: strided: %b: %e: slc.loop: the innermost loop must load consecutive elements of 1 array
slc.func @strided(%table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %at = slc.mul %e, 2 : index
      %x = slc.load %table[%at] : memref<80xf32>
    }
  }
}

// -----

// ERROR: integers: %b: slc.loop: a nest must store rows of 1 array, not of 0
slc.func @integers(%table: memref<80xi32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xi32>
    }
  }
}

// -----

// ERROR: square: %b: slc.load: must have 1 index: run flatten-addresses first
slc.func @square(%idxs: memref<8x8xi64>, %table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %i = slc.load %idxs[%b, %b] : memref<8x8xi64>
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: late: %b: slc.skip: must come before the callbacks of its loop
slc.func @late(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %i = slc.load %idxs[%b] : memref<8xi64>
    slc.callback {
      slc.rewind %out : memref<8x8xf32>
    }
    slc.skip %i equal 3 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: far: %b: %j: slc.skip: must be in the loop of the load that it looks at
slc.func @far(%idxs: memref<8xi64>, %table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %i = slc.load %idxs[%b] : memref<8xi64>
    slc.loop (%j = 0 to 8 step 1) {
      slc.skip %i equal 3 : i64
      slc.loop (%e = 0 to 8 step 1) {
        %x = slc.load %table[%e] : memref<80xf32>
      }
    }
  }
}

// -----

// ERROR: twice: %b: slc.skip: a load can skip 1 value, not 2
slc.func @twice(%idxs: memref<8xi64>, %table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %i = slc.load %idxs[%b] : memref<8xi64>
    slc.skip %i equal 3 : i64
    slc.skip %i equal 4 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: limits: %b: slc.load_pair: both values must have one limit, not 9 and None
slc.func @limits(%ptrs: memref<9xi64>, %table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %p, %q = slc.load_pair %ptrs[%b] : memref<9xi64>
    slc.check %p below 9 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: nothing: %b: slc.loop: a nest must store rows of 1 array, not of 0
slc.func @nothing(%table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: again: %b: slc.callback: two callbacks at one event, end of %e
slc.func @again(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
    slc.callback {
      %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
      slc.emit %row : memref<8xf32>
    }
    slc.callback {
      slc.rewind %out : memref<8x8xf32>
    }
  }
}

// -----

// ERROR: divided: %b: %e: memref.store: the execute unit has no instruction for the stored expression: of divisions it has that of a row by the number of its entries, in a mean
slc.func @divided(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        %acc = memref.load %row[%column] : memref<8xf32>
        %ratio = arith.divf %value, %acc : f32
        memref.store %ratio, %row[%column] : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: square: %b: %e: memref.store: the execute unit has no instruction for the stored expression: one factor of a product is a scalar or a constant, and not a row
slc.func @square(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
      slc.callback {
        %v = slc.to_val %x : f32
        %column = slc.to_val %e : index
        %square = arith.mulf %v, %v : f32
        %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
        memref.store %square, %row[%column] : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: counter: %b: memref.store: the counter can only be set to 0 or incremented
slc.func @counter(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
    slc.callback {
      %two = arith.constant 2 : i32
      memref.store %two, %count[] : memref<i32>
    }
  }
}

// -----

// ERROR: short: %b: %f: memref.store: a loop over a register must cover its 8 elements from 0 on
slc.func @short(%table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
    slc.callback {
      %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %dim = arith.constant 7 : index
      %zero = arith.constant 0.0 : f32
      scf.for %f = %c0 to %dim step %c1 {
        memref.store %zero, %row[%f] : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: many: %b: slc.to_val: a callback has 4 scalar registers, and needs more
slc.func @many(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %i = slc.load %idxs[%b] : memref<8xi64>
    %j = slc.load %idxs[%b] : memref<8xi64>
    %k = slc.load %idxs[%b] : memref<8xi64>
    %l = slc.load %idxs[%b] : memref<8xi64>
    slc.callback {
      %0 = slc.to_val %b : index
      %1 = slc.to_val %i : i64
      %2 = slc.to_val %j : i64
      %3 = slc.to_val %k : i64
      %4 = slc.to_val %l : i64
    }
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: loads: %b: slc.loop: layer 0 has 3 memory streams, but the machine has 2
slc.func @loads(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %i = slc.load %idxs[%b] : memref<8xi64>
    %j = slc.load %idxs[%b] : memref<8xi64>
    %k = slc.load %idxs[%b] : memref<8xi64>
    slc.callback {
      %row = slc.row %out : memref<8x8xf32> to memref<8xf32>
      slc.emit %row : memref<8xf32>
    }
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: pops: %b: %j: slc.callback: a fused callback cannot pop scalars: a skipped row has none
slc.func @pops(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %i = slc.to_val %j : index
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %r = arith.addf %acc, %value : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: begins: %b: %j: slc.callback: the first region must set the accumulator to zero, and no more
slc.func @begins(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        memref.store %none, %count[] : memref<i32>
      } each {
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %r = arith.addf %acc, %value : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: ends: %b: %j: slc.callback: the last region must emit the accumulator, and no more
slc.func @ends(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %r = arith.addf %acc, %value : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: maximum: %b: %j: slc.callback: a fused comparison must take the first entry as it is
slc.func @maximum(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %r = slc.max %value, %acc : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: uncleared: %b: %j: slc.callback: the first region must set the counter to 0
slc.func @uncleared(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %r = arith.addf %acc, %value : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
        %n = memref.load %count[] : memref<i32>
        %n1 = arith.addi %n, %one : i32
        memref.store %n1, %count[] : memref<i32>
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: uncounted: %b: %j: slc.callback: the each region must count its row
slc.func @uncounted(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        memref.store %none, %count[] : memref<i32>
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %n = memref.load %count[] : memref<i32>
          %first = arith.cmpi eq, %n, %none : i32
          %m = slc.max %value, %acc : vector<4xf32>
          %r = arith.select %first, %value, %m : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: early: %b: %j: slc.callback: the each region must end with the only update of the accumulator
slc.func @early(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        memref.store %none, %count[] : memref<i32>
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %acc = vector.load %register[%e] : memref<8xf32>, vector<4xf32>
          %r = arith.addf %acc, %value : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
        %n = memref.load %count[] : memref<i32>
        %n1 = arith.addi %n, %one : i32
        memref.store %n1, %count[] : memref<i32>
        %n2 = memref.load %count[] : memref<i32>
        %n3 = arith.addi %n2, %one : i32
        memref.store %n3, %count[] : memref<i32>
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: cells: %b: slc.loop: a nest has 1 counter, but uses 2 cells
slc.func @cells(%table: memref<80xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %count = memref.alloca() : memref<i32>
    %more = memref.alloca() : memref<i32>
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: overwrites: %b: %j: slc.callback: the each region must keep the accumulator of a row that is skipped
slc.func @overwrites(%table: memref<80xf32>, %weights: memref<3xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.loop (%j = 0 to 3 step 1) fused {
      %w = slc.load %weights[%j] : memref<3xf32>
      %base = slc.mul %j, 8 : index
      %buffer = slc.buffer : memref<8xf32>
      slc.loop (%e = 0 to 8 step 4) {
        %at = slc.add %base, %e : index
        %x = slc.load %table[%at] : memref<80xf32>, vector<4xf32>
        slc.push %x to %buffer : vector<4xf32>, memref<8xf32>
      }
      slc.callback first {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %dim = arith.constant 8 : index
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i32
        scf.for %e = %c0 to %dim step %c1 {
          memref.store %zero, %register[%e] : memref<8xf32>
        }
      } each {
        %weight = slc.to_val %w token : f32
        %data = slc.to_val %buffer : memref<8xf32>
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %dim = arith.constant 8 : index
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        scf.for %e = %c0 to %dim step %c4 {
          %value = vector.load %data[%e] : memref<8xf32>, vector<4xf32>
          %scale = vector.broadcast %weight : f32 to vector<4xf32>
          %r = arith.mulf %scale, %value : vector<4xf32>
          vector.store %r, %register[%e] : memref<8xf32>, vector<4xf32>
        }
      } last {
        %register = slc.row %out : memref<4x8xf32> to memref<8xf32>
        slc.emit %register : memref<8xf32>
      }
    }
  }
}

// -----

// ERROR: padded: %b: %j: slc.load: skips -1, which is not below the limit 10 of its check: the access unit checks before it skips
slc.func @padded(%idxs: memref<4xi64>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%j = 0 to 4 step 1) {
      %i = slc.load %idxs[%j] : memref<4xi64>
      slc.skip %i equal -1 : i64
      slc.check %i below 10 : i64
      %base = slc.mul %i, 8 : i64
      slc.loop (%e = 0 to 8 step 1) {
        %at = slc.add %base, %e : i64
        %x = slc.load %table[%at] : memref<80xf32>
      }
    }
  }
}

// -----

// ERROR: leaps: %b: slc.loop: a step must be 1..65535, not 70000
slc.func @leaps(%out: memref<4x8xf32>, %table: memref<80xf32>) {
  slc.loop (%b = 0 to 80000 step 70000) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: below: %b: slc.loop: a loop must start at 0 or above, not -2
slc.func @below(%out: memref<4x8xf32>, %table: memref<80xf32>) {
  slc.loop (%b = -2 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: short: %b: slc.load: elements must have 32 or 64 bits, not 16
slc.func @short(%idxs: memref<4xi16>, %table: memref<80xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idxs[%b] : memref<4xi16>
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: calls: %b: func.call: the execute unit has no instruction for this
func.func private @other()
slc.func @calls(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      func.call @other() : () -> ()
    }
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: products: %b: slc.mul: the integer unit multiplies and shifts by literals, not streams
slc.func @products(%idxs: memref<4xi64>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idxs[%b] : memref<4xi64>
    %at = slc.mul %i, %b : i64
    slc.loop (%e = 0 to 8 step 1) {
      %sum = slc.add %at, %e : i64
      %x = slc.load %table[%sum] : memref<80xf32>
    }
  }
}

// -----

// ERROR: factor: %b: slc.mul: the literal must be 0..4294967295, not 8589934592
slc.func @factor(%idxs: memref<4xi64>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idxs[%b] : memref<4xi64>
    %at = slc.mul %i, 8589934592 : i64
    slc.loop (%e = 0 to 8 step 1) {
      %sum = slc.add %at, %e : i64
      %x = slc.load %table[%sum] : memref<80xf32>
    }
  }
}

// -----

// A loop without iterations may end below 0; its microcode has no sign.
slc.func @empty(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to -1 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<80xf32>
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// CHECK:       dlc.func @empty
// CHECK:         dlc.tu.dense 0 to 0 step 1
// -----

// A literal beside a loaded bound is a stream of the layer above; what an address adds is an offset
// of the array; the outermost layer loads a fixed element at the 0 that it is given.
slc.func @literals(%ends: memref<8xi64>, %fixed: memref<4xi64>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %zero = slc.const 2 : index
    %f = slc.load %fixed[%zero] : memref<4xi64>
    slc.check %f below 9 : i64
    %q = slc.load %ends[%b] : memref<8xi64>
    slc.loop (%j = 5 to %q step 1) {
      slc.loop (%e = 0 to 8 step 1) {
        %at = slc.add %j, %e : index
        %there = slc.add %at, 16 : index
        %x = slc.load %table[%there] : memref<80xf32>
        slc.callback {
          %e_1 = slc.to_val %e : index
          %b_1 = slc.to_val %b : index
          %x_1 = slc.to_val %x : f32
          %row = slc.row %out[%b_1] : memref<4x8xf32> to memref<8xf32>
          %acc = memref.load %row[%e_1] : memref<8xf32>
          %sum = arith.addf %acc, %x_1 : f32
          memref.store %sum, %row[%e_1] : memref<8xf32>
        }
      }
    }
  }
}

// CHECK:       dlc.func @literals(%ends: memref<8xi64>, %fixed: memref<4xi64>, %table: memref<80xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    dlc.segment access {
// CHECK-NEXT:      %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
// CHECK-NEXT:      %0 = dlc.const 0 : !dlc.stream<0, index>
// CHECK-NEXT:      %f = dlc.mem %fixed[%0] offset 2 below 9 : memref<4xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
// CHECK-NEXT:      %q = dlc.mem %ends[%b] : memref<8xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>
// CHECK-NEXT:      %1 = dlc.const 5 : !dlc.stream<0, index>
// CHECK-NEXT:      %j = dlc.tu.range %1 to %q step 1 : !dlc.stream<0, index>, !dlc.stream<0, i64> -> !dlc.stream<1, index>
// CHECK-NEXT:      %b_1 = dlc.fwd %b : !dlc.stream<0, index> -> !dlc.stream<1, index>
// CHECK-NEXT:      %2 = dlc.tu.once : !dlc.stream<2, index>
// CHECK-NEXT:      %j_1 = dlc.fwd %j : !dlc.stream<1, index> -> !dlc.stream<2, index>
// CHECK-NEXT:      %b_2 = dlc.fwd %b_1 : !dlc.stream<1, index> -> !dlc.stream<2, index>
// CHECK-NEXT:      %x, %e = dlc.tu.row %table[%j_1 : !dlc.stream<2, index>] offset 16 dim 8 : memref<80xf32> -> !dlc.stream<3, f32>, !dlc.stream<3, index>
// CHECK-NEXT:      dlc.push ite of %e, %e : !dlc.stream<3, index>, !dlc.stream<3, index>
// CHECK-NEXT:      dlc.push ite of %e, %b_2 : !dlc.stream<3, index>, !dlc.stream<2, index>
// CHECK-NEXT:      dlc.push ite of %e, %x : !dlc.stream<3, index>, !dlc.stream<3, f32>
// CHECK-NEXT:      dlc.token ite of %e, @row_ite : !dlc.stream<3, index>
// CHECK-NEXT:    } execute {
// CHECK-NEXT:      dlc.rows %out : memref<4x8xf32>
// CHECK-NEXT:      dlc.callback @row_ite {
// CHECK-NEXT:        dlc.pop r0
// CHECK-NEXT:        dlc.pop r1
// CHECK-NEXT:        dlc.setr r1
// CHECK-NEXT:        dlc.add v0, dataq, v0 at_element r0
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: repeated: %b: %k: memref.store: the execute unit has no loops but those over a row
slc.func @repeated(%table: memref<80xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %count = memref.alloca() : memref<i32>
    slc.callback {
      %first = arith.constant 0 : index
      %last = arith.constant 3 : index
      %next = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      scf.for %k = %first to %last step %next {
        %seen = memref.load %count[] : memref<i32>
        %more = arith.addi %seen, %one : i32
        memref.store %more, %count[] : memref<i32>
      }
      slc.emit %register : memref<8xf32>
    }
  }
}

// -----

// Sums of products of a short row wait for the next row: the last one has a token of its own.
slc.func @waits(%offsets: memref<5xi64>, %indices: memref<8xi64>, %table: memref<9x12xf32>, %weights: memref<8xf32>, %out: memref<4x12xf32, strided<[12, 1]>>) {
  %table_flat = memref.reinterpret_cast %table to offset: [0], sizes: [108], strides: [1] : memref<9x12xf32> to memref<108xf32, strided<[1]>>
  slc.callback {
    slc.rewind %out : memref<4x12xf32, strided<[12, 1]>>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %offsets[%b] : memref<5xi64>
    slc.check %p below 9 : i64
    slc.check %q below 9 : i64
    slc.loop (%j = %p to %q step 1) fused {
      %i = slc.load %indices[%j] : memref<8xi64>
      slc.check %i below 9 : i64
      %w = slc.load %weights[%j] : memref<8xf32>
      %base = slc.mul %i, 12 : i64
      %row = slc.buffer : memref<12xf32>
      slc.loop (%e = 0 to 12 step 4) {
        %at = slc.add %base, %e : i64
        %x = slc.load %table_flat[%at] : memref<108xf32, strided<[1]>>, vector<4xf32>
        slc.push %x to %row : vector<4xf32>, memref<12xf32>
      }
      slc.callback first {
        %c0 = arith.constant 0 : index
        %dim = arith.constant 12 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant 0.000000e+00 : f32
        %acc_row = slc.row %out : memref<4x12xf32, strided<[12, 1]>> to memref<12xf32>
        scf.for %e_1 = %c0 to %dim step %c1 {
          memref.store %zero, %acc_row[%e_1] : memref<12xf32>
        }
      } each {
        %acc_row_1 = slc.row %out : memref<4x12xf32, strided<[12, 1]>> to memref<12xf32>
        %w_1 = slc.to_val %w token : f32
        %data = slc.to_val %row : memref<12xf32>
        %0 = arith.constant 0 : index
        %1 = arith.constant 12 : index
        %2 = arith.constant 4 : index
        scf.for %e_2 = %0 to %1 step %2 {
          %x_1 = vector.load %data[%e_2] : memref<12xf32>, vector<4xf32>
          %acc = vector.load %acc_row_1[%e_2] : memref<12xf32>, vector<4xf32>
          %3 = vector.broadcast %w_1 : f32 to vector<4xf32>
          %4 = arith.mulf %x_1, %3 : vector<4xf32>
          %r = arith.addf %acc, %4 : vector<4xf32>
          vector.store %r, %acc_row_1[%e_2] : memref<12xf32>, vector<4xf32>
        }
      } last {
        %acc_row_2 = slc.row %out : memref<4x12xf32, strided<[12, 1]>> to memref<12xf32>
        slc.emit %acc_row_2 : memref<12xf32>
      }
    }
  }
}

// CHECK:       dlc.func @waits(%offsets: memref<5xi64>, %indices: memref<8xi64>, %table: memref<9x12xf32>, %weights: memref<8xf32>, %out: memref<4x12xf32, strided<[12, 1]>>) {
// CHECK-NEXT:    %table_flat = memref.reinterpret_cast %table to offset: [0], sizes: [108], strides: [1] : memref<9x12xf32> to memref<108xf32, strided<[1]>>
// CHECK-NEXT:    dlc.segment access {
// CHECK-NEXT:      %b = dlc.tu.dense 0 to 4 step 1 : !dlc.stream<0, index>
// CHECK-NEXT:      %p, %q = dlc.mem_pair %offsets[%b] below 9 : memref<5xi64>, !dlc.stream<0, index> -> !dlc.stream<0, i64>, !dlc.stream<0, i64>
// CHECK-NEXT:      %j = dlc.tu.range %p to %q step 1 fused : !dlc.stream<0, i64>, !dlc.stream<0, i64> -> !dlc.stream<1, index>
// CHECK-NEXT:      %i = dlc.mem %indices[%j] below 9 : memref<8xi64>, !dlc.stream<1, index> -> !dlc.stream<1, i64>
// CHECK-NEXT:      %w = dlc.mem %weights[%j] : memref<8xf32>, !dlc.stream<1, index> -> !dlc.stream<1, f32>
// CHECK-NEXT:      %base = dlc.alu mul %i by 12 : !dlc.stream<1, i64> -> !dlc.stream<1, i64>
// CHECK-NEXT:      %0 = dlc.tu.once : !dlc.stream<2, index>
// CHECK-NEXT:      %base_1 = dlc.fwd %base : !dlc.stream<1, i64> -> !dlc.stream<2, i64>
// CHECK-NEXT:      %w_1 = dlc.fwd %w : !dlc.stream<1, f32> -> !dlc.stream<2, f32>
// CHECK-NEXT:      %x, %e = dlc.tu.row %table_flat[%base_1 : !dlc.stream<2, i64>] dim 12 : memref<108xf32, strided<[1]>> -> !dlc.stream<3, vector<4xf32>>, !dlc.stream<3, index>
// CHECK-NEXT:      dlc.token beg of %b, @l0_beg : !dlc.stream<0, index>
// CHECK-NEXT:      dlc.push ite of %e, %x : !dlc.stream<3, index>, !dlc.stream<3, vector<4xf32>>
// CHECK-NEXT:      dlc.token end of %j, @l1_end : !dlc.stream<1, index>
// CHECK-NEXT:      dlc.token beg of %e, @row_beg arg %w_1 : !dlc.stream<2, f32> : !dlc.stream<3, index>
// CHECK-NEXT:    } execute {
// CHECK-NEXT:      dlc.rows %out : memref<4x12xf32, strided<[12, 1]>>
// CHECK-NEXT:      dlc.callback @l0_beg {
// CHECK-NEXT:        dlc.seta
// CHECK-NEXT:        dlc.mov v1, zero
// CHECK-NEXT:      }
// CHECK-NEXT:      dlc.callback @row_beg {
// CHECK-NEXT:        dlc.add v0, v1, v0 init count fused
// CHECK-NEXT:        dlc.mul v1, dataq, arg
// CHECK-NEXT:      }
// CHECK-NEXT:      dlc.callback @l1_end {
// CHECK-NEXT:        dlc.add v0, v1, v0 emit always bump
// CHECK-NEXT:        dlc.mov v1, zero
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// They do not where a row has many vectors.
slc.func @long_rows(%offsets: memref<5xi64>, %indices: memref<8xi64>, %table: memref<9x13xf32>, %weights: memref<8xf32>, %out: memref<4x13xf32, strided<[13, 1]>>) {
  %table_flat = memref.reinterpret_cast %table to offset: [0], sizes: [117], strides: [1] : memref<9x13xf32> to memref<117xf32, strided<[1]>>
  slc.callback {
    slc.rewind %out : memref<4x13xf32, strided<[13, 1]>>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %offsets[%b] : memref<5xi64>
    slc.check %p below 9 : i64
    slc.check %q below 9 : i64
    slc.loop (%j = %p to %q step 1) fused {
      %i = slc.load %indices[%j] : memref<8xi64>
      slc.check %i below 9 : i64
      %w = slc.load %weights[%j] : memref<8xf32>
      %base = slc.mul %i, 13 : i64
      %row = slc.buffer : memref<16xf32>
      slc.loop (%e = 0 to 13 step 4) masked {
        %at = slc.add %base, %e : i64
        %x = slc.load %table_flat[%at] : memref<117xf32, strided<[1]>>, vector<4xf32>
        slc.push %x to %row : vector<4xf32>, memref<16xf32>
      }
      slc.callback first {
        %c0 = arith.constant 0 : index
        %dim = arith.constant 13 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant 0.000000e+00 : f32
        %acc_row = slc.row %out : memref<4x13xf32, strided<[13, 1]>> to memref<16xf32>
        scf.for %e_1 = %c0 to %dim step %c1 {
          memref.store %zero, %acc_row[%e_1] : memref<16xf32>
        }
      } each {
        %acc_row_1 = slc.row %out : memref<4x13xf32, strided<[13, 1]>> to memref<16xf32>
        %w_1 = slc.to_val %w token : f32
        %data = slc.to_val %row : memref<16xf32>
        %0 = arith.constant 0 : index
        %1 = arith.constant 16 : index
        %2 = arith.constant 4 : index
        scf.for %e_2 = %0 to %1 step %2 {
          %x_1 = vector.load %data[%e_2] : memref<16xf32>, vector<4xf32>
          %acc = vector.load %acc_row_1[%e_2] : memref<16xf32>, vector<4xf32>
          %3 = vector.broadcast %w_1 : f32 to vector<4xf32>
          %4 = arith.mulf %x_1, %3 : vector<4xf32>
          %r = arith.addf %acc, %4 : vector<4xf32>
          vector.store %r, %acc_row_1[%e_2] : memref<16xf32>, vector<4xf32>
        }
      } last {
        %acc_row_2 = slc.row %out : memref<4x13xf32, strided<[13, 1]>> to memref<16xf32>
        slc.emit %acc_row_2 : memref<16xf32>
      }
    }
  }
}

// CHECK:       dlc.func @long_rows
// CHECK:       dlc.callback @row_beg {
// CHECK-NEXT:        dlc.mul v1, dataq, arg
// CHECK-NEXT:        dlc.add v0, v1, v0 init count fused emit last bump
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// They do not where rows are left out.
slc.func @left_out(%offsets: memref<5xi64>, %indices: memref<8xi64>, %table: memref<9x12xf32>, %weights: memref<8xf32>, %out: memref<4x12xf32, strided<[12, 1]>>) {
  %table_flat = memref.reinterpret_cast %table to offset: [0], sizes: [108], strides: [1] : memref<9x12xf32> to memref<108xf32, strided<[1]>>
  slc.callback {
    slc.rewind %out : memref<4x12xf32, strided<[12, 1]>>
  }
  slc.loop (%b = 0 to 4 step 1) {
    %p, %q = slc.load_pair %offsets[%b] : memref<5xi64>
    slc.check %p below 9 : i64
    slc.check %q below 9 : i64
    slc.loop (%j = %p to %q step 1) fused {
      %i = slc.load %indices[%j] : memref<8xi64>
      slc.check %i below 9 : i64
      slc.skip %i equal 0 : i64
      %w = slc.load %weights[%j] : memref<8xf32>
      %base = slc.mul %i, 12 : i64
      %row = slc.buffer : memref<12xf32>
      slc.loop (%e = 0 to 12 step 4) {
        %at = slc.add %base, %e : i64
        %x = slc.load %table_flat[%at] : memref<108xf32, strided<[1]>>, vector<4xf32>
        slc.push %x to %row : vector<4xf32>, memref<12xf32>
      }
      slc.callback first {
        %c0 = arith.constant 0 : index
        %dim = arith.constant 12 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant 0.000000e+00 : f32
        %acc_row = slc.row %out : memref<4x12xf32, strided<[12, 1]>> to memref<12xf32>
        scf.for %e_1 = %c0 to %dim step %c1 {
          memref.store %zero, %acc_row[%e_1] : memref<12xf32>
        }
      } each {
        %acc_row_1 = slc.row %out : memref<4x12xf32, strided<[12, 1]>> to memref<12xf32>
        %w_1 = slc.to_val %w token : f32
        %data = slc.to_val %row : memref<12xf32>
        %0 = arith.constant 0 : index
        %1 = arith.constant 12 : index
        %2 = arith.constant 4 : index
        scf.for %e_2 = %0 to %1 step %2 {
          %x_1 = vector.load %data[%e_2] : memref<12xf32>, vector<4xf32>
          %acc = vector.load %acc_row_1[%e_2] : memref<12xf32>, vector<4xf32>
          %3 = vector.broadcast %w_1 : f32 to vector<4xf32>
          %4 = arith.mulf %x_1, %3 : vector<4xf32>
          %r = arith.addf %acc, %4 : vector<4xf32>
          vector.store %r, %acc_row_1[%e_2] : memref<12xf32>, vector<4xf32>
        }
      } last {
        %acc_row_2 = slc.row %out : memref<4x12xf32, strided<[12, 1]>> to memref<12xf32>
        slc.emit %acc_row_2 : memref<12xf32>
      }
    }
  }
}

// CHECK:       dlc.func @left_out
// CHECK:       dlc.callback @row_beg {
// CHECK-NEXT:        dlc.mul v1, dataq, arg
// CHECK-NEXT:        dlc.add v0, v1, v0 init count fused emit last bump
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// ERROR: inside: %b: %e: slc.skip: the layer that walks a row neither checks nor skips
slc.func @inside(%idxs: memref<8xi64>, %table: memref<80xf32>, %out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    %i = slc.load %idxs[%b] : memref<8xi64>
    slc.loop (%e = 0 to 8 step 1) {
      slc.skip %i equal 3 : i64
      %x = slc.load %table[%e] : memref<80xf32>
    }
  }
}

// -----

// ERROR: times: %b: %e: %j: memref.store: the execute unit has no loops but those over a row
slc.func @times(%out: memref<8x8xf32>) {
  slc.loop (%b = 0 to 8 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      slc.callback {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %r = slc.to_val %b : index
        %k = slc.to_val %e : index
        %acc = slc.row %out[%r] : memref<8x8xf32> to memref<8xf32>
        scf.for %j = %c0 to %c2 step %c1 {
          %x = memref.load %acc[%k] : memref<8xf32>
          %y = arith.addf %x, %x : f32
          memref.store %y, %acc[%k] : memref<8xf32>
        }
      }
    }
  }
}
