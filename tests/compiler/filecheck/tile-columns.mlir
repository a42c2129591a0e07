// RUN: tile-columns{max-dim=8}

// Rows of 20 elements become three nests on views of their columns.
func.func @tiles(%table: memref<10x20xf32>, %out: memref<4x20xf32, strided<[50, 1]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %x = memref.load %table[%b, %e] : memref<10x20xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32, strided<[50, 1]>>
    }
  }
  func.return
}

// CHECK:       func.func @tiles(%table: memref<10x20xf32>, %out: memref<4x20xf32, strided<[50, 1]>>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %bags = arith.constant 4 : index
// CHECK-NEXT:    %dim = arith.constant 20 : index
// CHECK-NEXT:    %columns = arith.constant 8 : index
// CHECK-NEXT:    %table_tile = memref.subview %table[0, 0] [10, 8] [1, 1] : memref<10x20xf32> to memref<10x8xf32, strided<[20, 1]>>
// CHECK-NEXT:    %out_tile = memref.subview %out[0, 0] [4, 8] [1, 1] : memref<4x20xf32, strided<[50, 1]>> to memref<4x8xf32, strided<[50, 1]>>
// CHECK-NEXT:    scf.for %b = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %columns step %c1 {
// CHECK-NEXT:        %x = memref.load %table_tile[%b, %e] : memref<10x8xf32, strided<[20, 1]>>
// CHECK-NEXT:        memref.store %x, %out_tile[%b, %e] : memref<4x8xf32, strided<[50, 1]>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_1 = arith.constant 8 : index
// CHECK-NEXT:    %table_tile_1 = memref.subview %table[0, 8] [10, 8] [1, 1] : memref<10x20xf32> to memref<10x8xf32, strided<[20, 1], offset: 8>>
// CHECK-NEXT:    %out_tile_1 = memref.subview %out[0, 8] [4, 8] [1, 1] : memref<4x20xf32, strided<[50, 1]>> to memref<4x8xf32, strided<[50, 1], offset: 8>>
// CHECK-NEXT:    scf.for %b_1 = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e_1 = %c0 to %columns_1 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %table_tile_1[%b_1, %e_1] : memref<10x8xf32, strided<[20, 1], offset: 8>>
// CHECK-NEXT:        memref.store %x_1, %out_tile_1[%b_1, %e_1] : memref<4x8xf32, strided<[50, 1], offset: 8>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_2 = arith.constant 4 : index
// CHECK-NEXT:    %table_tile_2 = memref.subview %table[0, 16] [10, 4] [1, 1] : memref<10x20xf32> to memref<10x4xf32, strided<[20, 1], offset: 16>>
// CHECK-NEXT:    %out_tile_2 = memref.subview %out[0, 16] [4, 4] [1, 1] : memref<4x20xf32, strided<[50, 1]>> to memref<4x4xf32, strided<[50, 1], offset: 16>>
// CHECK-NEXT:    scf.for %b_2 = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e_2 = %c0 to %columns_2 step %c1 {
// CHECK-NEXT:        %x_2 = memref.load %table_tile_2[%b_2, %e_2] : memref<10x4xf32, strided<[20, 1], offset: 16>>
// CHECK-NEXT:        memref.store %x_2, %out_tile_2[%b_2, %e_2] : memref<4x4xf32, strided<[50, 1], offset: 16>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// Rows that fit are left alone.
func.func @fits(%table: memref<10x8xf32>, %out: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 8 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %x = memref.load %table[%b, %e] : memref<10x8xf32>
      memref.store %x, %out[%b, %e] : memref<4x8xf32>
    }
  }
  func.return
}

// CHECK:       func.func @fits(%table: memref<10x8xf32>, %out: memref<4x8xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %bags = arith.constant 4 : index
// CHECK-NEXT:    %dim = arith.constant 8 : index
// CHECK-NEXT:    scf.for %b = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %dim step %c1 {
// CHECK-NEXT:        %x = memref.load %table[%b, %e] : memref<10x8xf32>
// CHECK-NEXT:        memref.store %x, %out[%b, %e] : memref<4x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

func.func @part(%table: memref<10x20xf32>, %out: memref<4x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c1 to %dim step %c1 {
      %x = memref.load %table[%b, %e] : memref<10x20xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32>
    }
  }
  func.return
}

