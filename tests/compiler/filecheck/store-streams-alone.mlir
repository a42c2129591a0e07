// RUN: store-streams{execute=0}

// ERROR: sums: %b: %e: arith.addf: a store stream copies and does not compute: that needs an execute unit, and the configuration has none
slc.func @sums(%table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %sum = arith.addf %value, %value : vector<8xf32>
        %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
        vector.store %sum, %register[%column] : memref<8xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// -----

// ERROR: fills: %b: slc.callback: a store stream stores rows that are read, and each of them at once: that needs an execute unit, and the configuration has none
slc.func @fills(%out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// -----

// ERROR: elements: %b: %e: slc.callback: a store stream takes rows as vectors (O1 and above), of one array: that needs an execute unit, and the configuration has none
slc.func @elements(%table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 1) {
      %x = slc.load %table[%e] : memref<200xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : f32
        %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
        memref.store %value, %register[%column] : memref<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}

// -----

// ERROR: part: %b: %e: vector.store: a row has 9 elements, and not all are copied: that needs an execute unit, and the configuration has none
slc.func @part(%table: memref<200xf32>, %out: memref<4x9xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %register = slc.row %out[%row] : memref<4x9xf32> to memref<16xf32>
        vector.store %value, %register[%column] : memref<16xf32>, vector<8xf32>
      }
    }
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x9xf32> to memref<16xf32>
      slc.emit %register : memref<16xf32>
    }
  }
}

// -----

// ERROR: late: %b: slc.skip: the row is copied before it is known whether it is stored: that needs an execute unit, and the configuration has none
slc.func @late(%idx: memref<4xi64>, %table: memref<200xf32>, %out: memref<4x8xf32>) {
  slc.loop (%b = 0 to 4 step 1) {
    %i = slc.load %idx[%b] : memref<4xi64>
    slc.loop (%e = 0 to 8 step 8) {
      %x = slc.load %table[%e] : memref<200xf32>, vector<8xf32>
      slc.callback {
        %row = slc.to_val %b : index
        %column = slc.to_val %e : index
        %value = slc.to_val %x : vector<8xf32>
        %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
        vector.store %value, %register[%column] : memref<8xf32>, vector<8xf32>
      }
    }
    slc.skip %i equal 3 : i64
    slc.callback {
      %row = slc.to_val %b : index
      %register = slc.row %out[%row] : memref<4x8xf32> to memref<8xf32>
      slc.emit %register : memref<8xf32>
    }
  }
}
