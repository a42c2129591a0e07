// RUN: unroll-blocks

// Rows of a block in turns: a nest for each of them.
func.func @turns(%col: memref<4xindex>, %t: memref<9x4xf32>, %out: memref<8x4xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %o = arith.muli %b, %c2 : index
    scf.for %s = %c0 to %c2 step %c1 {
      %row = arith.addi %o, %s : index
      scf.for %e = %c0 to %c4 step %c1 {
        memref.store %z, %out[%row, %e] : memref<8x4xf32>
      }
    }
    scf.for %k = %c0 to %c4 step %c1 {
      %i = memref.load %col[%k] : memref<4xindex>
      scf.for %s = %c0 to %c2 step %c1 {
        %row = arith.addi %o, %s : index
        %place = arith.addi %i, %s : index
        scf.for %e = %c0 to %c4 step %c1 {
          %x = memref.load %t[%place, %e] : memref<9x4xf32>
          %a = memref.load %out[%row, %e] : memref<8x4xf32>
          %y = arith.addf %a, %x : f32
          memref.store %y, %out[%row, %e] : memref<8x4xf32>
        }
      }
    }
  }
  func.return
}

// CHECK:       func.func @turns
// CHECK:         scf.for %b = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %o = arith.muli %b, %c2 : index
// CHECK-NEXT:      scf.for %e = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %z, %out[%o, %e] : memref<8x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %k = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %i = memref.load %col[%k] : memref<4xindex>
// CHECK-NEXT:        scf.for [[E:%.+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:          %x = memref.load %t[%i, [[E]]] : memref<9x4xf32>
// CHECK:         scf.for %b_1 = %c0 to %c4 step %c1 {
// CHECK:           %row = arith.addi {{%.+}}, {{%.+}} : index
// CHECK:         func.return

// -----

// Left alone: rows that come again, which a later block works on; one loop over rows that are not
// of a loaded block; too many rows; something stored beside.
func.func @alone(%col: memref<4xindex>, %t: memref<99x4xf32>, %out: memref<99x4xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  scf.for %again = %c0 to %c4 step %c1 {
    scf.for %s = %c0 to %c2 step %c1 {
      %row = arith.addi %again, %s : index
      scf.for %e = %c0 to %c4 step %c1 {
        memref.store %z, %out[%row, %e] : memref<99x4xf32>
      }
    }
    scf.for %s = %c0 to %c2 step %c1 {
      %row = arith.addi %again, %s : index
      scf.for %e = %c0 to %c4 step %c1 {
        memref.store %z, %out[%row, %e] : memref<99x4xf32>
      }
    }
  }
  scf.for %plain = %c0 to %c4 step %c1 {
    %o = arith.muli %plain, %c2 : index
    scf.for %s = %c0 to %c2 step %c1 {
      %row = arith.addi %o, %s : index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%row, %e] : memref<99x4xf32>
        memref.store %x, %out[%row, %e] : memref<99x4xf32>
      }
    }
  }
  scf.for %many = %c0 to %c4 step %c1 {
    %i = memref.load %col[%many] : memref<4xindex>
    %o = arith.muli %many, %c20 : index
    scf.for %s = %c0 to %c20 step %c1 {
      %row = arith.addi %o, %s : index
      %place = arith.addi %i, %s : index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%place, %e] : memref<99x4xf32>
        memref.store %x, %out[%row, %e] : memref<99x4xf32>
      }
    }
  }
  scf.for %beside = %c0 to %c4 step %c1 {
    %i = memref.load %col[%beside] : memref<4xindex>
    %o = arith.muli %beside, %c2 : index
    memref.store %z, %out[%o, %c0] : memref<99x4xf32>
    scf.for %s = %c0 to %c2 step %c1 {
      %row = arith.addi %o, %s : index
      %place = arith.addi %i, %s : index
      scf.for %e = %c0 to %c4 step %c1 {
        %x = memref.load %t[%place, %e] : memref<99x4xf32>
        memref.store %x, %out[%row, %e] : memref<99x4xf32>
      }
    }
  }
  func.return
}

// CHECK:       func.func @alone
// CHECK:         scf.for %again = %c0
// CHECK-NEXT:      scf.for %s = %c0 to %c2 step %c1 {
// CHECK:         scf.for %plain = %c0
// CHECK:           scf.for {{%.+}} = %c0 to %c2 step %c1 {
// CHECK:         scf.for %many = %c0
// CHECK:           scf.for {{%.+}} = %c0 to %c20 step %c1 {
// CHECK:         scf.for %beside = %c0
// CHECK:           scf.for {{%.+}} = %c0 to %c2 step %c1 {