// CHECK:       func.func @part(%table: memref<10x20xf32>, %out: memref<4x20xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %bags = arith.constant 4 : index
// CHECK-NEXT:    %dim = arith.constant 20 : index
// CHECK-NEXT:    %columns = arith.constant 8 : index
// CHECK-NEXT:    %table_tile = memref.subview %table[0, 1] [10, 8] [1, 1] : memref<10x20xf32> to memref<10x8xf32, strided<[20, 1], offset: 1>>
// CHECK-NEXT:    %out_tile = memref.subview %out[0, 1] [4, 8] [1, 1] : memref<4x20xf32> to memref<4x8xf32, strided<[20, 1], offset: 1>>
// CHECK-NEXT:    %first = arith.constant 0 : index
// CHECK-NEXT:    scf.for %b = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e = %first to %columns step %c1 {
// CHECK-NEXT:        %x = memref.load %table_tile[%b, %e] : memref<10x8xf32, strided<[20, 1], offset: 1>>
// CHECK-NEXT:        memref.store %x, %out_tile[%b, %e] : memref<4x8xf32, strided<[20, 1], offset: 1>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_1 = arith.constant 8 : index
// CHECK-NEXT:    %table_tile_1 = memref.subview %table[0, 9] [10, 8] [1, 1] : memref<10x20xf32> to memref<10x8xf32, strided<[20, 1], offset: 9>>
// CHECK-NEXT:    %out_tile_1 = memref.subview %out[0, 9] [4, 8] [1, 1] : memref<4x20xf32> to memref<4x8xf32, strided<[20, 1], offset: 9>>
// CHECK-NEXT:    %first_1 = arith.constant 0 : index
// CHECK-NEXT:    scf.for %b_1 = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e_1 = %first_1 to %columns_1 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %table_tile_1[%b_1, %e_1] : memref<10x8xf32, strided<[20, 1], offset: 9>>
// CHECK-NEXT:        memref.store %x_1, %out_tile_1[%b_1, %e_1] : memref<4x8xf32, strided<[20, 1], offset: 9>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_2 = arith.constant 3 : index
// CHECK-NEXT:    %table_tile_2 = memref.subview %table[0, 17] [10, 3] [1, 1] : memref<10x20xf32> to memref<10x3xf32, strided<[20, 1], offset: 17>>
// CHECK-NEXT:    %out_tile_2 = memref.subview %out[0, 17] [4, 3] [1, 1] : memref<4x20xf32> to memref<4x3xf32, strided<[20, 1], offset: 17>>
// CHECK-NEXT:    %first_2 = arith.constant 0 : index
// CHECK-NEXT:    scf.for %b_2 = %c0 to %bags step %c1 {
// CHECK-NEXT:      scf.for %e_2 = %first_2 to %columns_2 step %c1 {
// CHECK-NEXT:        %x_2 = memref.load %table_tile_2[%b_2, %e_2] : memref<10x3xf32, strided<[20, 1], offset: 17>>
// CHECK-NEXT:        memref.store %x_2, %out_tile_2[%b_2, %e_2] : memref<4x3xf32, strided<[20, 1], offset: 17>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// ERROR: mixed: %b: %e: memref.load: rows of 20 elements exceed 8 (max_dim), and to split them %e must only be a column
func.func @mixed(%table: memref<10x50xf32>, %out: memref<4x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %twice = arith.muli %e, %c2 : index
      %x = memref.load %table[%b, %twice] : memref<10x50xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32>
    }
  }
  func.return
}

// -----

// ERROR: rows: %b: %e: memref.load: rows of 20 elements exceed 8 (max_dim), and to split them %e must only be a column
func.func @rows(%table: memref<50x20xf32>, %out: memref<4x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %next = arith.addi %e, %c1 : index
      %x = memref.load %table[%next, %e] : memref<50x20xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32>
    }
  }
  func.return
}

// -----

// ERROR: behind: %b: %e: memref.load: rows of 20 elements exceed 8 (max_dim), and to split them %table must have a column for each iteration of %e
func.func @behind(%table: memref<10x20xf32>, %out: memref<4x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 20 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %dim step %c1 {
      %next = arith.addi %e, %c1 : index
      %x = memref.load %table[%b, %next] : memref<10x20xf32>
      memref.store %x, %out[%b, %e] : memref<4x20xf32>
    }
  }
  func.return
}

// -----

// Element loops that do not walk the whole row: a nest for each run of columns that the same loops
// work on. Columns that none does are in no nest.
func.func @runs(%table: memref<10x7xf32>, %out: memref<4x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c2 step %c1 {
    scf.for %e = %c0 to %c5 step %c1 {
      memref.store %zero, %out[%b, %e] : memref<4x7xf32>
    }
    scf.for %f = %c2 to %c5 step %c1 {
      %x = memref.load %table[%b, %f] : memref<10x7xf32>
      memref.store %x, %out[%b, %f] : memref<4x7xf32>
    }
  }
  func.return
}

