# Scores: out[b] = the sum of query[e] * table[indices[b], e].
#
# The execute unit multiplies vectors by a scalar, not by each other, and has no sum over a vector:
# so elements come one by one. The table's element is a row of 1, the query's rides in the token.
# Sums of 8 candidates are open at a time, which hides the adder's latency.
segment $number
  layer0 kind=DENSE stop=$bags step=1 m0_en=1 m0_base=op.indices m0_at=ITE m0_check=1 m0_limit=$rows alu_op=MUL alu_a=MEM0 alu_imm=$inner e0=ALU mark_beg=1
  layer1 kind=DENSE stop=$inner step=1 m0_en=1 m0_base=op.query m0_at=ITE alu_a=ENV0 alu_b=ITE e0=ALU arg=MEM0 flags=1
  $rest
  row base=op.table index=1 dim=1 vector=1
  marshal l0_beg_token=1 row_beg_token=1 row_beg_pc=1 row_ite_op0=DATA
  execute base=op.out row_stride=4 chunks=1 tail=1
code
  0: op=SETA ret=1
  1: op=FMA c=V0 init=1 count=FUSED emit=LAST bump=1 ret=1
