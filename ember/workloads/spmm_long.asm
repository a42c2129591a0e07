# A sparse matrix times a dense one, two roundings per entry, as SciPy does it; for long rows.
#
# With 7 vectors or more the product of a row's first vector is there when its last one has gone in,
# so product and sum follow each other without a gap. To let the sum wait (spmm.asm) costs two
# instructions per bag more: on a
# graph like cora, D = 128, 32,304 instead of 26,088 cycles.
segment $number
  layer0 kind=DENSE stop=$bags step=1 m0_en=1 m0_base=op.offsets m0_at=ITE m0_pair=1 m0_check=1 m0_limit=$offsets e0=MEM0 e1=NEXT mark_beg=1
  layer1 kind=RANGE stop_sel=1 step=1 m0_en=1 m0_base=op.indices m0_at=ITE m0_check=1 m0_limit=$rows m1_en=1 m1_base=op.weights m1_at=ITE alu_op=MUL alu_a=MEM0 alu_imm=$stride e0=ALU arg=MEM1 flags=1
  $rest
  row base=op.table+$start index=1 dim=$dim vector=1
  marshal l0_beg_token=1 row_beg_token=1 row_beg_pc=1 row_ite_op0=DATA
  execute base=op.out+$start row_stride=$bytes chunks=$chunks tail=$tail
code
  0: op=SETA ret=1
  1: op=MUL dst=1
  2: op=ADD a=V1 c=V0 init=1 count=FUSED emit=LAST bump=1 ret=1