// CHECK:       func.func @runs(%table: memref<10x7xf32>, %out: memref<4x7xf32>) {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c2 = arith.constant 2 : index
// CHECK-NEXT:    %c5 = arith.constant 5 : index
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %columns = arith.constant 2 : index
// CHECK-NEXT:    %out_tile = memref.subview %out[0, 0] [4, 2] [1, 1] : memref<4x7xf32> to memref<4x2xf32, strided<[7, 1]>>
// CHECK-NEXT:    scf.for %b = %c0 to %c2 step %c1 {
// CHECK-NEXT:      scf.for %e = %c0 to %columns step %c1 {
// CHECK-NEXT:        memref.store %zero, %out_tile[%b, %e] : memref<4x2xf32, strided<[7, 1]>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_1 = arith.constant 3 : index
// CHECK-NEXT:    %table_tile = memref.subview %table[0, 2] [10, 3] [1, 1] : memref<10x7xf32> to memref<10x3xf32, strided<[7, 1], offset: 2>>
// CHECK-NEXT:    %out_tile_1 = memref.subview %out[0, 2] [4, 3] [1, 1] : memref<4x7xf32> to memref<4x3xf32, strided<[7, 1], offset: 2>>
// CHECK-NEXT:    %first = arith.constant 0 : index
// CHECK-NEXT:    scf.for %b_1 = %c0 to %c2 step %c1 {
// CHECK-NEXT:      scf.for %e_1 = %c0 to %columns_1 step %c1 {
// CHECK-NEXT:        memref.store %zero, %out_tile_1[%b_1, %e_1] : memref<4x3xf32, strided<[7, 1], offset: 2>>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %f = %first to %columns_1 step %c1 {
// CHECK-NEXT:        %x = memref.load %table_tile[%b_1, %f] : memref<10x3xf32, strided<[7, 1], offset: 2>>
// CHECK-NEXT:        memref.store %x, %out_tile_1[%b_1, %f] : memref<4x3xf32, strided<[7, 1], offset: 2>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// A loop that a tile leaves out takes a load at a column of its own with it.
func.func @left_out(%table: memref<10x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %bags = arith.constant 4 : index
  %dim = arith.constant 5 : index
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %c3 step %c1 {
      %x = memref.load %table[%b, %e] : memref<10x5xf32>
      memref.store %x, %out[%b, %e] : memref<4x5xf32>
    }
    scf.for %f = %c3 to %dim step %c1 {
      %w = memref.load %table[%b, %c0] : memref<10x5xf32>
      %y = memref.load %table[%b, %f] : memref<10x5xf32>
      %z = arith.mulf %y, %w : f32
      memref.store %z, %out[%b, %f] : memref<4x5xf32>
    }
  }
  func.return
}

// CHECK:       func.func @left_out(%table: memref<10x5xf32>, %out: memref<4x5xf32>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c3 = arith.constant 3 : index
// CHECK-NEXT:      %bags = arith.constant 4 : index
// CHECK-NEXT:      %dim = arith.constant 5 : index
// CHECK-NEXT:      %columns = arith.constant 3 : index
// CHECK-NEXT:      %table_tile = memref.subview %table[0, 0] [10, 3] [1, 1] : memref<10x5xf32> to memref<10x3xf32, strided<[5, 1]>>
// CHECK-NEXT:      %out_tile = memref.subview %out[0, 0] [4, 3] [1, 1] : memref<4x5xf32> to memref<4x3xf32, strided<[5, 1]>>
// CHECK-NEXT:      scf.for %b = %c0 to %bags step %c1 {
// CHECK-NEXT:        scf.for %e = %c0 to %columns step %c1 {
// CHECK-NEXT:          %x = memref.load %table_tile[%b, %e] : memref<10x3xf32, strided<[5, 1]>>
// CHECK-NEXT:          memref.store %x, %out_tile[%b, %e] : memref<4x3xf32, strided<[5, 1]>>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      %columns_1 = arith.constant 2 : index
// CHECK-NEXT:      %table_tile_1 = memref.subview %table[0, 3] [10, 2] [1, 1] : memref<10x5xf32> to memref<10x2xf32, strided<[5, 1], offset: 3>>
// CHECK-NEXT:      %out_tile_1 = memref.subview %out[0, 3] [4, 2] [1, 1] : memref<4x5xf32> to memref<4x2xf32, strided<[5, 1], offset: 3>>
// CHECK-NEXT:      %first = arith.constant 0 : index
// CHECK-NEXT:      scf.for %b_1 = %c0 to %bags step %c1 {
// CHECK-NEXT:        scf.for %f = %first to %columns_1 step %c1 {
// CHECK-NEXT:          %w = memref.load %table[%b_1, %c0] : memref<10x5xf32>
// CHECK-NEXT:          %y = memref.load %table_tile_1[%b_1, %f] : memref<10x2xf32, strided<[5, 1], offset: 3>>
// CHECK-NEXT:          %z = arith.mulf %y, %w : f32
// CHECK-NEXT:          memref.store %z, %out_tile_1[%b_1, %f] : memref<4x2xf32, strided<[5, 1], offset: 3>>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }

