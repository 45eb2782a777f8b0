// Arm-arbitration unit: chooses, every time an arm is idle, which waiting slot goes to which arm and head.
// Registers: rtl/regs/aau.rdl. Timing, cost and order: docs/guide/arm-arbitration.md.
//
// All inputs belong to the rising edge. `idle`: no decision is under way and none can begin; the clock may stand until
// the next transfer on the bus or change of `turning`, and while `wake`, no longer than until `tick` has come to
// `wake_tick` (which it has while tick - wake_tick, of TICK_BITS, is not negative).
module arm_arbitration_unit #(
  parameter int unsigned SLOTS = 32,         // 2 to 256
  parameter int unsigned ARMS = 8,           // 1 to 8
  parameter int unsigned HEADS = 4,          // of an arm on a surface, 1 to 4
  parameter int unsigned LANES = 4,          // slots that are looked at in a clock: 1, 2, 4, 8; divides SLOTS
  parameter int unsigned CLASSES = 2,        // seek tables: 1, 2
  parameter int unsigned SEEK_ENTRIES = 256, // of each; a power of two, 4 to 256
  parameter int unsigned STACKS = 8,         // disk stacks, 1 to 8
  parameter int unsigned CYL_BITS = 23,      // up to 23
  parameter int unsigned ANGLE_BITS = 16,    // ticks of a revolution: 2^ANGLE_BITS; up to 16
  parameter int unsigned SEQ_BITS = 32,
  parameter int unsigned TICK_BITS = 40,
  parameter int unsigned COST_MODEL = 0      // 0 rotary, 1 sled
) (
  input  logic                         clk,
  input  logic                         rst_n,
  input  logic                         psel,
  input  logic                         penable,
  input  logic                         pwrite,
  input  logic [15:0]                  paddr,
  input  logic [31:0]                  pwdata,
  output logic [31:0]                  prdata,
  output logic                         pready,
  output logic                         pslverr,
  input  logic [STACKS*ANGLE_BITS-1:0] angle,    // of each stack
  input  logic [TICK_BITS-1:0]         tick,     // of stack 0 since it came to speed
  input  logic [STACKS-1:0]            turning,
  // COST_MODEL 1: where the sled of each arm would leave, and the memory of seeks, whose words are there four clocks
  // after their address. Times in 1/64 tick.
  input  logic [ARMS*16-1:0]           sled_x,
  input  logic [ARMS*16-1:0]           sled_y,
  input  logic [ARMS-1:0]              sled_up,      // it moves upwards then
  input  logic [ARMS*32-1:0]           sled_turn,    // to turn round there; below 2^28
  input  logic [ARMS*32-1:0]           sled_leaves,  // from now on; below 2^30
  output logic [LANES-1:0]             seek_read,
  output logic [LANES*32-1:0]          seek_x_address,
  output logic [LANES*32-1:0]          seek_y_address,
  input  logic [LANES*32-1:0]          seek_x_data,
  input  logic [LANES*32-1:0]          seek_up_data,
  input  logic [LANES*32-1:0]          seek_down_data,
  output logic                         irq,
  output logic                         idle,
  output logic                         wake,
  output logic [TICK_BITS-1:0]         wake_tick
);
  localparam int unsigned Rows = SLOTS / LANES;
  localparam int unsigned SlotBits = $clog2(SLOTS);
  localparam int unsigned LaneBits = LANES > 1 ? $clog2(LANES) : 1;
  localparam int unsigned RowBits = Rows > 1 ? $clog2(Rows) : 1;
  localparam int unsigned ArmBits = ARMS > 1 ? $clog2(ARMS) : 1;
  localparam int unsigned KeyStage = aau_pkg::KeyStage;
  localparam int unsigned KeyBits = aau_pkg::KeyBits;
  localparam int unsigned TimeBits = aau_pkg::TimeBits;

  if (COST_MODEL > 1) begin : g_cost_model
    $error("COST_MODEL must be 0 (rotary) or 1 (sled)");
  end
  if (SLOTS < 2 || SLOTS > 256 || SLOTS % LANES != 0) begin : g_slots
    $error("SLOTS must be 2 to 256 and a multiple of LANES");
  end

  // ---- Registers -------------------------------------------------------------------------------------------------

  logic write_any, write_common, write_arm, write_mount, write_reach, write_head_offset, write_head_angle,
        write_head_mask, write_slot_arm, write_target, write_commit, write_seek_time, write_appointment,
        write_postpone, write_wrote, write_arrived, write_withdraw,
        write_ack, withdraw_all;
  logic [31:0] arms_rdata, slots_rdata, rides_rdata, grant_word, estimate_word;
  logic named_in_range, named_waiting;
  logic enable, inten;
  logic [2:0] policy;
  logic [3:0] yields;
  logic [4:0] zone;
  logic [15:0] margin, head_switch, write_settle, ageing, reposition;
  logic [3:0] max_in_service, max_moving;
  logic [1:0] heads;
  logic [7:0] arm_mask;
  logic [CYL_BITS-1:0] stroke;
  logic [3:0] channels;
  logic [15:0] gap;
  logic [7:0] seek_entry;
  logic seek_class;
  logic [23:0] seek_distance;
  logic [39:0] seek_slope;
  logic [17:0] seek_entries;
  logic [7:0] arms_idle, arms_in_service, arms_moving, arms_wrote;
  logic read;

  assign pready = 1'b1;
  assign read = psel && !pwrite;

  aau_registers #(
    .SLOTS(SLOTS), .ARMS(ARMS), .HEADS(HEADS), .CLASSES(CLASSES), .CYL_BITS(CYL_BITS),
    .COST_MODEL(COST_MODEL)
  ) u_registers (
    .clk, .rst_n,
    .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .paddr_i(paddr), .pwdata_i(pwdata),
    .prdata_o(prdata), .pslverr_o(pslverr),
    .write_any_o(write_any), .write_common_o(write_common), .write_arm_o(write_arm), .write_mount_o(write_mount),
    .write_reach_o(write_reach), .write_head_offset_o(write_head_offset), .write_head_angle_o(write_head_angle),
    .write_head_mask_o(write_head_mask), .write_slot_arm_o(write_slot_arm), .write_target_o(write_target),
    .write_commit_o(write_commit), .write_seek_time_o(write_seek_time), .write_appointment_o(write_appointment),
    .write_postpone_o(write_postpone),
    .write_wrote_o(write_wrote), .write_arrived_o(write_arrived), .write_withdraw_o(write_withdraw),
    .write_ack_o(write_ack), .withdraw_all_o(withdraw_all),
    .arms_rdata_i(arms_rdata), .slots_rdata_i(slots_rdata), .rides_rdata_i(rides_rdata), .grant_i(grant_word),
    .estimate_i(estimate_word),
    .work_i({arms_moving, arms_in_service}), .wrote_i(arms_wrote), .withdraw_waiting_i(named_waiting),
    .enable_o(enable), .policy_o(policy), .yield_o(yields), .zone_o(zone), .inten_o(inten), .margin_o(margin),
    .head_switch_o(head_switch), .write_settle_o(write_settle), .ageing_o(ageing), .reposition_o(reposition),
    .max_in_service_o(max_in_service), .max_moving_o(max_moving), .heads_o(heads), .arm_mask_o(arm_mask),
    .stroke_o(stroke), .channels_o(channels), .gap_o(gap), .seek_entry_o(seek_entry), .seek_class_o(seek_class),
    .seek_distance_o(seek_distance),
    .seek_slope_o(seek_slope), .seek_entries_o(seek_entries)
  );

  // ---- Decisions -------------------------------------------------------------------------------------------------

  logic [SlotBits-1:0] slot_addressed, slot_named;
  logic [SLOTS-1:0] waiting, open_slots, snapshot;
  logic host_in_snapshot;
  logic [SEQ_BITS-1:0] sequence_number;
  logic begins, deciding, abandoned, ends, found, best_defers, wins, grant_pending, grant_load;
  logic reckons, keeps, forgets, rests, due;
  logic [ARMS-1:0] arms_kept;
  logic [STACKS-1:0] turning_begin;
  logic issue;
  logic [RowBits-1:0] row, row_11, row_12, row_13, row_best;
  logic [ArmBits-1:0] arm, arm_11, arm_best, best_arm, grant_arm;
  logic [1:0] head, head_11, head_best, best_head;
  logic valid_1, valid_11;
  logic [SlotBits-1:0] best_slot;
  logic [TimeBits-1:0] best_time;
  logic [ANGLE_BITS-1:0] elapsed;
  logic [2:0] best_stack;
  logic [STACKS*ANGLE_BITS-1:0] angle_begin_q;
  logic [TICK_BITS-1:0] tick_begin_q;

  assign slot_addressed = paddr[2+:SlotBits];
  // The least one may defer: its arm is in service, or may as well start when a channel is free. It is kept, and others
  // may be granted beside it, if the unit reckons with arms in service. Otherwise nothing is until something changes.
  assign wins = found && !best_defers;
  assign grant_load = ends && wins;
  assign reckons = channels != '0 && policy >= aau_pkg::PolicySptf;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      angle_begin_q <= '0;
      tick_begin_q <= '0;
    end else if (begins) begin
      angle_begin_q <= angle;
      tick_begin_q <= tick;
    end
  end

  aau_scan #(
    .SLOTS(SLOTS), .ARMS(ARMS), .HEADS(HEADS), .LANES(LANES), .STACKS(STACKS), .SLOT_BITS(SlotBits),
    .ROW_BITS(RowBits), .ARM_BITS(ArmBits)
  ) u_scan (
    .clk, .rst_n,
    .enable_i(enable), .pending_i(grant_pending), .waiting_i(waiting), .open_i(open_slots), .snapshot_i(snapshot),
    .idle_i(arms_idle[ARMS-1:0]), .in_service_i(arms_in_service[ARMS-1:0]), .moving_i(arms_moving[ARMS-1:0]),
    .arm_mask_i(arm_mask[ARMS-1:0]), .max_in_service_i(max_in_service), .max_moving_i(max_moving), .heads_i(heads),
    .reckons_i(reckons), .kept_i(arms_kept), .turning_i(turning),
    .write_any_i(write_any), .write_common_i(write_common),
    .write_slot_i(write_slot_arm || write_target || write_commit), .slot_i(slot_addressed),
    .write_withdraw_i(write_withdraw), .named_in_range_i(named_in_range), .named_i(slot_named),
    .write_arm_i(write_arm || write_mount || write_reach || write_head_mask),
    .arm_i(write_head_mask ? paddr[4+:ArmBits] : paddr[2+:ArmBits]),
    .begin_o(begins), .active_o(deciding), .abandon_o(abandoned), .end_o(ends), .idle_o(idle), .found_i(wins),
    .defers_i(found && best_defers), .keep_o(keeps), .forget_o(forgets), .rest_o(rests), .due_i(due),
    .turning_o(turning_begin),
    .issue_o(issue), .row_o(row), .arm_o(arm), .head_o(head), .valid_1_o(valid_1), .valid_11_o(valid_11),
    .arm_11_o(arm_11), .head_11_o(head_11), .row_11_o(row_11), .row_12_o(row_12), .row_13_o(row_13),
    .row_best_o(row_best), .arm_best_o(arm_best), .head_best_o(head_best)
  );

  // ---- Slots and arms ----------------------------------------------------------------------------------------------

  aau_slots #(
    .SLOTS(SLOTS), .SEQ_BITS(SEQ_BITS), .SLOT_BITS(SlotBits)
  ) u_slots (
    .clk, .rst_n,
    .slot_i(slot_addressed), .write_commit_i(write_commit), .write_withdraw_i(write_withdraw),
    .withdraw_all_i(withdraw_all), .valid_i(pwdata[aau_regs_pkg::SlotCommitValidLsb]),
    .class_i(pwdata[aau_regs_pkg::SlotCommitSlotClassLsb+:aau_regs_pkg::SlotCommitSlotClassWidth]),
    .named_slot_i(pwdata[aau_regs_pkg::WithdrawSlotLsb+:aau_regs_pkg::WithdrawSlotWidth]),
    .grant_load_i(grant_load), .grant_load_slot_i(best_slot), .keep_i(keeps), .forget_i(forgets), .begin_i(begins),
    .waiting_o(waiting), .open_o(open_slots), .snapshot_o(snapshot), .host_in_snapshot_o(host_in_snapshot),
    .sequence_o(sequence_number), .named_in_range_o(named_in_range), .named_o(slot_named),
    .named_waiting_o(named_waiting)
  );

  logic [aau_pkg::Appointments-1:0] taken;
  logic [aau_pkg::Appointments*aau_pkg::AheadBits-1:0] taken_from, taken_to;
  logic busy_11;
  logic [aau_pkg::FreeBits-1:0] free_11;
  logic [7:0] arms_free;
  logic [LANES*CYL_BITS-1:0] cylinder_best;
  logic [LANES*8-1:0] surface_best;
  logic [LANES-1:0] write_best;
  logic [CYL_BITS-1:0] best_cylinder;
  logic [7:0] best_surface;
  logic best_write, wrote_11;
  logic [CYL_BITS-1:0] arm_cylinder_2;
  logic [7:0] arm_head_1, first_1, last_1;
  logic [23:0] offset_1;
  logic [31:0] usable_1;
  logic [2:0] arm_stack_1;
  logic turns_1, class_3, best_class;
  logic [ANGLE_BITS-1:0] phase_12;
  logic [7:0] ride_first, ride_last;

  aau_arms #(
    .ARMS(ARMS), .HEADS(HEADS), .CLASSES(CLASSES), .STACKS(STACKS), .CYL_BITS(CYL_BITS), .ANGLE_BITS(ANGLE_BITS),
    .ARM_BITS(ArmBits)
  ) u_arms (
    .clk, .rst_n,
    .paddr_i(paddr), .write_arm_i(write_arm), .write_mount_i(write_mount),
    .write_reach_i(write_reach), .write_head_offset_i(write_head_offset), .write_head_angle_i(write_head_angle),
    .write_head_mask_i(write_head_mask), .write_arrived_i(write_arrived), .write_wrote_i(write_wrote),
    .withdraw_all_i(withdraw_all), .pwdata_i(pwdata), .read_i(read), .rdata_o(arms_rdata),
    .grant_load_i(grant_load), .grant_load_arm_i(best_arm), .grant_load_class_o(best_class), .pending_i(grant_pending),
    .pending_arm_i(grant_arm),
    .idle_o(arms_idle), .in_service_o(arms_in_service), .moving_o(arms_moving),
    .wrote_o(arms_wrote), .grant_load_write_i(best_write),
    .grant_load_cylinder_i(best_cylinder), .grant_load_surface_i(best_surface), .grant_load_head_i(best_head),
    .free_i(arms_free), .free_at_i(taken_to[8*aau_pkg::AheadBits-1:0]),
    .issue_i(issue), .issue_arm_i(arm), .issue_head_i(head), .turning_i(turning_begin), .angle_i(angle_begin_q),
    .head_1_o(arm_head_1), .offset_1_o(offset_1), .usable_1_o(usable_1), .stack_1_o(arm_stack_1),
    .turns_1_o(turns_1), .first_1_o(first_1), .last_1_o(last_1), .valid_1_i(valid_1),
    .pending_first_o(ride_first), .pending_last_o(ride_last), .cylinder_2_o(arm_cylinder_2), .class_3_o(class_3),
    .valid_11_i(valid_11), .arm_11_i(arm_11),
    .head_11_i(head_11), .busy_11_o(busy_11), .free_11_o(free_11), .wrote_11_o(wrote_11), .phase_12_o(phase_12),
    .angle_now_i(angle), .elapsed_o(elapsed),
    .winner_stack_o(best_stack)
  );

  logic [aau_pkg::AheadBits-1:0] taken_latest, taken_soonest;
  logic in_service_taken;
  logic [LANES*aau_pkg::LengthBits-1:0] length_best;
  logic [aau_pkg::LengthBits-1:0] best_length;
  logic [RowBits-1:0] best_row;
  logic [LaneBits-1:0] best_lane;
  logic [LANES*ANGLE_BITS-1:0] angle_best;
  logic [ANGLE_BITS-1:0] best_angle;

  assign best_row = LANES > 1 ? RowBits'(best_slot >> $clog2(LANES)) : RowBits'(best_slot);
  assign best_lane = LANES > 1 ? best_slot[LaneBits-1:0] : '0;
  assign best_length = length_best[best_lane*aau_pkg::LengthBits+:aau_pkg::LengthBits];
  assign best_cylinder = cylinder_best[best_lane*CYL_BITS+:CYL_BITS];
  assign best_surface = surface_best[best_lane*8+:8];
  assign best_write = write_best[best_lane];
  assign best_angle = angle_best[best_lane*ANGLE_BITS+:ANGLE_BITS];

  aau_appointments #(
    .ARMS(ARMS), .TICK_BITS(TICK_BITS), .ARM_BITS(ArmBits)
  ) u_appointments (
    .clk, .rst_n,
    .write_i(write_appointment), .postpone_i(write_postpone), .pwdata_i(pwdata), .channels_i(channels), .gap_i(gap),
    .in_service_i(arms_in_service[ARMS-1:0]), .begin_i(begins), .tick_i(tick_begin_q),
    .grant_load_i(grant_load), .grant_load_arm_i(best_arm), .grant_load_time_i(best_time),
    .grant_load_length_i(best_length), .keep_i(keeps), .forget_i(forgets), .kept_o(arms_kept),
    .taken_o(taken), .from_o(taken_from), .to_o(taken_to), .latest_o(taken_latest),
    .in_service_taken_o(in_service_taken), .soonest_o(taken_soonest), .free_o(arms_free)
  );

  aau_wake #(
    .TICK_BITS(TICK_BITS)
  ) u_wake (
    .clk, .rst_n,
    .rest_i(rests), .taken_i(in_service_taken), .soonest_i(taken_soonest), .margin_i(margin),
    .tick_begin_i(tick_begin_q), .tick_i(tick), .busy_i(deciding || begins), .drop_i(forgets || grant_load),
    .wake_o(wake), .wake_tick_o(wake_tick), .due_o(due)
  );

  // ---- Sleds -----------------------------------------------------------------------------------------------------

  logic [15:0] sled_x_2, sled_y_2;
  logic sled_up_8;
  logic [31:0] sled_turn_8, sled_leaves_11;
  if (COST_MODEL == 1) begin : g_sleds
    aau_sleds #(.ARMS(ARMS), .ARM_BITS(ArmBits)) u_sleds (
      .clk, .active_i(deciding), .begin_i(begins),
      .x_i(sled_x), .y_i(sled_y), .up_i(sled_up), .turn_i(sled_turn), .leaves_i(sled_leaves),
      .arm_i(arm), .x_2_o(sled_x_2), .y_2_o(sled_y_2), .up_8_o(sled_up_8), .turn_8_o(sled_turn_8),
      .leaves_11_o(sled_leaves_11)
    );
  end else begin : g_no_sleds
    assign sled_x_2 = '0;
    assign sled_y_2 = '0;
    assign sled_up_8 = 1'b0;
    assign sled_turn_8 = '0;
    assign sled_leaves_11 = '0;
  end

  // ---- Lanes -----------------------------------------------------------------------------------------------------

  logic [LANES-1:0] ok_14, defers_14;
  logic [LANES*KeyBits-1:0] key_14;
  logic [LANES*TimeBits-1:0] time_14;
  logic [LANES*SEQ_BITS-1:0] sequence_14;
  logic [LANES*7-1:0] ok_seek;
  logic [LANES*24-1:0] distance_3, seek_10;
  logic [LANES*32-1:0] bank_rdata;
  logic [CYL_BITS-1:0] ride_cylinder;
  logic [ANGLE_BITS-1:0] ride_row;
  logic [SLOTS-1:0] same_place;
  logic [RowBits-1:0] row_addressed;
  logic [LaneBits-1:0] lane_addressed;

  assign row_addressed = LANES > 1 ? RowBits'(slot_addressed >> $clog2(LANES)) : RowBits'(slot_addressed);
  assign lane_addressed = LANES > 1 ? slot_addressed[LaneBits-1:0] : '0;

  for (genvar i = 0; i < LANES; i++) begin : g_lane
    logic hit, present;
    logic [CYL_BITS-1:0] slot_cylinder_1;
    logic [7:0] slot_head_1;
    logic [1:0] slot_class_1;
    logic [2:0] slot_stack_1;
    logic [ANGLE_BITS-1:0] slot_angle_1;
    logic [TimeBits-1:0] sled_12;
    logic write_11, reserved_11, ages_11;
    logic [TICK_BITS-1:0] committed_11;
    logic [ANGLE_BITS-1:0] angle_12;
    logic [aau_pkg::LengthBits-1:0] length_12;
    logic [SEQ_BITS-1:0] sequence_13;
    logic [KeyStage:1] ok;

    assign hit = lane_addressed == LaneBits'(i);

    aau_slot_bank #(
      .ROWS(Rows), .ROW_BITS(RowBits), .CYL_BITS(CYL_BITS), .ANGLE_BITS(ANGLE_BITS), .SEQ_BITS(SEQ_BITS),
      .TICK_BITS(TICK_BITS), .ARM_BITS(ArmBits), .COST_MODEL(COST_MODEL)
    ) u_bank (
      .clk, .rst_n,
      .row_i(row_addressed), .write_slot_arm_i(write_slot_arm && hit), .write_target_i(write_target && hit),
      .write_commit_i(write_commit && hit), .pwdata_i(pwdata), .sequence_i(sequence_number), .tick_i(tick),
      .read_i(read && hit), .paddr_i(paddr), .waiting_i(waiting[slot_addressed]),
      .rdata_o(bank_rdata[i*32+:32]),
      .issue_row_i(row), .issue_present_i(issue && snapshot[SlotBits'(32'(row) * LANES + i)]),
      .issue_arm_i(arm), .present_o(present), .cylinder_1_o(slot_cylinder_1), .head_1_o(slot_head_1),
      .class_1_o(slot_class_1), .stack_1_o(slot_stack_1), .angle_1_o(slot_angle_1),
      .valid_11_i(ok[11]), .row_11_i(row_11), .write_11_o(write_11), .reserved_11_o(reserved_11),
      .ages_11_o(ages_11), .committed_11_o(committed_11),
      .valid_12_i(ok[12]), .row_12_i(row_12), .angle_12_o(angle_12),
      .length_12_o(length_12),
      .valid_13_i(ok[13]), .row_13_i(row_13), .sequence_13_o(sequence_13),
      .valid_best_i(grant_load || keeps), .row_best_i(best_row),
      .length_best_o(length_best[i*aau_pkg::LengthBits+:aau_pkg::LengthBits]),
      .cylinder_best_o(cylinder_best[i*CYL_BITS+:CYL_BITS]), .head_best_o(surface_best[i*8+:8]),
      .write_best_o(write_best[i]), .angle_best_o(angle_best[i*ANGLE_BITS+:ANGLE_BITS]),
      .ride_cylinder_i(ride_cylinder), .ride_row_i(ride_row), .ride_first_i(ride_first), .ride_last_i(ride_last),
      .rides_o(same_place[i*Rows+:Rows])
    );

    aau_cost #(
      .CYL_BITS(CYL_BITS), .ANGLE_BITS(ANGLE_BITS), .TICK_BITS(TICK_BITS), .COST_MODEL(COST_MODEL)
    ) u_cost (
      .clk, .rst_n,
      .active_i(deciding), .abandon_i(abandoned), .ok_o(ok),
      .policy_i(policy), .yield_i(yields), .zone_i(zone), .margin_i(margin), .head_switch_i(head_switch),
      .write_settle_i(write_settle), .ageing_i(ageing), .reposition_i(reposition), .stroke_i(stroke),
      .tick_i(tick_begin_q), .channels_i(channels), .gap_i(gap), .host_in_snapshot_i(host_in_snapshot),
      .present_i(present), .slot_cylinder_1_i(slot_cylinder_1), .slot_head_1_i(slot_head_1),
      .slot_class_1_i(slot_class_1), .slot_stack_1_i(slot_stack_1), .write_11_i(write_11), .reserved_11_i(reserved_11),
      .ages_11_i(ages_11), .committed_11_i(committed_11), .angle_12_i(angle_12),
      .length_12_i(length_12), .taken_i(taken), .from_i(taken_from), .to_i(taken_to), .latest_i(taken_latest),
      .busy_11_i(busy_11), .arm_11_i(8'(32'd1 << arm_11)), .free_11_i(free_11), .wrote_11_i(wrote_11),
      .arm_cylinder_2_i(arm_cylinder_2), .arm_head_1_i(arm_head_1),
      .offset_1_i(offset_1), .arm_stack_1_i(arm_stack_1), .turns_1_i(turns_1), .first_1_i(first_1),
      .last_1_i(last_1), .usable_1_i(usable_1), .phase_12_i(phase_12), .sled_x_2_i(sled_x_2), .sled_12_i(sled_12),
      .distance_3_o(distance_3[i*24+:24]), .seek_10_i(seek_10[i*24+:24]),
      .key_14_o(key_14[i*KeyBits+:KeyBits]), .time_14_o(time_14[i*TimeBits+:TimeBits]),
      .defers_14_o(defers_14[i])
    );

    if (COST_MODEL == 1) begin : g_sled
      aau_sled_cost u_sled_cost (
        .clk, .active_i(deciding), .ok_i(ok[11:1]),
        .cylinder_1_i(16'(slot_cylinder_1)), .row_1_i(16'(slot_angle_1)), .x_2_i(sled_x_2), .y_2_i(sled_y_2),
        .read_3_o(seek_read[i]), .x_address_3_o(seek_x_address[i*32+:32]), .y_address_3_o(seek_y_address[i*32+:32]),
        .x_data_7_i(seek_x_data[i*32+:32]), .up_data_7_i(seek_up_data[i*32+:32]),
        .down_data_7_i(seek_down_data[i*32+:32]),
        .up_8_i(sled_up_8), .turn_8_i(sled_turn_8), .leaves_11_i(sled_leaves_11), .time_12_o(sled_12)
      );
    end else begin : g_disk
      assign seek_read[i] = 1'b0;
      assign seek_x_address[i*32+:32] = '0;
      assign seek_y_address[i*32+:32] = '0;
      assign sled_12 = '0;
    end

    logic [SEQ_BITS-1:0] sequence_14_q;
    always_ff @(posedge clk) begin
      if (ok[13]) sequence_14_q <= sequence_13;
    end

    assign sequence_14[i*SEQ_BITS+:SEQ_BITS] = sequence_14_q;
    assign ok_14[i] = ok[KeyStage];
    assign ok_seek[i*7+:7] = ok[9:3];
  end

  assign slots_rdata = read ? bank_rdata[lane_addressed*32+:32] : '0;

  aau_seek_table #(
    .LANES(LANES), .CLASSES(CLASSES), .ENTRIES(SEEK_ENTRIES)
  ) u_seek_table (
    .clk, .active_i(deciding),
    .write_i(write_seek_time), .write_class_i(seek_class), .write_entry_i(seek_entry),
    .write_distance_i(seek_distance), .write_slope_i(seek_slope),
    .write_time_i(pwdata[aau_regs_pkg::SeekTimeTicksLsb+:aau_regs_pkg::SeekTimeTicksWidth]),
    .entries_i(seek_entries), .class_3_i(class_3), .ok_i(ok_seek), .distance_3_i(distance_3), .time_10_o(seek_10)
  );

  aau_minimum #(
    .LANES(LANES), .SEQ_BITS(SEQ_BITS), .SLOT_BITS(SlotBits), .ROW_BITS(RowBits), .ARM_BITS(ArmBits)
  ) u_minimum (
    .clk, .rst_n, .clear_i(begins || abandoned),
    .ok_i(ok_14), .key_i(key_14), .time_i(time_14), .defers_i(defers_14), .sequence_i(sequence_14),
    .row_i(row_best), .arm_i(arm_best), .head_i(head_best),
    .found_o(found), .slot_o(best_slot), .arm_o(best_arm), .head_o(best_head), .time_o(best_time),
    .defers_o(best_defers)
  );

  aau_grant #(
    .ANGLE_BITS(ANGLE_BITS), .SLOT_BITS(SlotBits), .ARM_BITS(ArmBits)
  ) u_grant (
    .clk, .rst_n,
    .load_i(grant_load), .slot_i(best_slot), .arm_i(best_arm), .head_i(best_head), .class_i(best_class),
    .time_i(best_time),
    .elapsed_i(elapsed), .ack_i(write_ack), .withdraw_all_i(withdraw_all), .inten_i(inten),
    .pending_o(grant_pending), .arm_o(grant_arm), .irq_o(irq), .grant_o(grant_word), .estimate_o(estimate_word)
  );

  aau_rides #(
    .SLOTS(SLOTS), .LANES(LANES), .CYL_BITS(CYL_BITS), .ANGLE_BITS(ANGLE_BITS)
  ) u_rides (
    .clk, .rst_n,
    .load_i(grant_load), .cylinder_i(best_cylinder), .row_i(best_angle),
    .cylinder_o(ride_cylinder), .row_o(ride_row), .pending_i(grant_pending), .waiting_i(waiting),
    .same_i(same_place), .read_i(read), .word_i(paddr[6:2]), .rdata_o(rides_rdata)
  );

