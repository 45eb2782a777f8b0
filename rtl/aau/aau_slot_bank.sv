// What the slots of one lane want: slot n lies in lane n mod LANES, row n / LANES. The pipeline reads a row four times,
// each field where it is needed, instead of carrying it along.
module aau_slot_bank #(
  parameter int unsigned ROWS = 8,
  parameter int unsigned ROW_BITS = 3,
  parameter int unsigned CYL_BITS = 23,
  parameter int unsigned ANGLE_BITS = 16,
  parameter int unsigned SEQ_BITS = 32,
  parameter int unsigned TICK_BITS = 40,
  parameter int unsigned ARM_BITS = 3,
  parameter int unsigned COST_MODEL = 0
) (
  input  logic                  clk,
  input  logic                  rst_n,
  input  logic [ROW_BITS-1:0]   row_i,  // of the bus address
  input  logic                  write_slot_arm_i,
  input  logic                  write_target_i,
  input  logic                  write_commit_i,
  input  logic [31:0]           pwdata_i,
  input  logic [SEQ_BITS-1:0]   sequence_i,
  input  logic [TICK_BITS-1:0]  tick_i,
  input  logic                  read_i,
  input  logic [15:0]           paddr_i,
  input  logic                  waiting_i,  // the slot of the bus address
  output logic [31:0]           rdata_o,

  input  logic [ROW_BITS-1:0]   issue_row_i,
  input  logic                  issue_present_i,  // a row is issued, and the slot is in the snapshot
  input  logic [ARM_BITS-1:0]   issue_arm_i,
  output logic                  present_o,        // and no other arm is reserved for it
  output logic [CYL_BITS-1:0]   cylinder_1_o,
  output logic [7:0]            head_1_o,
  output logic [1:0]            class_1_o,
  output logic [2:0]            stack_1_o,
  output logic [ANGLE_BITS-1:0] angle_1_o,        // of a sled: the row

  input  logic                  valid_11_i,
  input  logic [ROW_BITS-1:0]   row_11_i,
  output logic                  write_11_o,       // combinational, as the others of later stages
  output logic                  reserved_11_o,    // the arm is reserved for it
  output logic                  ages_11_o,        // of class 0
  output logic [TICK_BITS-1:0]  committed_11_o,
  input  logic                  valid_12_i,
  input  logic [ROW_BITS-1:0]   row_12_i,
  output logic [ANGLE_BITS-1:0] angle_12_o,
  output logic [aau_pkg::LengthBits-1:0] length_12_o,
  input  logic                  valid_13_i,
  input  logic [ROW_BITS-1:0]   row_13_i,
  output logic [SEQ_BITS-1:0]   sequence_13_o,
  input  logic                  valid_best_i,     // the row of the winner, at the end of a decision
  input  logic [ROW_BITS-1:0]   row_best_i,
  output logic [aau_pkg::LengthBits-1:0] length_best_o,
  output logic [CYL_BITS-1:0]   cylinder_best_o,
  output logic [7:0]            head_best_o,
  output logic                  write_best_o,
  output logic [ANGLE_BITS-1:0] angle_best_o,

  input  logic [CYL_BITS-1:0]   ride_cylinder_i,  // of sleds: where the pending grant goes
  input  logic [ANGLE_BITS-1:0] ride_row_i,
  input  logic [7:0]            ride_first_i,     // tracks of that sled
  input  logic [7:0]            ride_last_i,
  output logic [ROWS-1:0]       rides_o           // slots that want to go there
);
  logic [3:0]            arm_q [ROWS];   // reserved, which one
  logic [CYL_BITS-1:0]   cylinder_q [ROWS];
  logic [7:0]            head_q [ROWS];
  logic [ANGLE_BITS-1:0] angle_q [ROWS];
  logic [5:0]            kind_q [ROWS];  // stack, class, write
  logic [aau_pkg::LengthBits-1:0] length_q [ROWS];
  logic [SEQ_BITS-1:0]   sequence_q [ROWS];
  logic [TICK_BITS-1:0]  committed_q [ROWS];

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < ROWS; i++) begin
        arm_q[i] <= '0;
        cylinder_q[i] <= '0;
        head_q[i] <= '0;
        angle_q[i] <= '0;
        kind_q[i] <= '0;
        length_q[i] <= '0;
        sequence_q[i] <= '0;
        committed_q[i] <= '0;
      end
    end else begin
      if (write_slot_arm_i) begin
        arm_q[row_i] <= {pwdata_i[aau_regs_pkg::SlotArmReservedLsb],
                         pwdata_i[aau_regs_pkg::SlotArmArmLsb+:aau_regs_pkg::SlotArmArmWidth]};
      end
      if (write_target_i) begin
        cylinder_q[row_i] <= pwdata_i[aau_regs_pkg::SlotTargetCylinderLsb+:CYL_BITS];
        head_q[row_i] <= pwdata_i[aau_regs_pkg::SlotTargetHeadLsb+:aau_regs_pkg::SlotTargetHeadWidth];
      end
      if (write_commit_i) begin
        angle_q[row_i] <= pwdata_i[aau_regs_pkg::SlotCommitAngleLsb+:ANGLE_BITS];
        kind_q[row_i] <= {pwdata_i[aau_regs_pkg::SlotCommitStackLsb+:aau_regs_pkg::SlotCommitStackWidth],
                          pwdata_i[aau_regs_pkg::SlotCommitSlotClassLsb+:aau_regs_pkg::SlotCommitSlotClassWidth],
                          pwdata_i[aau_regs_pkg::SlotCommitWriteLsb]};
        length_q[row_i] <= pwdata_i[aau_regs_pkg::SlotCommitLengthLsb+:aau_regs_pkg::SlotCommitLengthWidth];
        if (pwdata_i[aau_regs_pkg::SlotCommitValidLsb]) begin
          sequence_q[row_i] <= sequence_i;
          committed_q[row_i] <= tick_i;
        end
      end
    end
  end

  // The tables by falling address; what lies outside them is not read.
  logic [31:0] address;
  assign address = {16'h0, paddr_i};

  always_comb begin
    rdata_o = '0;
    if (read_i) begin
      if (address >= aau_regs_pkg::SlotCommitOffset) begin
        rdata_o[aau_regs_pkg::SlotCommitAngleLsb+:ANGLE_BITS] = angle_q[row_i];
        rdata_o[aau_regs_pkg::SlotCommitWriteLsb] = kind_q[row_i][0];
        rdata_o[aau_regs_pkg::SlotCommitSlotClassLsb+:aau_regs_pkg::SlotCommitSlotClassWidth] = kind_q[row_i][2:1];
        rdata_o[aau_regs_pkg::SlotCommitStackLsb+:aau_regs_pkg::SlotCommitStackWidth] = kind_q[row_i][5:3];
        rdata_o[aau_regs_pkg::SlotCommitLengthLsb+:aau_regs_pkg::SlotCommitLengthWidth] = length_q[row_i];
        rdata_o[aau_regs_pkg::SlotCommitValidLsb] = waiting_i;
      end else if (address >= aau_regs_pkg::SlotTargetOffset) begin
        rdata_o[aau_regs_pkg::SlotTargetCylinderLsb+:CYL_BITS] = cylinder_q[row_i];
        rdata_o[aau_regs_pkg::SlotTargetHeadLsb+:aau_regs_pkg::SlotTargetHeadWidth] = head_q[row_i];
      end else begin
        rdata_o[aau_regs_pkg::SlotArmArmLsb+:aau_regs_pkg::SlotArmArmWidth] = arm_q[row_i][2:0];
        rdata_o[aau_regs_pkg::SlotArmReservedLsb] = arm_q[row_i][3];
      end
    end
  end

  logic [CYL_BITS-1:0] cylinder_1_q;
  logic [7:0]          head_1_q;
  logic [4:0]          kind_1_q;
  logic [ANGLE_BITS-1:0] angle_1_q;

  always_ff @(posedge clk) begin
    if (issue_present_i) begin
      cylinder_1_q <= cylinder_q[issue_row_i];
      head_1_q <= head_q[issue_row_i];
      kind_1_q <= kind_q[issue_row_i][5:1];
      angle_1_q <= angle_q[issue_row_i];
    end
  end

  always_comb begin
    present_o = 1'b0;
    if (issue_present_i) present_o = !arm_q[issue_row_i][3] || arm_q[issue_row_i][2:0] == 3'(issue_arm_i);
  end
  assign cylinder_1_o = cylinder_1_q;
  assign head_1_o = head_1_q;
  assign class_1_o = kind_1_q[1:0];
  assign stack_1_o = kind_1_q[4:2];
  assign angle_1_o = angle_1_q;

  always_comb begin
    write_11_o = 1'b0;
    reserved_11_o = 1'b0;
    ages_11_o = 1'b0;
    committed_11_o = '0;
    if (valid_11_i) begin
      write_11_o = kind_q[row_11_i][0];
      reserved_11_o = arm_q[row_11_i][3];
      ages_11_o = kind_q[row_11_i][2:1] == 2'd0;
      committed_11_o = committed_q[row_11_i];
    end
  end
  always_comb begin
    angle_12_o = '0;
    length_12_o = '0;
    if (valid_12_i) begin
      angle_12_o = angle_q[row_12_i];
      length_12_o = length_q[row_12_i];
    end
  end
  always_comb begin
    length_best_o = '0;
    cylinder_best_o = '0;
    head_best_o = '0;
    write_best_o = 1'b0;
    angle_best_o = '0;
    if (valid_best_i) begin
      length_best_o = length_q[row_best_i];
      cylinder_best_o = cylinder_q[row_best_i];
      head_best_o = head_q[row_best_i];
      write_best_o = kind_q[row_best_i][0];
      angle_best_o = angle_q[row_best_i];
    end
  end
  always_comb begin
    rides_o = '0;
    if (COST_MODEL == 1) begin
      for (int unsigned i = 0; i < ROWS; i++) begin
        rides_o[i] = cylinder_q[i] == ride_cylinder_i && angle_q[i] == ride_row_i &&
                     head_q[i] >= ride_first_i && head_q[i] <= ride_last_i;
      end
    end
  end
  always_comb begin
    sequence_13_o = '0;
    if (valid_13_i) sequence_13_o = sequence_q[row_13_i];
  end
endmodule
