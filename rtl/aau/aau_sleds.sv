// Where the sleds leave (COST_MODEL 1), as it was at the beginning of the decision, and the arm's side of the pipeline.
module aau_sleds #(
  parameter int unsigned ARMS = 8,
  parameter int unsigned ARM_BITS = 3
) (
  input  logic                clk,
  input  logic                active_i,
  input  logic                begin_i,  // a decision begins at the next edge
  input  logic [ARMS*16-1:0]  x_i,
  input  logic [ARMS*16-1:0]  y_i,
  input  logic [ARMS-1:0]     up_i,
  input  logic [ARMS*32-1:0]  turn_i,
  input  logic [ARMS*32-1:0]  leaves_i,

  input  logic [ARM_BITS-1:0] arm_i,  // at the entrance
  output logic [15:0]         x_2_o,
  output logic [15:0]         y_2_o,
  output logic                up_8_o,
  output logic [31:0]         turn_8_o,
  output logic [31:0]         leaves_11_o
);
  logic [ARMS*16-1:0] x_q, y_q;
  logic [ARMS-1:0] up_q;
  logic [ARMS*32-1:0] turn_q, leaves_q;

  always_ff @(posedge clk) begin
    if (begin_i) begin
      x_q <= x_i;
      y_q <= y_i;
      up_q <= up_i;
      turn_q <= turn_i;
      leaves_q <= leaves_i;
    end
  end

  logic [11*ARM_BITS-1:0] arms_q;  // of stages 1 to 11, stage 1 lowest
  logic [ARM_BITS-1:0] arm_2, arm_8, arm_11;
  always_ff @(posedge clk) begin
    if (active_i) arms_q <= {arms_q[10*ARM_BITS-1:0], arm_i};
  end
  assign arm_2 = arms_q[1*ARM_BITS+:ARM_BITS];
  assign arm_8 = arms_q[7*ARM_BITS+:ARM_BITS];
  assign arm_11 = arms_q[10*ARM_BITS+:ARM_BITS];

  assign x_2_o = x_q[arm_2*16+:16];
  assign y_2_o = y_q[arm_2*16+:16];
  assign up_8_o = up_q[arm_8];
  assign turn_8_o = turn_q[arm_8*32+:32];
  assign leaves_11_o = leaves_q[arm_11*32+:32];
endmodule