// -----

// ERROR: nest: %b: %e: scf.for: rows of 12 elements exceed 8 (max_dim), and to split them %e must have literal bounds in 0..12
func.func @nest(%t: memref<9x12xf32>, %out: memref<4x12xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %n step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x12xf32>
      memref.store %x, %out[%b, %e] : memref<4x12xf32>
    }
  }
  func.return
}

// -----

// ERROR: nest: %b: scf.for: its element loops leave 66 runs of columns, but a nest is split into 64 at most
func.func @nest(%t: memref<9x132xf32>, %out: memref<4x132xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %c132 = arith.constant 132 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c132 step %c2 {
      %x = memref.load %t[%b, %e] : memref<9x132xf32>
      memref.store %x, %out[%b, %e] : memref<4x132xf32>
    }
  }
  func.return
}

// -----

// What is only read at other columns is read from the whole array.
func.func @factors(%w: memref<4x12xf32>, %t: memref<9x12xf32>, %out: memref<4x12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %f = memref.load %w[%b, %j] : memref<4x12xf32>
      %g = memref.load %t[%j, %c1] : memref<9x12xf32>
      %h = arith.mulf %f, %g : f32
      scf.for %e = %c0 to %c12 step %c1 {
        %x = memref.load %t[%j, %e] : memref<9x12xf32>
        %y = arith.mulf %x, %h : f32
        memref.store %y, %out[%b, %e] : memref<4x12xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @factors(
// CHECK:         %t_tile = memref.subview %t[0, 0] [9, 8] [1, 1]
// CHECK-NEXT:    %out_tile = memref.subview %out[0, 0] [4, 8] [1, 1]
// CHECK:             %f = memref.load %w[%b, %j] : memref<4x12xf32>
// CHECK-NEXT:        %g = memref.load %t[%j, %c1] : memref<9x12xf32>
// CHECK:               %x = memref.load %t_tile[%j, %e] :
// CHECK:         %t_tile_1 = memref.subview %t[0, 8] [9, 4] [1, 1]
// CHECK-NEXT:    %out_tile_1 = memref.subview %out[0, 8] [4, 4] [1, 1]
// CHECK:             %f_1 = memref.load %w[%b_1, %j_1] : memref<4x12xf32>
// CHECK-NEXT:        %g_1 = memref.load %t[%j_1, %c1] : memref<9x12xf32>
// CHECK:               %x_1 = memref.load %t_tile_1[%j_1, %e_1] :

// -----

// ERROR: nest: %b: memref.store: rows of 12 elements exceed 8 (max_dim), and to split them %out must only be accessed in loops over its columns
func.func @nest(%t: memref<9x12xf32>, %out: memref<4x12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c12 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x12xf32>
      memref.store %x, %out[%b, %e] : memref<4x12xf32>
    }
    %y = memref.load %t[%b, %c1] : memref<9x12xf32>
    memref.store %y, %out[%b, %c4] : memref<4x12xf32>
  }
  func.return
}

// -----

// A row that is also written outside of loops over its columns is left alone.
func.func @outside(%t: memref<9x5xf32>, %out: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x5xf32>
      memref.store %x, %out[%b, %e] : memref<4x5xf32>
    }
    %y = memref.load %t[%b, %c1] : memref<9x5xf32>
    memref.store %y, %out[%b, %c4] : memref<4x5xf32>
  }
  func.return
}

// CHECK:       func.func @outside(
// CHECK-NOT:     memref.subview
// CHECK:         memref.store %y, %out[%b, %c4] : memref<4x5xf32>

// -----

// ERROR: twice: %b: %e: memref.store: rows of 12 elements exceed 8 (max_dim), and to split them %out must only be accessed at one column in each iteration of %e
func.func @twice(%t: memref<9x12xf32>, %out: memref<4x12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x12xf32>
      memref.store %x, %out[%b, %e] : memref<4x12xf32>
      %f = arith.addi %e, %c4 : index
      memref.store %x, %out[%b, %f] : memref<4x12xf32>
    }
  }
  func.return
}

