// Which arms in service have a channel when, for the decision under way: from an arm's predicted first sector on, as
// long as its access lasts. What lies between `from` and `to`, with the gap before and behind, needs another channel.
//
// The snapshot is taken when the decision begins; `from_o`, `to_o` and `taken_o` hold two clocks later, `latest_o` three:
// the first candidate comes to where they count (aau_cost.sv, stage 13) later than that.
module aau_appointments #(
  parameter int unsigned ARMS = 8,
  parameter int unsigned TICK_BITS = 40,
  parameter int unsigned ARM_BITS = 3
) (
  input  logic                         clk,
  input  logic                         rst_n,
  input  logic                         write_i,    // of `appointment`
  input  logic                         postpone_i, // a write of `postpone`
  input  logic [31:0]                  pwdata_i,
  input  logic [3:0]                   channels_i, // 0: one for each arm
  input  logic [15:0]                  gap_i,
  input  logic [ARMS-1:0]              in_service_i,
  input  logic                         begin_i,
  input  logic [TICK_BITS-1:0]         tick_i,     // at the beginning of the decision

  input  logic                         grant_load_i,
  input  logic [ARM_BITS-1:0]          grant_load_arm_i,
  input  logic [aau_pkg::TimeBits-1:0] grant_load_time_i,
  input  logic [8:0]                   grant_load_length_i,

  // Ticks from the beginning of the decision on.
  output logic [7:0]                      taken_o,
  output logic [8*aau_pkg::AheadBits-1:0] from_o,
  output logic [8*aau_pkg::AheadBits-1:0] to_o,
  output logic [aau_pkg::AheadBits-1:0]   latest_o
);
  localparam int unsigned AheadBits = aau_pkg::AheadBits;
  if (aau_regs_pkg::AppointmentArmLsb != aau_regs_pkg::PostponeArmLsb) begin : g_named
    $error("both registers name the arm in the same bits");
  end
  localparam int unsigned WideBits = 48;  // a tick's difference and a gap, signed

  logic [TICK_BITS-1:0] first_q [ARMS];
  logic [TICK_BITS-1:0] last_q [ARMS];

  logic [2:0] named;
  logic [TICK_BITS-1:0] granted_first;
  assign named = pwdata_i[aau_regs_pkg::AppointmentArmLsb+:aau_regs_pkg::AppointmentArmWidth];
  assign granted_first = tick_i + TICK_BITS'(grant_load_time_i);

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < ARMS; i++) begin
        first_q[i] <= '0;
        last_q[i] <= '0;
      end
    end else if (grant_load_i) begin
      first_q[grant_load_arm_i] <= granted_first;
      last_q[grant_load_arm_i] <= granted_first + TICK_BITS'({grant_load_length_i, 8'h00});
    end else if (write_i && 32'(named) < ARMS) begin
      last_q[named[ARM_BITS-1:0]] <= first_q[named[ARM_BITS-1:0]] +
          TICK_BITS'(pwdata_i[aau_regs_pkg::AppointmentTicksLsb+:aau_regs_pkg::AppointmentTicksWidth]);
    end else if (postpone_i && 32'(named) < ARMS) begin
      first_q[named[ARM_BITS-1:0]] <= first_q[named[ARM_BITS-1:0]] +
          TICK_BITS'(pwdata_i[aau_regs_pkg::PostponeTicksLsb+:aau_regs_pkg::PostponeTicksWidth]);
    end
  end

  // ---- For the decision ------------------------------------------------------------------------------------------

  logic begun_q, taken_known_q;
  logic [ARMS-1:0] service_q;
  logic [7:0] taken_q;
  logic [8*AheadBits-1:0] from_q, to_q;
  logic [AheadBits-1:0] latest_q;

  function automatic logic signed [WideBits-1:0] ahead(input logic [TICK_BITS-1:0] then, input logic [TICK_BITS-1:0] now);
    logic signed [TICK_BITS-1:0] ticks;
    ticks = then - now;
    ahead = WideBits'(ticks);
  endfunction

  function automatic logic [AheadBits-1:0] limited(input logic signed [WideBits-1:0] ticks);
    if (ticks < 0) limited = '0;
    else if (ticks[WideBits-1:AheadBits] != '0) limited = '1;
    else limited = ticks[AheadBits-1:0];
  endfunction

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      begun_q <= 1'b0;
      taken_known_q <= 1'b0;
      service_q <= '0;
    end else begin
      begun_q <= begin_i;
      taken_known_q <= begun_q;
      if (begin_i) service_q <= in_service_i;
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      taken_q <= '0;
      from_q <= '0;
      to_q <= '0;
      latest_q <= '0;
    end else begin
      if (begun_q) begin
        taken_q <= '0;
        if (channels_i != '0) begin
          for (int unsigned i = 0; i < ARMS; i++) begin
            taken_q[i] <= service_q[i] && ahead(last_q[i], tick_i) + WideBits'({1'b0, gap_i}) > 0;
            from_q[i*AheadBits+:AheadBits] <= limited(ahead(first_q[i], tick_i) - WideBits'({1'b0, gap_i}));
            to_q[i*AheadBits+:AheadBits] <= limited(ahead(last_q[i], tick_i) + WideBits'({1'b0, gap_i}));
          end
        end
      end
      if (taken_known_q) begin
        latest_q <= latest(taken_q, to_q);
      end
    end
  end

  function automatic logic [AheadBits-1:0] later(input logic [AheadBits-1:0] a, input logic [AheadBits-1:0] b);
    later = a > b ? a : b;
  endfunction

  function automatic logic [AheadBits-1:0] of_arm(input logic [7:0] taken, input logic [8*AheadBits-1:0] to,
                                                  input logic [2:0] arm);
    of_arm = taken[arm] ? to[arm*AheadBits+:AheadBits] : '0;
  endfunction

  function automatic logic [AheadBits-1:0] latest(input logic [7:0] taken, input logic [8*AheadBits-1:0] to);
    latest = later(later(later(of_arm(taken, to, 3'd0), of_arm(taken, to, 3'd1)),
                         later(of_arm(taken, to, 3'd2), of_arm(taken, to, 3'd3))),
                   later(later(of_arm(taken, to, 3'd4), of_arm(taken, to, 3'd5)),
                         later(of_arm(taken, to, 3'd6), of_arm(taken, to, 3'd7))));
  endfunction

  assign taken_o = taken_q;
  assign from_o = from_q;
  assign to_o = to_q;
  assign latest_o = latest_q;
endmodule
