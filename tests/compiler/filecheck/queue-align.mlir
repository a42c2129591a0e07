// RUN: queue-align

// Rows are counted, the unused index is dropped, the weight travels in the token.
slc.func @counted(%table: memref<200xf32>, %out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %w = slc.load %table[%b] : memref<200xf32>
    %buffer = slc.buffer : memref<16xf32>
    slc.loop (%e = 0 to 16 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.push %x to %buffer : vector<8xf32>, memref<16xf32>
    }
    slc.callback {
      %row = slc.to_val %b : index
      %data = slc.to_val %buffer : memref<16xf32>
      %weight = slc.to_val %w : f32
      %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      scf.for %e = %c0 to %c16 step %c8 {
        %value = vector.load %data[%e] : memref<16xf32>, vector<8xf32>
        %scale = vector.broadcast %weight : f32 to vector<8xf32>
        %product = arith.mulf %value, %scale : vector<8xf32>
        vector.store %product, %register[%e] : memref<16xf32>, vector<8xf32>
      }
      slc.emit %register : memref<16xf32>
    }
  }
}

// CHECK:       slc.func @counted(%table: memref<200xf32>, %out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.callback {
// CHECK-NEXT:      slc.rewind %out : memref<4x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %w = slc.load %table[%b] : memref<200xf32>
// CHECK-NEXT:      %buffer = slc.buffer : memref<16xf32>
// CHECK-NEXT:      slc.loop (%e = 0 to 16 step 8) {
// CHECK-NEXT:        %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
// CHECK-NEXT:        slc.push %x to %buffer : vector<8xf32>, memref<16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %data = slc.to_val %buffer : memref<16xf32>
// CHECK-NEXT:        %weight = slc.to_val %w token : f32
// CHECK-NEXT:        %register = slc.row %out : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %c8 = arith.constant 8 : index
// CHECK-NEXT:        %c16 = arith.constant 16 : index
// CHECK-NEXT:        scf.for %e_1 = %c0 to %c16 step %c8 {
// CHECK-NEXT:          %value = vector.load %data[%e_1] : memref<16xf32>, vector<8xf32>
// CHECK-NEXT:          %scale = vector.broadcast %weight : f32 to vector<8xf32>
// CHECK-NEXT:          %product = arith.mulf %value, %scale : vector<8xf32>
// CHECK-NEXT:          vector.store %product, %register[%e_1] : memref<16xf32>, vector<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        slc.emit %register : memref<16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A nest that stores no row is left alone.
slc.func @nothing(%table: memref<200xf32>) {
  slc.loop (%b = 0 to 4 step 2) {
    %w = slc.load %table[%b] : memref<200xf32>
    slc.callback {
      %row = slc.to_val %b : index
      %next = arith.addi %row, %row : index
    }
  }
}

// CHECK:       slc.func @nothing(%table: memref<200xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 2) {
// CHECK-NEXT:      %w = slc.load %table[%b] : memref<200xf32>
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.to_val %b : index
// CHECK-NEXT:        %next = arith.addi %row, %row : index
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Not every row: a view has those that are.
slc.func @half(%out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 2) {
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
      slc.emit %register : memref<16xf32>
    }
  }
}

// CHECK:       slc.func @half(%out: memref<4x16xf32>) {
// CHECK-NEXT:    %out_counted = memref.subview %out[0, 0] [2, 16] [2, 1] : memref<4x16xf32> to memref<2x16xf32, strided<[32, 1]>>
// CHECK:         slc.loop (%b = 0 to 4 step 2) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %register = slc.row %out_counted : memref<2x16xf32, strided<[32, 1]>> to memref<16xf32>
// CHECK-NEXT:        slc.emit %register : memref<16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// -----

// Left alone: the row is emitted more than once.
slc.func @often(%out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%j = 0 to 2 step 1) {
      slc.callback {
        %row = slc.to_val %b : index
        %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
        slc.emit %register : memref<16xf32>
      }
    }
  }
}

// CHECK:       slc.func @often(%out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.loop (%j = 0 to 2 step 1) {
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row = slc.to_val %b : index
// CHECK-NEXT:          %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:          slc.emit %register : memref<16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// -----

// Left alone: the row is not the outermost loop's.
slc.func @other(%out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%j = 0 to 2 step 1) {
      slc.callback {
        %row = slc.to_val %j : index
        %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
        slc.emit %register : memref<16xf32>
      }
    }
  }
}

// CHECK:       slc.func @other(%out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      slc.loop (%j = 0 to 2 step 1) {
// CHECK-NEXT:        slc.callback {
// CHECK-NEXT:          %row = slc.to_val %j : index
// CHECK-NEXT:          %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:          slc.emit %register : memref<16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// -----

// Left alone: an iteration may be skipped.
slc.func @left(%idxs: memref<4xi64>, %out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idxs[%b] : memref<4xi64>
    slc.skip %i equal 3 : i64
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
      slc.emit %register : memref<16xf32>
    }
  }
}

// CHECK:       slc.func @left(%idxs: memref<4xi64>, %out: memref<4x16xf32>) {
// CHECK-NEXT:    slc.loop (%b = 0 to 4 step 1) {
// CHECK-NEXT:      %i = slc.load %idxs[%b] : memref<4xi64>
// CHECK-NEXT:      slc.skip %i equal 3 : i64
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %row = slc.to_val %b : index
// CHECK-NEXT:        %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
// CHECK-NEXT:        slc.emit %register : memref<16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// A lower bound, a step, and every second row: a view has these rows only.
slc.func @between(%out: memref<20x16xf32>) {
  slc.loop (%b = 2 to 7 step 3) {
    %twice = slc.mul %b, 2 : index
    %next = slc.add %twice, 1 : index
    slc.callback {
      %row = slc.to_val %next : index
      %register = slc.row %out[%row] : memref<20x16xf32> to memref<16xf32>
      slc.emit %register : memref<16xf32>
    }
  }
}

// CHECK:       slc.func @between(%out: memref<20x16xf32>) {
// CHECK-NEXT:    %out_counted = memref.subview %out[5, 0] [2, 16] [6, 1] : memref<20x16xf32> to memref<2x16xf32, strided<[96, 1], offset: 80>>
// CHECK-NEXT:    slc.callback {
// CHECK-NEXT:      slc.rewind %out_counted : memref<2x16xf32, strided<[96, 1], offset: 80>>
// CHECK-NEXT:    }
// CHECK-NEXT:    slc.loop (%b = 2 to 7 step 3) {
// CHECK-NEXT:      slc.callback {
// CHECK-NEXT:        %register = slc.row %out_counted : memref<2x16xf32, strided<[96, 1], offset: 80>> to memref<16xf32>
// CHECK-NEXT:        slc.emit %register : memref<16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// -----

// Left alone: rows that go down.
slc.func @down(%out: memref<4x16xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %three = slc.const 3 : index
    %place = slc.sub %three, %b : index
    slc.callback {
      %row = slc.to_val %place : index
      %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
      slc.emit %register : memref<16xf32>
    }
  }
}

// CHECK:       slc.func @down(%out: memref<4x16xf32>) {
// CHECK:           %register = slc.row %out[%row] : memref<4x16xf32> to memref<16xf32>
