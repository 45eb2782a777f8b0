// The pending grant, its estimate and the interrupt.
module aau_grant #(
  parameter int unsigned ANGLE_BITS = 16,
  parameter int unsigned SLOT_BITS = 5,
  parameter int unsigned ARM_BITS = 3
) (
  input  logic                         clk,
  input  logic                         rst_n,
  input  logic                         load_i,
  input  logic [SLOT_BITS-1:0]         slot_i,
  input  logic [ARM_BITS-1:0]          arm_i,
  input  logic [1:0]                   head_i,
  input  logic                         class_i,  // of the arm, as in the decision: what touches it abandons that
  input  logic [aau_pkg::TimeBits-1:0] time_i,
  input  logic [ANGLE_BITS-1:0]        elapsed_i,  // of the winner's stack since the decision began, in ticks
  input  logic                         ack_i,
  input  logic                         withdraw_all_i,
  input  logic                         inten_i,
  output logic                         pending_o,
  output logic [ARM_BITS-1:0]          arm_o,
  output logic                         irq_o,
  output logic [31:0]                  grant_o,
  output logic [31:0]                  estimate_o
);
  localparam int unsigned TimeBits = aau_pkg::TimeBits;

  logic valid_q;
  logic [SLOT_BITS-1:0] slot_q;
  logic [ARM_BITS-1:0] arm_q;
  logic [1:0] head_q;
  logic class_q;
  logic [TimeBits-1:0] estimate_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      valid_q <= 1'b0;
      slot_q <= '0;
      arm_q <= '0;
      head_q <= '0;
      class_q <= 1'b0;
      estimate_q <= '0;
    end else if (load_i) begin
      valid_q <= 1'b1;
      slot_q <= slot_i;
      arm_q <= arm_i;
      head_q <= head_i;
      class_q <= class_i;
      estimate_q <= time_i > TimeBits'(elapsed_i) ? time_i - TimeBits'(elapsed_i) : '0;
    end else if (ack_i || withdraw_all_i) begin
      valid_q <= 1'b0;
    end
  end

  assign pending_o = valid_q;
  assign arm_o = arm_q;
  assign irq_o = valid_q && inten_i;
  always_comb begin
    grant_o = '0;
    grant_o[aau_regs_pkg::GrantSlotLsb+:SLOT_BITS] = slot_q;
    grant_o[aau_regs_pkg::GrantArmLsb+:ARM_BITS] = arm_q;
    grant_o[aau_regs_pkg::GrantHeadLsb+:aau_regs_pkg::GrantHeadWidth] = head_q;
    grant_o[aau_regs_pkg::GrantArmClassLsb] = class_q;
    grant_o[aau_regs_pkg::GrantValidLsb] = valid_q;
  end
  assign estimate_o = 32'(estimate_q);
endmodule
