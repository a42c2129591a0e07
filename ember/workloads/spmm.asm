# A sparse matrix times a dense one, two roundings per entry, as SciPy does it; for short rows.
#
# A product and its sum in one callback take 8 cycles for a row of one vector: the sum waits for the
# product. So a token adds the product of the row before, which is there by now, and multiplies
# then; the token at the end of a bag adds the last product and stores. Between bags V1 is +0.0, which is
# what a bag begins with.
#
# Tried: V1 set to +0.0 at a bag's beginning instead of at the end of the one before costs a token
# more, and is 0.2 % slower on pubmed. For rows of 4 vectors and more see spmm_long.asm.
segment $number
  layer0 kind=DENSE stop=$bags step=1 m0_en=1 m0_base=op.offsets m0_at=ITE m0_pair=1 m0_check=1 m0_limit=$offsets e0=MEM0 e1=NEXT mark_beg=1
  layer1 kind=RANGE stop_sel=1 step=1 m0_en=1 m0_base=op.indices m0_at=ITE m0_check=1 m0_limit=$rows m1_en=1 m1_base=op.weights m1_at=ITE alu_op=MUL alu_a=MEM0 alu_imm=$stride e0=ALU arg=MEM1 flags=1 mark_end=1
  $rest
  row base=op.table+$start index=1 dim=$dim vector=1
  marshal l0_beg_token=1 l1_end_token=1 l1_end_pc=4 row_beg_token=1 row_beg_pc=2 row_ite_op0=DATA
  execute base=op.out+$start row_stride=$bytes chunks=$chunks tail=$tail
code
  0: op=SETA
  1: op=MOV dst=1 ret=1
  2: op=ADD a=V1 c=V0 init=1 count=FUSED
  3: op=MUL dst=1 ret=1
  4: op=ADD a=V1 c=V0 emit=ALWAYS bump=1
  5: op=MOV dst=1 ret=1