// -----

// The rows of two tables side by side: what is stored some columns further on is its own tile. Columns
// of what is read move along.
func.func @side_by_side(%t: memref<9x3xf32>, %u: memref<9x6xf32>, %out: memref<4x7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %c4 step %c1 {
    scf.for %z = %c0 to %c7 step %c1 {
      memref.store %zero, %out[%b, %z] : memref<4x7xf32>
    }
    scf.for %e = %c0 to %c3 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x3xf32>
      %p = memref.load %out[%b, %e] : memref<4x7xf32>
      %s = arith.addf %p, %x : f32
      memref.store %s, %out[%b, %e] : memref<4x7xf32>
    }
    scf.for %e = %c0 to %c4 step %c1 {
      %f = arith.addi %e, %c3 : index
      %g = arith.addi %e, %c2 : index
      %x = memref.load %u[%b, %g] : memref<9x6xf32>
      %p = memref.load %out[%b, %f] : memref<4x7xf32>
      %s = arith.addf %p, %x : f32
      memref.store %s, %out[%b, %f] : memref<4x7xf32>
    }
  }
  func.return
}

// CHECK:       func.func @side_by_side(
// CHECK:         %columns = arith.constant 3 : index
// CHECK-NEXT:    %t_tile = memref.subview %t[0, 0] [9, 3] [1, 1] : memref<9x3xf32> to memref<9x3xf32, strided<[3, 1]>>
// CHECK-NEXT:    %out_tile = memref.subview %out[0, 0] [4, 3] [1, 1] : memref<4x7xf32> to memref<4x3xf32, strided<[7, 1]>>
// CHECK-NEXT:    scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %z = %c0 to %columns step %c1 {
// CHECK-NEXT:        memref.store %zero, %out_tile[%b, %z] : memref<4x3xf32, strided<[7, 1]>>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %e = %c0 to %columns step %c1 {
// CHECK-NEXT:        %x = memref.load %t_tile[%b, %e] : memref<9x3xf32, strided<[3, 1]>>
// CHECK-NEXT:        %p = memref.load %out_tile[%b, %e] : memref<4x3xf32, strided<[7, 1]>>
// CHECK-NEXT:        %s = arith.addf %p, %x : f32
// CHECK-NEXT:        memref.store %s, %out_tile[%b, %e] : memref<4x3xf32, strided<[7, 1]>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %columns_1 = arith.constant 4 : index
// CHECK-NEXT:    %u_tile = memref.subview %u[0, 2] [9, 4] [1, 1] : memref<9x6xf32> to memref<9x4xf32, strided<[6, 1], offset: 2>>
// CHECK-NEXT:    %out_tile_1 = memref.subview %out[0, 3] [4, 4] [1, 1] : memref<4x7xf32> to memref<4x4xf32, strided<[7, 1], offset: 3>>
// CHECK-NEXT:    scf.for %b_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %z_1 = %c0 to %columns_1 step %c1 {
// CHECK-NEXT:        memref.store %zero, %out_tile_1[%b_1, %z_1] : memref<4x4xf32, strided<[7, 1], offset: 3>>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %e_1 = %c0 to %columns_1 step %c1 {
// CHECK-NEXT:        %x_1 = memref.load %u_tile[%b_1, %e_1] : memref<9x4xf32, strided<[6, 1], offset: 2>>
// CHECK-NEXT:        %p_1 = memref.load %out_tile_1[%b_1, %e_1] : memref<4x4xf32, strided<[7, 1], offset: 3>>
// CHECK-NEXT:        %s_1 = arith.addf %p_1, %x_1 : f32
// CHECK-NEXT:        memref.store %s_1, %out_tile_1[%b_1, %e_1] : memref<4x4xf32, strided<[7, 1], offset: 3>>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }

// -----

// ERROR: kept: memref.alloca: it is kept from before the nest, which would have to be split by columns into 2
func.func @kept(%t: memref<9x12xf32>, %out: memref<4x12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  %cell = memref.alloca() : memref<i32>
  memref.store %none, %cell[] : memref<i32>
  scf.for %b = %c0 to %c4 step %c1 {
    %n = memref.load %cell[] : memref<i32>
    %m = arith.addi %n, %one : i32
    memref.store %m, %cell[] : memref<i32>
    scf.for %e = %c0 to %c12 step %c1 {
      %x = memref.load %t[%b, %e] : memref<9x12xf32>
      memref.store %x, %out[%b, %e] : memref<4x12xf32>
    }
  }
  func.return
}
