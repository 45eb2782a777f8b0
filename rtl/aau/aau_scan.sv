// Begins and ends decisions: snapshot, the sequence of rows (arm, head, row), and what abandons a decision.
//
// A decision begins at an edge s at which the unit is ready and something turns. It issues a row a clock from then on
// and ends Pipeline clocks after the last one, at edge g. A write captured at s to g on which it depends abandons it.
// Where the unit reckons with arms in service, a winner that defers is kept with its arm until something changes, and
// the next decision looks at the others. A rest without a grant ends with a change, too, or when `due_i` says so.
module aau_scan #(
  parameter int unsigned SLOTS = 32,
  parameter int unsigned ARMS = 8,
  parameter int unsigned HEADS = 4,
  parameter int unsigned LANES = 4,
  parameter int unsigned STACKS = 8,
  parameter int unsigned SLOT_BITS = 5,
  parameter int unsigned ROW_BITS = 3,
  parameter int unsigned ARM_BITS = 3
) (
  input  logic                 clk,
  input  logic                 rst_n,

  input  logic                 enable_i,
  input  logic                 pending_i,  // a grant
  input  logic [SLOTS-1:0]     waiting_i,
  input  logic [SLOTS-1:0]     open_i,     // that wait, and are not kept for an arm
  input  logic [SLOTS-1:0]     snapshot_i,
  input  logic [ARMS-1:0]      idle_i,
  input  logic [ARMS-1:0]      in_service_i,
  input  logic [ARMS-1:0]      moving_i,
  input  logic [ARMS-1:0]      arm_mask_i,
  input  logic [3:0]           max_in_service_i,
  input  logic [3:0]           max_moving_i,
  input  logic [1:0]           heads_i,
  input  logic                 reckons_i,  // with arms in service, too
  input  logic [ARMS-1:0]      kept_i,     // arms for which winners are kept
  input  logic [STACKS-1:0]    turning_i,

  // Writes that the next edge captures.
  input  logic                 write_any_i,
  input  logic                 write_common_i,
  input  logic                 write_slot_i,
  input  logic [SLOT_BITS-1:0] slot_i,
  input  logic                 write_withdraw_i,
  input  logic                 named_in_range_i,
  input  logic [SLOT_BITS-1:0] named_i,
  input  logic                 write_arm_i,  // any of an arm's registers
  input  logic [ARM_BITS-1:0]  arm_i,

  output logic                 begin_o,      // snapshots are taken at the next edge
  output logic                 active_o,     // a decision is under way
  output logic                 abandon_o,
  output logic                 end_o,        // the next edge is g
  output logic                 idle_o,
  input  logic                 found_i,      // a candidate, with end_o: it is granted
  input  logic                 defers_i,     // or it defers
  output logic                 keep_o,
  output logic                 forget_o,
  output logic                 rest_o,       // the next edge is g, nothing is granted, and nothing has changed
  input  logic                 due_i,        // the rest ends by itself
  output logic [STACKS-1:0]    turning_o,    // at s

  // The row at the entrance, and at later stages.
  output logic                 issue_o,
  output logic [ROW_BITS-1:0]  row_o,
  output logic [ARM_BITS-1:0]  arm_o,
  output logic [1:0]           head_o,
  output logic                 valid_1_o,    // the stage holds a row
  output logic                 valid_11_o,
  output logic [ARM_BITS-1:0]  arm_11_o,
  output logic [1:0]           head_11_o,
  output logic [ROW_BITS-1:0]  row_11_o,
  output logic [ROW_BITS-1:0]  row_12_o,
  output logic [ROW_BITS-1:0]  row_13_o,
  output logic [ROW_BITS-1:0]  row_best_o,   // of the stage that the running minimum reads
  output logic [ARM_BITS-1:0]  arm_best_o,
  output logic [1:0]           head_best_o
);
  localparam int unsigned Rows = SLOTS / LANES;
  localparam int unsigned Stages = aau_pkg::Pipeline;
  localparam int unsigned BestStage = aau_pkg::KeyStage + $clog2(LANES);
  localparam int unsigned TagBits = ROW_BITS + ARM_BITS + 2;

  // ---- Begin and end ---------------------------------------------------------------------------------------------

  logic active_q, blocked_q, written_q;
  logic [STACKS-1:0] turning_q;  // at s
  logic [ARMS-1:0] arms_q;       // of the decision
  logic [Stages:1] last_q;       // the stage holds the last row

  function automatic logic [3:0] count(input logic [ARMS-1:0] arms);
    count = '0;
    for (int unsigned i = 0; i < ARMS; i++) count = count + 4'(arms[i]);
  endfunction

  logic [ARMS-1:0] looked_at;  // by a decision that begins
  assign looked_at = (idle_i | (reckons_i ? in_service_i : '0)) & arm_mask_i & ~kept_i;

  logic able, ready, touched, begins, turns_otherwise;
  assign turns_otherwise = turning_i != turning_q;
  always_comb begin
    able = enable_i && !active_q && !pending_i && !blocked_q && |open_i && |(idle_i & arm_mask_i & ~kept_i);
    if (kept_i != '0 && turns_otherwise) able = 1'b0;  // it is looked at anew from the next edge on
    if (max_in_service_i != '0 && count(in_service_i) >= max_in_service_i) able = 1'b0;
    if (max_moving_i != '0 && count(moving_i) >= max_moving_i) able = 1'b0;
  end
  assign ready = able && |turning_i;

  always_comb begin
    touched = 1'b0;
    if (write_any_i) begin
      touched = write_common_i;
      if (write_slot_i && (active_q ? snapshot_i[slot_i] : open_i[slot_i])) touched = 1'b1;
      if (write_withdraw_i && named_in_range_i && (active_q ? snapshot_i[named_i] : open_i[named_i])) touched = 1'b1;
      if (write_arm_i && (active_q ? arms_q[arm_i] : looked_at[arm_i])) touched = 1'b1;
    end
  end

  assign begins = ready && !touched;
  assign begin_o = begins;
  assign active_o = active_q;
  assign abandon_o = active_q && touched;
  assign end_o = last_q[Stages] && !touched;
  assign idle_o = !active_q && !ready && !due_i;
  assign turning_o = turning_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      active_q <= 1'b0;
      written_q <= 1'b0;
      turning_q <= '0;
      arms_q <= '0;
    end else if (begins) begin
      active_q <= 1'b1;
      written_q <= write_any_i;
      turning_q <= turning_i;
      arms_q <= looked_at;
    end else if (active_q) begin
      if (touched || last_q[Stages]) active_q <= 1'b0;
      if (write_any_i) written_q <= 1'b1;
    end
  end

  // Without a winner nothing is looked at again until something can have changed, or a rest ends by itself; what came
  // meanwhile counts.
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) blocked_q <= 1'b0;
    else if (forget_o) blocked_q <= 1'b0;
    else if (end_o && !written_q && (defers_i ? !reckons_i : !found_i)) blocked_q <= 1'b1;
  end
  assign keep_o = end_o && !written_q && !forget_o && defers_i && reckons_i;
  assign forget_o = write_any_i || turns_otherwise || due_i;
  assign rest_o = end_o && !written_q && !forget_o && !found_i;

  // ---- Rows ------------------------------------------------------------------------------------------------------

  logic issue_q;
  logic [Rows-1:0] rows_q, rows_left_q;
  logic [ARMS-1:0] arms_left_q;
  logic [ROW_BITS-1:0] row_q;
  logic [ARM_BITS-1:0] arm_q;
  logic [1:0] head_q, head_last;
  logic last;

  function automatic logic [Rows-1:0] rows_of(input logic [SLOTS-1:0] slots);
    for (int unsigned i = 0; i < Rows; i++) rows_of[i] = |slots[i*LANES+:LANES];
  endfunction

  function automatic logic [ROW_BITS-1:0] first_row(input logic [Rows-1:0] rows);
    first_row = '0;
    for (int unsigned i = 0; i < Rows; i++) if (rows[Rows-1-i]) first_row = ROW_BITS'(Rows - 1 - i);
  endfunction

  function automatic logic [ARM_BITS-1:0] first_arm(input logic [ARMS-1:0] arms);
    first_arm = '0;
    for (int unsigned i = 0; i < ARMS; i++) if (arms[ARMS-1-i]) first_arm = ARM_BITS'(ARMS - 1 - i);
  endfunction

  assign head_last = 32'(heads_i) >= HEADS ? 2'(HEADS - 1) : heads_i;
  assign last = issue_q && rows_left_q == '0 && head_q == head_last && arms_left_q == '0;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      issue_q <= 1'b0;
      rows_q <= '0;
      rows_left_q <= '0;
      arms_left_q <= '0;
      row_q <= '0;
      arm_q <= '0;
      head_q <= '0;
    end else if (begins) begin
      issue_q <= 1'b1;
      rows_q <= rows_of(waiting_i);
      row_q <= first_row(rows_of(waiting_i));
      rows_left_q <= rows_of(waiting_i) & (rows_of(waiting_i) - 1'b1);
      arm_q <= first_arm(looked_at);
      arms_left_q <= looked_at & (looked_at - 1'b1);
      head_q <= '0;
    end else if (issue_q) begin
      if (touched || last) issue_q <= 1'b0;
      if (rows_left_q != '0) begin
        row_q <= first_row(rows_left_q);
        rows_left_q <= rows_left_q & (rows_left_q - 1'b1);
      end else begin
        row_q <= first_row(rows_q);
        rows_left_q <= rows_q & (rows_q - 1'b1);
        if (head_q != head_last) begin
          head_q <= head_q + 2'd1;
        end else begin
          head_q <= '0;
          arm_q <= first_arm(arms_left_q);
          arms_left_q <= arms_left_q & (arms_left_q - 1'b1);
        end
      end
    end
  end

  // ---- What a stage holds ------------------------------------------------------------------------------------------

  logic [11:1] valid_q;
  logic [BestStage*TagBits-1:0] tags_q;  // stage 1 lowest

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      last_q <= '0;
      valid_q <= '0;
    end else if (active_q) begin
      last_q <= touched ? '0 : {last_q[Stages-1:1], last};
      valid_q <= touched ? '0 : {valid_q[10:1], issue_q};
    end
  end

  always_ff @(posedge clk) begin
    if (active_q) tags_q <= {tags_q[(BestStage-1)*TagBits-1:0], head_q, arm_q, row_q};
  end

  assign issue_o = issue_q;
  assign row_o = row_q;
  assign arm_o = arm_q;
  assign head_o = head_q;
  assign valid_1_o = valid_q[1];
  assign valid_11_o = valid_q[11];
  assign row_11_o = tags_q[10*TagBits+:ROW_BITS];
  assign arm_11_o = tags_q[10*TagBits+ROW_BITS+:ARM_BITS];
  assign head_11_o = tags_q[10*TagBits+ROW_BITS+ARM_BITS+:2];
  assign row_12_o = tags_q[11*TagBits+:ROW_BITS];
  assign row_13_o = tags_q[12*TagBits+:ROW_BITS];
  assign row_best_o = tags_q[(BestStage-1)*TagBits+:ROW_BITS];
  assign arm_best_o = tags_q[(BestStage-1)*TagBits+ROW_BITS+:ARM_BITS];
  assign head_best_o = tags_q[(BestStage-1)*TagBits+ROW_BITS+ARM_BITS+:2];
endmodule
