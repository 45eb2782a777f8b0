// The contract's clauses as assertions, a name each: enabled wherever the RTL is simulated (--assert) and in the formal
// runs. Nothing of this is synthesised.
module aau_assertions #(
  parameter int unsigned SLOTS = 32,
  parameter int unsigned ARMS = 8,
  parameter int unsigned HEADS = 4,
  parameter int unsigned LANES = 4,
  parameter int unsigned STACKS = 8,
  parameter int unsigned SLOT_BITS = 5,
  parameter int unsigned ARM_BITS = 3
) (
  input logic                 clk,
  input logic                 rst_n,
  input logic                 psel_i,
  input logic                 penable_i,
  input logic                 pwrite_i,
  input logic [15:0]          paddr_i,
  input logic [31:0]          pwdata_i,
  input logic                 pslverr_i,
  input logic                 write_any_i,
  input logic                 write_ack_i,
  input logic                 withdraw_all_i,
  input logic                 enable_i,
  input logic                 inten_i,
  input logic [3:0]           max_in_service_i,
  input logic [3:0]           max_moving_i,
  input logic [1:0]           heads_i,
  input logic [ARMS-1:0]      arm_mask_i,
  input logic [SLOTS-1:0]     waiting_i,
  input logic [SLOTS-1:0]     snapshot_i,
  input logic [ARMS-1:0]      idle_arms_i,
  input logic [ARMS-1:0]      in_service_i,
  input logic [ARMS-1:0]      moving_i,
  input logic [STACKS-1:0]    turning_begin_i,
  input logic                 reckons_i,
  input logic [ARMS-1:0]      kept_i,
  input logic [aau_pkg::Appointments-1:0] taken_i,
  input logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] taken_from_i,
  input logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] taken_to_i,
  input logic [3:0]           channels_i,
  input logic [aau_pkg::TimeBits-1:0] best_time_i,
  input logic [aau_pkg::LengthBits-1:0] best_length_i,
  input logic                 begins_i,
  input logic                 deciding_i,
  input logic                 abandoned_i,
  input logic                 ends_i,
  input logic                 found_i,
  input logic                 issue_i,
  input logic                 grant_load_i,
  input logic [SLOT_BITS-1:0] best_slot_i,
  input logic [ARM_BITS-1:0]  best_arm_i,
  input logic [1:0]           best_head_i,
  input logic [2:0]           best_stack_i,
  input logic [31:0]          grant_i,
  input logic [31:0]          estimate_i,
  input logic                 irq_i,
  input logic                 idle_i,
  input logic                 wake_i,
  input logic                 due_i
);
`ifndef SYNTHESIS
  localparam int unsigned Rows = SLOTS / LANES;

  function automatic logic [11:0] rows_of(input logic [SLOTS-1:0] slots);
    rows_of = '0;
    for (int unsigned i = 0; i < Rows; i++) rows_of = rows_of + 12'(|slots[i*LANES+:LANES]);
  endfunction

  function automatic logic [11:0] arms_of(input logic [ARMS-1:0] arms);
    arms_of = '0;
    for (int unsigned i = 0; i < ARMS; i++) arms_of = arms_of + 12'(arms[i]);
  endfunction

  logic [ARMS-1:0] looked_at;
  assign looked_at = (idle_arms_i | (reckons_i ? in_service_i : '0)) & arm_mask_i & ~kept_i;

  // As it was before the last edge.
  logic started_q, load_q, dropped_q;
  logic [31:0] grant_q, estimate_q;
  logic [SLOT_BITS-1:0] slot_q;
  logic [ARM_BITS-1:0] arm_q;
  // The decision under way.
  logic [ARMS-1:0] arms_q;
  logic [11:0] clock_q, rows_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      started_q <= 1'b0;
      load_q <= 1'b0;
      dropped_q <= 1'b0;
      grant_q <= '0;
      estimate_q <= '0;
      slot_q <= '0;
      arm_q <= '0;
      arms_q <= '0;
      clock_q <= '0;
      rows_q <= '0;
    end else begin
      started_q <= 1'b1;
      load_q <= grant_load_i;
      dropped_q <= write_ack_i || withdraw_all_i;
      grant_q <= grant_i;
      estimate_q <= estimate_i;
      if (grant_load_i) begin
        slot_q <= best_slot_i;
        arm_q <= best_arm_i;
      end
      if (begins_i) begin
        arms_q <= looked_at;
        clock_q <= 12'd1;
        rows_q <= rows_of(waiting_i) * arms_of(looked_at) *
                  (32'(heads_i) >= HEADS ? 12'(HEADS) : 12'(heads_i) + 12'd1);
      end else if (deciding_i) begin
        clock_q <= clock_q + 12'd1;
      end
    end
  end

  // Other accesses at the winner's time, when it is granted.
  logic [4:0] overlapping;
  always_comb begin
    overlapping = '0;
    if (grant_load_i) begin
      for (int unsigned i = 0; i < aau_pkg::Appointments; i++) begin
        if (taken_i[i] && 32'(best_time_i) < 32'(taken_to_i[i*aau_pkg::AheadBits+:aau_pkg::AheadBits]) &&
            32'(best_time_i) + 32'({best_length_i, 8'h00}) >
                32'(taken_from_i[i*aau_pkg::AheadBits+:aau_pkg::AheadBits])) begin
          overlapping = overlapping + 5'd1;
        end
      end
    end
  end

  // Surfaces of slots and arms, as written over the bus.
  logic [SLOTS*8-1:0] surface_q;
  logic [7:0] first_q [ARMS], last_q [ARMS];
  logic [31:0] usable_q [32];
  logic written;
  logic [7:0] surface, bit_of_mask;
  function automatic logic lies(input logic [31:0] first, input logic [31:0] count);
    lies = {16'h0, paddr_i} >= first && {16'h0, paddr_i} < first + 4 * count;
  endfunction
  assign written = psel_i && penable_i && pwrite_i && !pslverr_i;
  assign surface = surface_q[best_slot_i*8+:8];
  assign bit_of_mask = surface - first_q[best_arm_i];

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      surface_q <= '0;
      for (int unsigned i = 0; i < ARMS; i++) first_q[i] <= '0;
      for (int unsigned i = 0; i < ARMS; i++) last_q[i] <= '1;
      for (int unsigned i = 0; i < 32; i++) usable_q[i] <= '1;
    end else if (written) begin
      if (lies(aau_regs_pkg::SlotTargetOffset, SLOTS)) begin
        surface_q[paddr_i[2+:SLOT_BITS]*8+:8] <=
            pwdata_i[aau_regs_pkg::SlotTargetHeadLsb+:aau_regs_pkg::SlotTargetHeadWidth];
      end
      if (lies(aau_regs_pkg::ArmReachOffset, ARMS)) begin
        first_q[paddr_i[2+:ARM_BITS]] <= pwdata_i[aau_regs_pkg::ArmReachFirstLsb+:aau_regs_pkg::ArmReachFirstWidth];
        last_q[paddr_i[2+:ARM_BITS]] <= pwdata_i[aau_regs_pkg::ArmReachLastLsb+:aau_regs_pkg::ArmReachLastWidth];
      end
      if (lies(aau_regs_pkg::HeadMaskOffset, aau_regs_pkg::HeadMaskCount)) usable_q[paddr_i[6:2]] <= pwdata_i;
    end
  end

`ifdef YOSYS
`define AAU_ASSERT(name, condition) name: assert (condition)
`else
`define AAU_ASSERT(name, condition) name: assert (condition) else $error(`"assertion name`")
`endif

  always_ff @(posedge clk) begin
    if (rst_n) begin
      // Bus.
      if (psel_i) begin
        `AAU_ASSERT(read_has_no_effect, pwrite_i || !write_any_i);
        `AAU_ASSERT(error_has_no_effect, !pslverr_i || !write_any_i);
        `AAU_ASSERT(error_in_access_only, !pslverr_i || penable_i);
      end else begin
        `AAU_ASSERT(write_needs_select, !write_any_i);
      end

      // The grant.
      `AAU_ASSERT(irq_is_grant_and_enable, irq_i == (grant_i[31] && inten_i));
      if (grant_load_i) begin
        `AAU_ASSERT(grant_none_while_pending, !grant_i[31]);
        `AAU_ASSERT(grant_of_a_decision, deciding_i && !abandoned_i && found_i);
        `AAU_ASSERT(grant_slot_in_snapshot, 32'(best_slot_i) < SLOTS && snapshot_i[best_slot_i]);
        `AAU_ASSERT(grant_slot_waits, waiting_i[best_slot_i]);
        `AAU_ASSERT(grant_arm_in_snapshot, 32'(best_arm_i) < ARMS && arms_q[best_arm_i]);
        `AAU_ASSERT(grant_arm_idle_and_in_mask, idle_arms_i[best_arm_i] && arm_mask_i[best_arm_i]);
        `AAU_ASSERT(grant_head_exists, best_head_i <= heads_i && 32'(best_head_i) < HEADS);
        `AAU_ASSERT(grant_surface_in_reach, first_q[best_arm_i] <= surface && surface <= last_q[best_arm_i]);
        `AAU_ASSERT(grant_head_not_masked, bit_of_mask >= 8'd32 ||
                                           usable_q[{3'(best_arm_i), best_head_i}][bit_of_mask[4:0]]);
        `AAU_ASSERT(grant_stack_turned, 32'(best_stack_i) < STACKS &&
                                        |(turning_begin_i & (STACKS'(1) << best_stack_i)));
        `AAU_ASSERT(grant_has_a_channel, channels_i == '0 || overlapping < 5'(channels_i));
        `AAU_ASSERT(limit_in_service, max_in_service_i == '0 || arms_of(in_service_i) < 12'(max_in_service_i));
        `AAU_ASSERT(limit_moving, max_moving_i == '0 || arms_of(moving_i) < 12'(max_moving_i));
      end
      if (load_q) begin
        `AAU_ASSERT(grant_shows_winner, grant_i[31] && grant_i[9:0] == 10'(slot_q) && grant_i[12:10] == 3'(arm_q));
        `AAU_ASSERT(grant_takes_slot, !waiting_i[slot_q]);
        `AAU_ASSERT(grant_takes_arm, !idle_arms_i[arm_q] && in_service_i[arm_q] && moving_i[arm_q]);
      end else if (started_q) begin
        `AAU_ASSERT(grant_fields_keep, grant_i[30:0] == grant_q[30:0] && estimate_i == estimate_q);
        `AAU_ASSERT(grant_until_acknowledged, grant_i[31] == (grant_q[31] && !dropped_q));
      end

      // Decisions.
      `AAU_ASSERT(idle_means_nothing_under_way,
          !idle_i || (!deciding_i && !begins_i && !grant_load_i && !issue_i && !due_i));
      if (begins_i) begin
        `AAU_ASSERT(begin_needs_work, enable_i && !grant_i[31] && !deciding_i && |waiting_i &&
                                      |(idle_arms_i & arm_mask_i));
      end
      if (deciding_i) begin
        `AAU_ASSERT(decision_needs_enable, enable_i && !grant_i[31]);
        `AAU_ASSERT(decision_keeps_slots, (snapshot_i & ~waiting_i) == '0);
        `AAU_ASSERT(decision_keeps_arms,
                    (arms_q & ~((idle_arms_i | (reckons_i ? in_service_i : '0)) & arm_mask_i)) == '0);
        `AAU_ASSERT(decision_issues_rows, issue_i == (clock_q <= rows_q));
        `AAU_ASSERT(decision_ends_in_time, abandoned_i || ends_i == (clock_q == rows_q + 12'(aau_pkg::Pipeline)));
      end
      if (ends_i) begin
        `AAU_ASSERT(grant_if_found, grant_load_i == found_i);
      end

      // A rest.
      `AAU_ASSERT(kept_until_a_tick, kept_i == '0 || wake_i || grant_i[31]);
      `AAU_ASSERT(wake_from_a_rest, !due_i || (!deciding_i && !begins_i));

      // Arms.
      `AAU_ASSERT(arm_in_service_is_not_idle, (idle_arms_i & in_service_i) == '0);
      `AAU_ASSERT(arm_moving_is_in_service, (moving_i & ~in_service_i) == '0);
    end
  end
`undef AAU_ASSERT
`endif
endmodule
