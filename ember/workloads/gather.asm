# Rows are copied: out[b] = table[indices[b]].
#
# Layer 0 loads the index; one token per row, whose only instruction copies it. A maximum that takes
# the first entry as it is, is the copy that keeps every bit: ADD would make +0.0 of -0.0. A block
# is one row as long as a register: fewer tokens than row by row.
#
# Tried, and the same cycles: a shift for the product, no range check, non-temporal hints.
segment $number
  layer0 kind=DENSE stop=$bags step=1 m0_en=1 m0_base=op.indices m0_at=ITE m0_check=1 m0_limit=$rows alu_op=MUL alu_a=MEM0 alu_imm=$stride e0=ALU mark_beg=1
  $rest
  row base=op.table+$start index=1 dim=$dim vector=1
  marshal l0_beg_token=1 row_beg_token=1 row_beg_pc=1 row_ite_op0=DATA
  execute base=op.out+$start row_stride=$bytes chunks=$chunks tail=$tail
code
  0: op=SETA ret=1
  1: op=MAX init=1 count=CLEAR emit=ALWAYS bump=1 ret=1
