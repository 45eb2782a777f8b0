// Ends a rest. What a decision without a grant has found holds until an arm in service should have come free and been
// given back: the end of the earliest appointment, the gap and the margin. Has nothing been written by then, the unit
// looks again.
module aau_wake #(
  parameter int unsigned TICK_BITS = 40
) (
  input  logic                          clk,
  input  logic                          rst_n,
  input  logic                          rest_i,      // a decision ends without a grant, and nothing has changed since s
  input  logic                          taken_i,     // an arm in service has an appointment
  input  logic [aau_pkg::AheadBits-1:0] soonest_i,   // the end of the earliest one with its gap, ticks from s on
  input  logic [15:0]                   margin_i,
  input  logic [TICK_BITS-1:0]          tick_begin_i,  // at s
  input  logic [TICK_BITS-1:0]          tick_i,
  input  logic                          busy_i,      // a decision is under way, or begins
  input  logic                          drop_i,      // the unit looks again anyhow, or has granted
  output logic                          wake_o,      // it rests until this tick at most
  output logic [TICK_BITS-1:0]          wake_tick_o,
  output logic                          due_o        // the tick has come: the next edge ends the rest
);
  localparam int unsigned WideBits = 48;

  logic set_q, due_q;
  logic [TICK_BITS-1:0] tick_q, since;
  assign since = tick_i - tick_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      set_q <= 1'b0;
      due_q <= 1'b0;
      tick_q <= '0;
    end else begin
      due_q <= set_q && !busy_i && !drop_i && !since[TICK_BITS-1];
      if (drop_i) begin
        set_q <= 1'b0;
      end else if (rest_i && taken_i && !set_q) begin
        set_q <= 1'b1;
        tick_q <= TICK_BITS'(WideBits'(tick_begin_i) + WideBits'(soonest_i) + WideBits'(margin_i));
      end
    end
  end

  assign wake_o = set_q;
  assign wake_tick_o = tick_q;
  assign due_o = due_q;
endmodule
