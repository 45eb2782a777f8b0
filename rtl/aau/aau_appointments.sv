// Which arms in service have a channel when, for the decision under way: from an arm's predicted first sector on, as
// long as its access lasts. What lies between `from` and `to`, with the gap before and behind, needs another channel.
// So do the winners that defer: as long as nothing changes they are kept, with their arms.
//
// The snapshot is taken when the decision begins; `from_o`, `to_o` and `taken_o` hold two clocks later, `latest_o` and
// `soonest_o` four:
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
  input  logic                         keep_i,     // what would be granted is kept
  input  logic                         forget_i,   // what was kept
  output logic [ARMS-1:0]              kept_o,

  // Ticks from the beginning of the decision on.
  output logic [aau_pkg::Appointments-1:0]                    taken_o,
  output logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] from_o,
  output logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] to_o,
  output logic [aau_pkg::AheadBits-1:0]                       latest_o,
  output logic                                                in_service_taken_o,  // of arms in service, one at least
  output logic [aau_pkg::AheadBits-1:0]                       soonest_o,           // the earliest `to` of theirs
  output logic [7:0]                                          free_o  // arms that come free at `to`, and soon enough
);
  localparam int unsigned AheadBits = aau_pkg::AheadBits;
  localparam int unsigned Appointments = aau_pkg::Appointments;
  if (aau_regs_pkg::AppointmentArmLsb != aau_regs_pkg::PostponeArmLsb) begin : g_named
    $error("both registers name the arm in the same bits");
  end
  localparam int unsigned WideBits = 48;  // a tick's difference and a gap, signed

  logic [TICK_BITS-1:0] first_q [ARMS];
  logic [TICK_BITS-1:0] last_q [ARMS];

  logic [ARMS-1:0] kept_q;
  logic [TICK_BITS-1:0] kept_first_q [ARMS];
  logic [TICK_BITS-1:0] kept_last_q [ARMS];

  logic [2:0] named;
  logic [TICK_BITS-1:0] granted_first, granted_last;
  assign named = pwdata_i[aau_regs_pkg::AppointmentArmLsb+:aau_regs_pkg::AppointmentArmWidth];
  assign granted_first = tick_i + TICK_BITS'(grant_load_time_i);
  assign granted_last = granted_first + TICK_BITS'({grant_load_length_i, 8'h00});

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < ARMS; i++) begin
        first_q[i] <= '0;
        last_q[i] <= '0;
      end
    end else if (grant_load_i) begin
      first_q[grant_load_arm_i] <= granted_first;
      last_q[grant_load_arm_i] <= granted_last;
    end else if (write_i && 32'(named) < ARMS) begin
      last_q[named[ARM_BITS-1:0]] <= first_q[named[ARM_BITS-1:0]] +
          TICK_BITS'(pwdata_i[aau_regs_pkg::AppointmentTicksLsb+:aau_regs_pkg::AppointmentTicksWidth]);
    end else if (postpone_i && 32'(named) < ARMS) begin
      first_q[named[ARM_BITS-1:0]] <= first_q[named[ARM_BITS-1:0]] +
          TICK_BITS'(pwdata_i[aau_regs_pkg::PostponeTicksLsb+:aau_regs_pkg::PostponeTicksWidth]);
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      kept_q <= '0;
      for (int unsigned i = 0; i < ARMS; i++) begin
        kept_first_q[i] <= '0;
        kept_last_q[i] <= '0;
      end
    end else if (forget_i) begin
      kept_q <= '0;
    end else if (keep_i) begin
      kept_q[grant_load_arm_i] <= 1'b1;
      kept_first_q[grant_load_arm_i] <= granted_first;
      kept_last_q[grant_load_arm_i] <= granted_last;
    end
  end
  assign kept_o = kept_q;

  // ---- For the decision ------------------------------------------------------------------------------------------

  logic signed [WideBits-1:0] gap;
  assign gap = $signed(WideBits'({1'b0, gap_i}));

  logic begun_q, taken_known_q, later_known_q;
  logic [ARMS-1:0] service_q, was_kept_q;
  logic [Appointments-1:0] taken_q;
  logic [Appointments*AheadBits-1:0] from_q, to_q;
  logic [4*AheadBits-1:0] later_q;  // of four each
  logic [AheadBits-1:0] latest_q;
  logic [2*AheadBits-1:0] sooner_q;  // of four arms in service each
  logic [AheadBits-1:0] soonest_q;

  function automatic logic signed [WideBits-1:0] ahead(
      input logic [TICK_BITS-1:0] then, input logic [TICK_BITS-1:0] now);
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
      later_known_q <= 1'b0;
      service_q <= '0;
      was_kept_q <= '0;
    end else begin
      begun_q <= begin_i;
      taken_known_q <= begun_q;
      later_known_q <= taken_known_q;
      if (begin_i) begin
        service_q <= in_service_i;
        was_kept_q <= kept_q;
      end
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      taken_q <= '0;
      from_q <= '0;
      to_q <= '0;
      later_q <= '0;
      latest_q <= '0;
      sooner_q <= '0;
      soonest_q <= '0;
    end else begin
      if (begun_q) begin
        taken_q <= '0;
        if (channels_i != '0) begin
          for (int unsigned i = 0; i < ARMS; i++) begin
            taken_q[i] <= service_q[i] && ahead(last_q[i], tick_i) + gap > 0;
            from_q[i*AheadBits+:AheadBits] <= limited(ahead(first_q[i], tick_i) - gap);
            to_q[i*AheadBits+:AheadBits] <= limited(ahead(last_q[i], tick_i) + gap);
            taken_q[8+i] <= was_kept_q[i] && ahead(kept_last_q[i], tick_i) + gap > 0;
            from_q[(8+i)*AheadBits+:AheadBits] <= limited(ahead(kept_first_q[i], tick_i) - gap);
            to_q[(8+i)*AheadBits+:AheadBits] <= limited(ahead(kept_last_q[i], tick_i) + gap);
          end
        end
      end
      if (taken_known_q) begin
        for (int unsigned i = 0; i < 4; i++) begin
          later_q[i*AheadBits+:AheadBits] <= latest_of_four(taken_q[4*i+:4], to_q[4*i*AheadBits+:4*AheadBits]);
        end
        for (int unsigned i = 0; i < 2; i++) begin
          sooner_q[i*AheadBits+:AheadBits] <= soonest_of_four(taken_q[4*i+:4], to_q[4*i*AheadBits+:4*AheadBits]);
        end
      end
      if (later_known_q) begin
        latest_q <= latest_of_four('1, later_q);
        soonest_q <= sooner(sooner_q[0+:AheadBits], sooner_q[AheadBits+:AheadBits]);
      end
    end
  end

  function automatic logic [AheadBits-1:0] later(input logic [AheadBits-1:0] a, input logic [AheadBits-1:0] b);
    later = a > b ? a : b;
  endfunction

  function automatic logic [AheadBits-1:0] latest_of_four(input logic [3:0] taken, input logic [4*AheadBits-1:0] to);
    latest_of_four = later(later(taken[0] ? to[0+:AheadBits] : '0, taken[1] ? to[AheadBits+:AheadBits] : '0),
                           later(taken[2] ? to[2*AheadBits+:AheadBits] : '0,
                                  taken[3] ? to[3*AheadBits+:AheadBits] : '0));
  endfunction

  function automatic logic [AheadBits-1:0] sooner(input logic [AheadBits-1:0] a, input logic [AheadBits-1:0] b);
    sooner = a < b ? a : b;
  endfunction

  function automatic logic [AheadBits-1:0] soonest_of_four(input logic [3:0] taken, input logic [4*AheadBits-1:0] to);
    soonest_of_four =
        sooner(sooner(taken[0] ? to[0+:AheadBits] : '1, taken[1] ? to[AheadBits+:AheadBits] : '1),
               sooner(taken[2] ? to[2*AheadBits+:AheadBits] : '1, taken[3] ? to[3*AheadBits+:AheadBits] : '1));
  endfunction

  assign taken_o = taken_q;
  assign in_service_taken_o = |taken_q[7:0];
  assign soonest_o = soonest_q;
  assign from_o = from_q;
  assign to_o = to_q;
  assign latest_o = latest_q;
  always_comb begin
    for (int unsigned i = 0; i < 8; i++) begin
      free_o[i] = taken_q[i] && to_q[i*AheadBits+aau_pkg::FreeBits+:AheadBits-aau_pkg::FreeBits] == '0;
    end
  end
endmodule