`ifndef SYNTHESIS
  aau_assertions #(
    .SLOTS(SLOTS), .ARMS(ARMS), .HEADS(HEADS), .LANES(LANES), .STACKS(STACKS), .SLOT_BITS(SlotBits), .ARM_BITS(ArmBits)
  ) u_assertions (
    .clk, .rst_n,
    .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .paddr_i(paddr), .pwdata_i(pwdata), .pslverr_i(pslverr),
    .write_any_i(write_any),
    .write_ack_i(write_ack), .withdraw_all_i(withdraw_all), .enable_i(enable), .inten_i(inten),
    .max_in_service_i(max_in_service), .max_moving_i(max_moving), .heads_i(heads), .arm_mask_i(arm_mask[ARMS-1:0]),
    .waiting_i(waiting), .snapshot_i(snapshot), .idle_arms_i(arms_idle[ARMS-1:0]),
    .in_service_i(arms_in_service[ARMS-1:0]), .moving_i(arms_moving[ARMS-1:0]), .turning_begin_i(turning_begin),
    .reckons_i(reckons), .kept_i(arms_kept), .taken_i(taken), .taken_from_i(taken_from), .taken_to_i(taken_to),
    .channels_i(channels), .best_time_i(best_time),
    .best_length_i(best_length),
    .begins_i(begins), .deciding_i(deciding), .abandoned_i(abandoned), .ends_i(ends), .found_i(wins),
    .issue_i(issue), .grant_load_i(grant_load), .best_slot_i(best_slot), .best_arm_i(best_arm),
    .best_head_i(best_head), .best_stack_i(best_stack), .grant_i(grant_word), .estimate_i(estimate_word),
    .irq_i(irq), .idle_i(idle), .wake_i(wake), .due_i(due)
  );
`endif
`ifdef FORMAL
  `include "arm_arbitration_unit_formal.svh"
`endif
endmodule
