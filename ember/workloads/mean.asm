# Means of bags: out[b] = the sum of table[indices[j]] by their number; see sum.asm.
#
# The counter that FUSED keeps is the divisor, and the store unit divides: no instruction for it.
segment $number
  layer0 kind=DENSE stop=$bags step=1 m0_en=1 m0_base=op.offsets m0_at=ITE m0_pair=1 m0_check=1 m0_limit=$offsets e0=MEM0 e1=NEXT mark_beg=1
  layer1 kind=RANGE stop_sel=1 step=1 m0_en=1 m0_base=op.indices m0_at=ITE m0_check=1 m0_limit=$rows alu_op=MUL alu_a=MEM0 alu_imm=$stride e0=ALU flags=1
  $rest
  row base=op.table+$start index=1 dim=$dim vector=1
  marshal l0_beg_token=1 row_beg_token=1 row_beg_pc=1 row_ite_op0=DATA
  execute base=op.out+$start row_stride=$bytes chunks=$chunks tail=$tail
code
  0: op=SETA ret=1
  1: op=ADD c=V0 init=1 count=FUSED emit=LAST div=1 bump=1 ret=1
