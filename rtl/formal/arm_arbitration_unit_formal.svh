// Properties of the arm-arbitration unit for yosys-smtbmc; included by arm_arbitration_unit.sv where FORMAL is defined,
// beside the unit's own assertions. The bus is any at all, a transfer a clock included; reset holds in the first clock.
// One macro a proof: rtl/synthesis/flow.toml

logic f_started_q, f_running_q;  // the first clock is over; and the one behind it
initial f_started_q = 1'b0;
initial f_running_q = 1'b0;
always_ff @(posedge clk) begin
  f_started_q <= 1'b1;
  f_running_q <= f_started_q;
end
always_comb assume (rst_n == f_started_q);

// What was so in the clock before.
logic f_load_q, f_write_q, f_pending_q;
logic [SLOTS-1:0] f_waiting_q;
logic [7:0] f_idle_q, f_work_q, f_moving_q;
logic [31:0] f_grant_q, f_estimate_q;
localparam int unsigned SetupBits = 2 + 3 + 4 + 5 + 5 * 16 + 4 + 4 + 2 + 8 + CYL_BITS + 8 + 1 + 24 + 40 + 18 + 4 + 16;
logic [SetupBits-1:0] f_setup, f_setup_q;
assign f_setup = {enable, inten, policy, yields, zone, margin, head_switch, write_settle, ageing, reposition,
                  max_in_service, max_moving, heads, arm_mask, stroke, seek_entry, seek_class, seek_distance,
                  seek_slope, seek_entries, channels, gap};
logic [SlotBits-1:0] f_slot_q;
logic [ArmBits-1:0] f_arm_q;
always_ff @(posedge clk) begin
  f_load_q <= grant_load && rst_n;
  f_write_q <= write_any && rst_n;
  f_pending_q <= grant_pending;
  f_waiting_q <= waiting;
  f_idle_q <= arms_idle;
  f_work_q <= arms_in_service;
  f_moving_q <= arms_moving;
  f_grant_q <= grant_word;
  f_estimate_q <= estimate_word;
  f_setup_q <= f_setup;
  f_slot_q <= best_slot;
  f_arm_q <= best_arm;
end

`ifdef PROVE_RESET
// Behind the reset nothing waits, is at work or pends, no arm is idle, and nothing is under way.
always_comb begin
  if (f_started_q && !f_running_q) begin
    assert (waiting == '0 && arms_idle == '0 && arms_in_service == '0 && arms_moving == '0);
    assert (!enable && !inten && !grant_pending && !deciding && !irq && idle && !wake && arm_mask == 8'hFF);
  end
end
`endif

`ifdef PROVE_READS
// Reads have no side effects: without a captured write and a grant, everything that the bus reads stays.
always_comb begin
  if (f_running_q && !f_write_q && !f_load_q) begin
    assert (waiting == f_waiting_q && arms_idle == f_idle_q && arms_in_service == f_work_q);
    assert (arms_moving == f_moving_q && grant_word == f_grant_q && estimate_word == f_estimate_q);
    assert (f_setup == f_setup_q);
  end
end
`endif

`ifdef PROVE_ONE
// Without a write at most one slot stops waiting and one arm stops being idle in a clock: those of the grant.
always_comb begin
  if (f_running_q && !f_write_q) begin
    assert (waiting == (f_load_q ? f_waiting_q & ~(SLOTS'(1) << f_slot_q) : f_waiting_q));
    assert (arms_idle == (f_load_q ? f_idle_q & ~(8'd1 << f_arm_q) : f_idle_q));
    assert (!f_load_q || grant_pending);
  end
end
`endif

`ifdef PROVE_WAKE
// A rest with a tick at which it ends does: two clocks behind the one that sees that tick nothing is kept, and no
// decision waits for a write. The clock may have stood until then.
(* hierconn *) logic \u_scan.blocked_q ;
(* hierconn *) logic [17:0] \u_scan.last_q ;
logic f_seen, f_seen_q, f_seen_before_q;
logic [TICK_BITS-1:0] f_since;
assign f_since = tick - wake_tick;
assign f_seen = wake && !deciding && !begins && !f_since[TICK_BITS-1];
always_ff @(posedge clk) begin
  f_seen_q <= f_seen && rst_n;
  f_seen_before_q <= f_seen_q && rst_n;
end
always_comb begin
  // A decision has one last row, behind which none is issued, and nothing ends without a decision.
  if (f_running_q) begin
    assert (deciding || (!issue && \u_scan.last_q == '0));
    assert (!issue || \u_scan.last_q == '0);
    assert ((\u_scan.last_q & (\u_scan.last_q - 18'd1)) == '0);
  end
  if (f_running_q && f_seen_q) assert (!idle || !wake);
  if (f_running_q && f_seen_before_q && !begins && !deciding) begin
    assert (arms_kept == '0 && !\u_scan.blocked_q );
    assert (!wake);
  end
end
`endif

`ifdef PROVE_WINNER
`include "arm_arbitration_winner_formal.svh"
`endif
