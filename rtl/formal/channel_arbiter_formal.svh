// Properties of the channel arbiter for yosys-smtbmc; included by channel_arbiter.sv where FORMAL is defined. The bus is
// any at all, a transfer a clock included; reset holds in the first clock. One macro a proof: rtl/synthesis/flow.toml

logic f_started_q;  // the first clock is over
initial f_started_q = 1'b0;
always_ff @(posedge clk) f_started_q <= 1'b1;
always_comb assume (rst_n == f_started_q);

// What was so in the clock before.
logic f_grant_q, f_write_q, f_can_start_q;
logic [2:0] f_phase_q;
localparam int unsigned VisibleBits = 4 + A + 16 + 8 * (A + 3) + 6;
logic [VisibleBits-1:0] f_visible, f_visible_q;
logic [7:0] f_valid_q, f_free_q;
assign f_visible = {enable_q, policy_q, inten_q, margin_q, free_q, valid_q, angle_q, stack_q, grant_valid_q,
                    grant_arm_q, grant_channel_q};
always_ff @(posedge clk) begin
  f_grant_q <= grant && rst_n;
  f_write_q <= write && rst_n;
  f_can_start_q <= can_start && rst_n;
  f_phase_q <= phase_q;
  f_visible_q <= f_visible;
  f_valid_q <= valid_q;
  f_free_q <= free_q;
end

logic f_running_q;  // so was the clock before: what is kept of it is of a state behind the reset
initial f_running_q = 1'b0;
always_ff @(posedge clk) f_running_q <= f_started_q;

`ifdef PROVE_RESET
// Behind the reset every register reads 0 and nothing is under way.
always_comb begin
  if (f_started_q && !f_running_q) begin
    assert (f_visible == '0);
    assert (phase_q == 3'd0 && !irq && idle);
  end
end
`endif

`ifdef PROVE_GRANT
// A grant goes to an arm that asked when the decision began and asks still, and gives a free channel, none lower free.
always_comb begin
  if (rst_n && grant) begin
    assert (valid_q[winner_q] && asked_q[winner_q] && 32'(winner_q) < ARMS);
    assert (free_q[channel] && 32'(channel) < CHANNELS);
    assert ((free_q & ((8'd1 << channel) - 8'd1)) == '0);
    assert (enable_q && !grant_valid_q);
  end
end
`endif

`ifdef PROVE_ONE
// Without a write at most one request ends and at most one channel is taken in a clock: those of the grant.
logic [7:0] f_ended, f_taken;
assign f_ended = f_valid_q & ~valid_q;
assign f_taken = f_free_q & ~free_q;
always_comb begin
  if (f_running_q && !f_write_q) begin
    assert (f_ended == (f_grant_q ? 8'd1 << grant_arm_q : 8'd0));
    assert (f_taken == (f_grant_q ? 8'd1 << grant_channel_q : 8'd0));
    assert (!f_grant_q || grant_valid_q);
  end
end
`endif

`ifdef PROVE_READS
// Reads have no side effects: without a captured write and a grant, what the bus reads stays, and a decision goes on
// as if there were no bus.
always_comb begin
  if (f_running_q && !f_write_q) begin
    if (!f_grant_q) assert (f_visible == f_visible_q);
    assert (phase_q == (f_phase_q == 3'd4 ? 3'd0 : f_phase_q != 3'd0 ? f_phase_q + 3'd1 : 3'(f_can_start_q)));
  end
end
`endif

`ifdef PROVE_FAIR
// First come, first served: between an arm's request and its grant no other arm is granted twice, so that at most
// ARMS - 1 grants come first; and where a decision can be made and nothing is written, a grant comes within five clocks.
(* anyconst *) logic [2:0] f_arm;
always_comb assume (32'(f_arm) < ARMS);
logic [3:0] f_others_q;
logic [2:0] f_quiet_q;
always_ff @(posedge clk or negedge rst_n) begin
  if (!rst_n) begin
    f_others_q <= '0;
    f_quiet_q <= '0;
  end else begin
    if (!valid_q[f_arm] || (write && at_request && arm == f_arm)) f_others_q <= '0;
    else if (grant && winner_q != f_arm && !f_others_q[3]) f_others_q <= f_others_q + 4'd1;
    if (write || grant || !(enable_q && !grant_valid_q && valid_q != '0 && free_q != '0)) f_quiet_q <= '0;
    else f_quiet_q <= f_quiet_q + 3'd1;
  end
end
always_comb assume (!policy_q);
always_comb begin
  if (rst_n) begin
    assert (32'(f_others_q) <= ARMS - 1);
    assert (f_quiet_q <= 3'd4);
  end
end
`endif
