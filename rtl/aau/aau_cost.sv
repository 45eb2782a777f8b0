// Cost of the candidates of one lane, one a clock: slot, arm and head in stage 1, key and time in stage 14. Whether a
// candidate is eligible is known after stage 3; what is not is not computed further.
module aau_cost #(
  parameter int unsigned CYL_BITS = 23,
  parameter int unsigned ANGLE_BITS = 16,
  parameter int unsigned TICK_BITS = 40,
  parameter int unsigned COST_MODEL = 0
) (
  input  logic                           clk,
  input  logic                           rst_n,
  input  logic                           active_i,
  input  logic                           abandon_i,
  output logic [aau_pkg::KeyStage:1]     ok_o,  // the stage holds a candidate

  // Registers.
  input  logic [2:0]                     policy_i,
  input  logic [3:0]                     yield_i,
  input  logic [4:0]                     zone_i,
  input  logic [15:0]                    margin_i,
  input  logic [15:0]                    head_switch_i,
  input  logic [15:0]                    write_settle_i,
  input  logic [15:0]                    ageing_i,
  input  logic [15:0]                    reposition_i,
  input  logic [CYL_BITS-1:0]            stroke_i,
  input  logic [TICK_BITS-1:0]           tick_i,  // at the beginning of the decision
  input  logic [3:0]                     channels_i,
  input  logic [15:0]                    gap_i,
  input  logic                           host_in_snapshot_i,

  // The slot's side.
  input  logic                           present_i,  // at the entrance
  input  logic [CYL_BITS-1:0]            slot_cylinder_1_i,
  input  logic [7:0]                     slot_head_1_i,
  input  logic [1:0]                     slot_class_1_i,
  input  logic [2:0]                     slot_stack_1_i,
  input  logic                           write_11_i,
  input  logic                           reserved_11_i,  // the arm is reserved for it
  input  logic                           ages_11_i,  // somebody waits for it
  input  logic [TICK_BITS-1:0]           committed_11_i,
  input  logic [ANGLE_BITS-1:0]          angle_12_i,
  input  logic [aau_pkg::LengthBits-1:0] length_12_i,

  // The arm's side.
  input  logic [CYL_BITS-1:0]            arm_cylinder_2_i,
  input  logic [7:0]                     arm_head_1_i,
  input  logic [23:0]                    offset_1_i,
  input  logic [2:0]                     arm_stack_1_i,
  input  logic                           turns_1_i,
  input  logic [7:0]                     first_1_i,
  input  logic [7:0]                     last_1_i,
  input  logic [31:0]                    usable_1_i,
  input  logic                           busy_11_i,  // the arm is in service
  input  logic [7:0]                     arm_11_i,   // the arm, a bit each
  input  logic [aau_pkg::FreeBits-1:0]   free_11_i,  // ticks until it is free, the gap included
  input  logic                           wrote_11_i,  // its last access is a write
  input  logic [ANGLE_BITS-1:0]          phase_12_i,

  // Appointments (aau_appointments.sv).
  input  logic [aau_pkg::Appointments-1:0]                    taken_i,
  input  logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] from_i,
  input  logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] to_i,
  input  logic [aau_pkg::AheadBits-1:0]                       latest_i,

  // COST_MODEL 1: from where the arm's sled leaves, and the candidate's time.
  input  logic [15:0]                    sled_x_2_i,
  input  logic [aau_pkg::TimeBits-1:0]   sled_12_i,

  // Seek table.
  output logic [23:0]                    distance_3_o,
  input  logic [23:0]                    seek_10_i,

  output logic [aau_pkg::KeyBits-1:0]    key_14_o,
  output logic [aau_pkg::TimeBits-1:0]   time_14_o,
  output logic                           defers_14_o  // the arm serves, or need not start before a channel is free
);
  // Cylinder of at most 23 bits less a signed offset of 24.
  localparam int unsigned TargetBits = 25;
  localparam int unsigned TimeBits = aau_pkg::TimeBits;
  localparam int unsigned AheadBits = aau_pkg::AheadBits;
  localparam int unsigned Appointments = aau_pkg::Appointments;
  localparam int unsigned KeyBits = aau_pkg::KeyBits;
  localparam int unsigned WaitedBits = aau_pkg::WaitedBits;
  localparam int unsigned CreditBits = aau_pkg::CreditBits;

  localparam int unsigned ZoneBits = aau_pkg::ZoneBits;

  logic ages, zoned, weighs_way;
  assign zoned = COST_MODEL == 1 && policy_i == aau_pkg::PolicyZsptf;
  assign ages = policy_i > aau_pkg::PolicySptf && !zoned;
  assign weighs_way = policy_i == aau_pkg::PolicySstf || policy_i == aau_pkg::PolicyClook || zoned;

  // ---- Eligible --------------------------------------------------------------------------------------------------

  logic [aau_pkg::KeyStage:1] ok_q;
  logic [TargetBits-1:0] target_2_q;

  function automatic logic serves(input logic [1:0] slot_class, input logic [3:0] yields, input logic host,
                                  input logic [2:0] slot_stack, input logic [2:0] arm_stack, input logic turns,
                                  input logic [7:0] head, input logic [7:0] first, input logic [7:0] last);
    serves = !(slot_class != 2'd0 && yields[slot_class] && host) && slot_stack == arm_stack && turns && first <= head &&
             head <= last;
  endfunction

  // Heads on surfaces beyond the first 32 of the arm's reach have no bit.
  function automatic logic usable(input logic [31:0] surfaces, input logic [7:0] surface);
    usable = surface[7:5] != 3'd0 || surfaces[surface[4:0]];
  endfunction

  function automatic logic reachable(input logic [TargetBits-1:0] target, input logic [CYL_BITS-1:0] stroke);
    reachable = !target[TargetBits-1] && target <= TargetBits'(stroke);
  endfunction

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      ok_q <= '0;
    end else if (abandon_i) begin
      ok_q <= '0;
    end else if (active_i) begin
      ok_q <= {ok_q[aau_pkg::KeyStage-1:3], ok_q[2] && reachable(target_2_q, stroke_i),
               ok_q[1] && usable(usable_1_i, slot_head_1_i - first_1_i) &&
                   serves(slot_class_1_i, yield_i, host_in_snapshot_i, slot_stack_1_i, arm_stack_1_i, turns_1_i,
                          slot_head_1_i, first_1_i, last_1_i),
               present_i};
    end
  end
  assign ok_o = ok_q;

  // ---- Way, and from the seek to the time --------------------------------------------------------------------------

  function automatic logic [CYL_BITS-1:0] distance(input logic [CYL_BITS-1:0] target, input logic [CYL_BITS-1:0] arm);
    distance = target >= arm ? target - arm : arm - target;
  endfunction

  function automatic logic [23:0] longer(input logic [23:0] a, input logic [23:0] b);
    longer = a >= b ? a : b;
  endfunction

  // Ticks that a slot has waited: clocks of stacks that stand still do not run backwards, and it ends at 2^32 - 1.
  function automatic logic [WaitedBits-1:0] waited(input logic [TICK_BITS-1:0] now, input logic [TICK_BITS-1:0] then);
    logic [TICK_BITS-1:0] ticks;
    ticks = now - then;
    if (ticks[TICK_BITS-1]) waited = '0;
    else if ((64'(ticks) >> WaitedBits) != '0) waited = '1;
    else waited = WaitedBits'(ticks);
  endfunction

  logic [9:2] changes_head_q;  // stages 2 to 9, and so on
  logic [10:3] moves_q;
  logic changes_head_10_q, moves_11_q;
  logic [23:0] distance_3_q, move_11_q, moved_11_q;  // the last one without repositioning
  logic [23:0] seek_or_switch_10, move_11;
  assign move_11 = write_11_i && wrote_11_i ? moved_11_q : move_11_q;
  assign seek_or_switch_10 = changes_head_10_q ? longer(seek_10_i, 24'(head_switch_i)) : seek_10_i;
  logic [TimeBits-1:0] start_12_q, start_13_q, time_13_q, time_14_q;
  logic defers_14_q, busy_12_q, busy_13_q;
  logic [WaitedBits-1:0] waited_12_q;
  logic [CreditBits-1:0] credit_13_q;
  logic [KeyBits-1:0] key_14_q;
  logic [TimeBits:0] end_13_q;  // of the access
  logic [ANGLE_BITS-1:0] wait_12;
  // An arm that is reserved for the slot needs no gap between its access and this one.
  logic own_11;
  logic [aau_pkg::FreeBits-1:0] sooner_11, free_for_11;
  logic [7:0] own_12_q, own_13_q;  // that arm, whose own appointment is not in its way
  assign own_11 = busy_11_i && reserved_11_i;
  assign sooner_11 = free_11_i >= aau_pkg::FreeBits'(gap_i) ? free_11_i - aau_pkg::FreeBits'(gap_i) : '0;
  assign free_for_11 = own_11 ? sooner_11 : free_11_i;
  assign wait_12 = angle_12_i + phase_12_i - start_12_q[ANGLE_BITS-1:0];

  always_ff @(posedge clk) begin
    if (active_i) begin
      if (ok_q[1]) begin
        target_2_q <= TargetBits'(slot_cylinder_1_i) - TargetBits'($signed(offset_1_i));
      end
      changes_head_q <= {changes_head_q[8:2], slot_head_1_i != arm_head_1_i};
      changes_head_10_q <= changes_head_q[9];
      if (ok_q[2]) distance_3_q <= 24'(distance(target_2_q[CYL_BITS-1:0], arm_cylinder_2_i));
      moves_q <= {moves_q[9:3], changes_head_q[2] || target_2_q[CYL_BITS-1:0] != arm_cylinder_2_i};
      moves_11_q <= moves_q[10];
      if (ok_q[10]) begin
        move_11_q <= longer(seek_or_switch_10, 24'(reposition_i));
        moved_11_q <= seek_or_switch_10;
      end
      if (ok_q[11]) begin
        start_12_q <= TimeBits'(margin_i) + TimeBits'(move_11) +
                      (write_11_i && moves_11_q ? TimeBits'(write_settle_i) : '0) +
                      TimeBits'(free_for_11);
        busy_12_q <= busy_11_i;
        own_12_q <= own_11 ? arm_11_i : '0;
        if (ages) waited_12_q <= ages_11_i ? waited(tick_i, committed_11_i) : '0;
      end
      if (ok_q[12]) begin
        start_13_q <= start_12_q;
        busy_13_q <= busy_12_q;
        own_13_q <= own_12_q;
        time_13_q <= COST_MODEL == 1 ? sled_12_i : start_12_q + TimeBits'(wait_12);
        end_13_q <= {1'b0, start_12_q} + (TimeBits + 1)'(wait_12) + (TimeBits + 1)'({length_12_i, 8'h00});
        if (ages) credit_13_q <= CreditBits'((48'(waited_12_q) * 48'(ageing_i)) >> 10);
      end
    end
  end

  // ---- Key -------------------------------------------------------------------------------------------------------

  // What SSTF, C-LOOK and ZSPTF weigh, carried beside the search; the others leave it alone.
  localparam int unsigned WayBits = COST_MODEL == 1 && CYL_BITS < ZoneBits ? ZoneBits : CYL_BITS;
  logic [CYL_BITS-1:0] way_2;
  assign way_2 = policy_i == aau_pkg::PolicyClook ? target_2_q[CYL_BITS-1:0] - arm_cylinder_2_i :
                                                    distance(target_2_q[CYL_BITS-1:0], arm_cylinder_2_i);
  logic [WayBits-1:0] sled_zone_2, slot_zone_2, zones_2;  // the last: upwards from the sled's to the slot's
  assign sled_zone_2 = WayBits'(32'(sled_x_2_i) >> zone_i);
  assign slot_zone_2 = WayBits'(32'(target_2_q[CYL_BITS-1:0]) >> zone_i);
  assign zones_2 = COST_MODEL == 1 ? slot_zone_2 - sled_zone_2 : '0;
  logic [WayBits-1:0]  way_3_q, way_4_q, way_5_q, way_6_q, way_7_q, way_8_q, way_9_q, way_10_q, way_11_q, way_12_q,
                       way_13_q;
  always_ff @(posedge clk) begin
    if (active_i && weighs_way) begin
      way_3_q <= zoned ? WayBits'(zones_2) : WayBits'(way_2);
      way_4_q <= way_3_q;
      way_5_q <= way_4_q;
      way_6_q <= way_5_q;
      way_7_q <= way_6_q;
      way_8_q <= way_7_q;
      way_9_q <= way_8_q;
      way_10_q <= way_9_q;
      way_11_q <= way_10_q;
      way_12_q <= way_11_q;
      way_13_q <= way_12_q;
    end
  end

  // As many other accesses at its time as there are channels: it gets the first passage behind all of them.
  function automatic logic [Appointments-1:0] overlaps(input logic [TimeBits-1:0] begins, input logic [TimeBits:0] ends,
                                                       input logic [Appointments-1:0] taken,
                                                       input logic [Appointments*AheadBits-1:0] from,
                                                       input logic [Appointments*AheadBits-1:0] to);
    for (int unsigned i = 0; i < Appointments; i++) begin
      overlaps[i] = taken[i] && begins < TimeBits'(to[i*AheadBits+:AheadBits]) &&
                    ends > (TimeBits + 1)'(from[i*AheadBits+:AheadBits]);
    end
  endfunction

  // As a tree: a chain of adders would be the longest path of the unit.
  function automatic logic [4:0] count_of_eight(input logic [7:0] bits);
    count_of_eight = ((5'(bits[0]) + 5'(bits[1])) + (5'(bits[2]) + 5'(bits[3]))) +
                     ((5'(bits[4]) + 5'(bits[5])) + (5'(bits[6]) + 5'(bits[7])));
  endfunction

  function automatic logic [4:0] count(input logic [Appointments-1:0] bits);
    count = count_of_eight(bits[7:0]) + count_of_eight(bits[15:8]);
  endfunction

  localparam logic [TimeBits-1:0] Turn = TimeBits'(1) << ANGLE_BITS;
  // Both outcomes are computed beside each other; whether there is a channel chooses at the end.
  logic [TimeBits-1:0] later_13;  // the first passage behind all appointments
  logic lacks_channel_13, defers_13, behind_kept_13;
  assign later_13 = time_13_q + ((TimeBits'(latest_i) - time_13_q + Turn - 1'b1) & ~(Turn - 1'b1));
  assign defers_13 = {1'b0, start_13_q} + (TimeBits + 1)'(latest_i) <= {1'b0, later_13};
  // What is kept holds until something changes, and an arm that is granted an access behind it has that for good.
  assign behind_kept_13 = taken_i[Appointments-1:8] != '0;
  logic [Appointments-1:0] others_13;
  assign others_13 = {taken_i[Appointments-1:8], taken_i[7:0] & ~own_13_q};
  // Most clocks have no candidate here, or no appointment: a simulation then leaves out the comparisons.
  always_comb begin
    lacks_channel_13 = 1'b0;
    if (ok_q[13] && others_13 != '0) begin
      lacks_channel_13 = count(overlaps(time_13_q, end_13_q, others_13, from_i, to_i)) >= 5'(channels_i);
    end
  end

  always_ff @(posedge clk) begin
    if (ok_q[13]) begin
      time_14_q <= lacks_channel_13 ? later_13 : time_13_q;
      defers_14_q <= busy_13_q || (lacks_channel_13 && (defers_13 || behind_kept_13));
      case (policy_i)
        aau_pkg::PolicyFcfs: key_14_q <= '0;
        aau_pkg::PolicySstf, aau_pkg::PolicyClook: key_14_q <= KeyBits'(way_13_q);
        aau_pkg::PolicySptf: key_14_q <= lacks_channel_13 ? KeyBits'(later_13) : KeyBits'(time_13_q);
        default: begin
          key_14_q <= lacks_channel_13 ? KeyBits'(later_13) - KeyBits'(credit_13_q) :
                                         KeyBits'(time_13_q) - KeyBits'(credit_13_q);
        end
      endcase
      if (zoned) key_14_q <= {1'b0, ZoneBits'(way_13_q), time_13_q};
    end
  end

  assign distance_3_o = distance_3_q;
  assign key_14_o = key_14_q;
  assign time_14_o = time_14_q;
  assign defers_14_o = defers_14_q;
endmodule
