// Grants one of several requesters. The grant stays until its request goes; the next search begins behind it.
module round_robin_arbiter #(
    parameter int unsigned CLIENTS = 4
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic [CLIENTS-1:0] req_i,
    output logic [CLIENTS-1:0] gnt_o
);

  logic [CLIENTS-1:0] gnt_d, gnt_q;  // one-hot, or none
  logic [CLIENTS-1:0] last_d, last_q;  // the last one that was granted, one-hot
  logic [2*CLIENTS-1:0] twice, found;

  always_comb begin
    // The requests twice in a row, those up to the last grant taken away: the lowest one left is the next.
    twice  = {req_i, req_i} & ~({{CLIENTS{1'b0}}, (last_q - 1'b1)} | {{CLIENTS{1'b0}}, last_q});
    found  = twice & (~twice + 1'b1);
    gnt_d  = gnt_q & req_i;
    last_d = last_q;
    if (gnt_d == '0 && req_i != '0) begin
      gnt_d  = found[CLIENTS-1:0] | found[2*CLIENTS-1:CLIENTS];
      last_d = gnt_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gnt_q  <= '0;
      last_q <= {1'b1, {(CLIENTS - 1) {1'b0}}};
    end else begin
      gnt_q  <= gnt_d;
      last_q <= last_d;
    end
  end

  assign gnt_o = gnt_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) $onehot0(gnt_q));
`endif

endmodule
