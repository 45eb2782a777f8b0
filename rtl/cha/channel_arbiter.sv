// Channel arbiter: chooses which arm that is on its track gets a free data channel. docs/guide/arm-arbitration.md
//
// A decision starts at the edge after the one behind which a request, a free channel and no pending grant meet (s); it
// samples the stacks' angles there and loads the grant four edges later (g = s + 4). A write captured at an edge from s
// to g abandons it, unless it cannot change the outcome: `inten`, and `request` of an arm that did not ask at s.
//
// Stages behind s:  1  wait of each arm: (request angle - stack's angle - margin) modulo a revolution
//                   2  the lesser of each pair of arms     3  the least of the four     4  grant
// The margin is added to every wait alike, so it is left out of what is compared.
module channel_arbiter #(
    parameter int unsigned ARMS       = 8,  // 1 to 8
    parameter int unsigned CHANNELS   = 8,  // 1 to 8
    parameter int unsigned STACKS     = 8,  // 1 to 8; a request of a stack beyond them sees the angle 0
    parameter int unsigned ANGLE_BITS = 16  // 1 to 16; register bits beyond them read 0
) (
    input logic clk,
    input logic rst_n,

    input  logic        psel,
    input  logic        penable,
    input  logic        pwrite,
    input  logic [15:0] paddr,
    input  logic [31:0] pwdata,
    output logic [31:0] prdata,
    output logic        pready,
    output logic        pslverr,  // no such register, or an arm or channel that this instance lacks; nothing happens

    input logic [STACKS*ANGLE_BITS-1:0] angle,  // of each stack at this edge

    output logic irq,
    output logic idle  // the clock may stop until the next transfer on the bus
);

  localparam int unsigned A = ANGLE_BITS;
  // Everything below is as wide as the register map; what an instance lacks is constant.
  localparam int unsigned MaxArms = 8;
  localparam int unsigned MaxChannels = 8;
  localparam int unsigned MaxStacks = 8;

  // --- State ---------------------------------------------------------------------------------------------------------

  logic enable_q, policy_q, inten_q;
  logic [A-1:0] margin_q;
  logic [MaxChannels-1:0] free_q;
  logic [MaxArms-1:0] valid_q;
  logic [MaxArms*A-1:0] angle_q;
  logic [MaxArms*3-1:0] stack_q;
  logic [MaxArms*MaxArms-1:0] order_q;  // [i*8+j], i < j: arm i asked before arm j
  logic grant_valid_q;
  logic [2:0] grant_arm_q, grant_channel_q;

  logic [2:0] phase_q;  // edges since s; 0: no decision
  logic [MaxArms-1:0] asked_q;  // at s
  logic [MaxArms*A-1:0] index_q;  // angle of each arm's stack at s
  logic [MaxArms-1:0] candidate_q;
  logic [MaxArms*A-1:0] wait_q;
  logic [3:0] pair_valid_q;
  logic [4*A-1:0] pair_wait_q;
  logic [4*3-1:0] pair_arm_q;
  logic [2:0] winner_q;

  // --- Bus -----------------------------------------------------------------------------------------------------------

  logic [31:0] address;
  logic [31:0] request_word;  // number of the word in `request`
  logic at_ctrl, at_intstat, at_inten, at_grant, at_grant_ack, at_margin, at_free, at_channels, at_request;
  logic known, no_channel, write;
  logic [2:0] arm;  // that a write of `request` names

  assign address = {16'b0, paddr};
  assign at_ctrl = address == cha_regs_pkg::CtrlOffset;
  assign at_intstat = address == cha_regs_pkg::IntstatOffset;
  assign at_inten = address == cha_regs_pkg::IntenOffset;
  assign at_grant = address == cha_regs_pkg::GrantOffset;
  assign at_grant_ack = address == cha_regs_pkg::GrantAckOffset;
  assign at_margin = address == cha_regs_pkg::MarginOffset;
  assign at_free = address == cha_regs_pkg::FreeOffset;
  assign at_channels = address == cha_regs_pkg::ChannelsOffset;
  assign request_word = (address - cha_regs_pkg::RequestOffset) >> 2;
  assign at_request = address[1:0] == 2'b00 && address >= cha_regs_pkg::RequestOffset && request_word < ARMS;
  assign arm = request_word[2:0];

  assign known = at_ctrl || at_intstat || at_inten || at_grant || at_grant_ack || at_margin || at_free ||
                 at_channels || at_request;
  assign no_channel = pwrite && at_free && {29'b0, pwdata[2:0]} >= CHANNELS;
  assign pready = 1'b1;
  assign pslverr = psel && penable && (!known || no_channel);
  assign write = psel && penable && pwrite && known && !no_channel;

  always_comb begin
    prdata = '0;
    unique case (1'b1)
      at_ctrl: begin
        prdata[cha_regs_pkg::CtrlEnableLsb] = enable_q;
        prdata[cha_regs_pkg::CtrlPolicyLsb] = policy_q;
      end
      at_intstat: prdata[cha_regs_pkg::IntstatGrantLsb] = grant_valid_q;
      at_inten: prdata[cha_regs_pkg::IntenGrantLsb] = inten_q;
      at_grant: begin
        prdata[cha_regs_pkg::GrantArmLsb+:3] = grant_arm_q;
        prdata[cha_regs_pkg::GrantChannelLsb+:3] = grant_channel_q;
        prdata[cha_regs_pkg::GrantValidLsb] = grant_valid_q;
      end
      at_margin: prdata[cha_regs_pkg::MarginTicksLsb+:A] = margin_q;
      at_channels: prdata[cha_regs_pkg::ChannelsChannelsLsb+:MaxChannels] = free_q;
      at_request: begin
        prdata[cha_regs_pkg::RequestAngleLsb+:A] = angle_q[arm*A+:A];
        prdata[cha_regs_pkg::RequestStackLsb+:3] = stack_q[arm*3+:3];
        prdata[cha_regs_pkg::RequestValidLsb] = valid_q[arm];
      end
      default: prdata = '0;
    endcase
  end

  // --- Decision ------------------------------------------------------------------------------------------------------

  logic can_start, touch, start, grant, clear;
  logic [2:0] phase_d;

  assign can_start = phase_q == 3'd0 && enable_q && !grant_valid_q && valid_q != '0 && free_q != '0;
  assign touch = write && !at_inten && !(at_request && !(phase_q == 3'd0 ? valid_q[arm] : asked_q[arm]));
  assign start = can_start && !touch;
  assign grant = phase_q == 3'd4 && !touch;
  assign clear = write && at_ctrl && pwdata[cha_regs_pkg::CtrlClearLsb];

  always_comb begin
    phase_d = 3'd0;
    if (start) phase_d = 3'd1;
    else if (phase_q != 3'd0 && !touch && !grant) phase_d = phase_q + 3'd1;
  end

  // Which request is the oldest of those at s. Meanwhile only arms that did not ask can change their place.
  logic [MaxArms-1:0] oldest;
  always_comb begin
    oldest = asked_q;
    for (int i = 0; i < MaxArms; i++) begin
      for (int j = 0; j < MaxArms; j++) begin
        if (i < j) begin
          if (asked_q[j] && !order_q[i*MaxArms+j]) oldest[i] = 1'b0;
        end else if (i > j) begin
          if (asked_q[j] && order_q[j*MaxArms+i]) oldest[i] = 1'b0;
        end
      end
    end
  end

  logic [MaxStacks*A-1:0] stack_angle;
  always_comb begin
    stack_angle = '0;
    stack_angle[STACKS*A-1:0] = angle;
  end

  // Ties go to the lower arm: the upper one of two has to be less.
  logic [3:0] upper;
  always_comb begin
    for (int p = 0; p < 4; p++) begin
      upper[p] = candidate_q[2*p+1] && (!candidate_q[2*p] || wait_q[(2*p+1)*A+:A] < wait_q[2*p*A+:A]);
    end
  end

  logic semi_upper0, semi_upper1, final_upper, semi_valid0, semi_valid1;
  logic [A-1:0] semi_wait0, semi_wait1;
  assign semi_upper0 = pair_valid_q[1] && (!pair_valid_q[0] || pair_wait_q[1*A+:A] < pair_wait_q[0*A+:A]);
  assign semi_upper1 = pair_valid_q[3] && (!pair_valid_q[2] || pair_wait_q[3*A+:A] < pair_wait_q[2*A+:A]);
  assign semi_valid0 = pair_valid_q[0] || pair_valid_q[1];
  assign semi_valid1 = pair_valid_q[2] || pair_valid_q[3];
  assign semi_wait0 = semi_upper0 ? pair_wait_q[1*A+:A] : pair_wait_q[0*A+:A];
  assign semi_wait1 = semi_upper1 ? pair_wait_q[3*A+:A] : pair_wait_q[2*A+:A];
  assign final_upper = semi_valid1 && (!semi_valid0 || semi_wait1 < semi_wait0);

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      asked_q <= '0;
      index_q <= '0;
      candidate_q <= '0;
      wait_q <= '0;
      pair_valid_q <= '0;
      pair_wait_q <= '0;
      pair_arm_q <= '0;
      winner_q <= '0;
    end else begin
      if (start) begin
        asked_q <= valid_q;
        for (int i = 0; i < MaxArms; i++) index_q[i*A+:A] <= stack_angle[stack_q[i*3+:3]*A+:A];
      end
      if (phase_q == 3'd1) begin
        candidate_q <= policy_q ? asked_q : oldest;
        for (int i = 0; i < MaxArms; i++) wait_q[i*A+:A] <= angle_q[i*A+:A] - index_q[i*A+:A] - margin_q;
      end
      if (phase_q == 3'd2) begin
        for (int p = 0; p < 4; p++) begin
          pair_valid_q[p] <= candidate_q[2*p] || candidate_q[2*p+1];
          pair_wait_q[p*A+:A] <= upper[p] ? wait_q[(2*p+1)*A+:A] : wait_q[2*p*A+:A];
          pair_arm_q[p*3+:3] <= {p[1:0], upper[p]};
        end
      end
      if (phase_q == 3'd3) begin
        if (final_upper) winner_q <= semi_upper1 ? pair_arm_q[3*3+:3] : pair_arm_q[2*3+:3];
        else winner_q <= semi_upper0 ? pair_arm_q[1*3+:3] : pair_arm_q[0*3+:3];
      end
    end
  end

  logic [2:0] channel;  // the lowest free one
  always_comb begin
    channel = 3'd0;
    for (int c = MaxChannels - 1; c >= 0; c--) if (free_q[c]) channel = c[2:0];
  end

  // --- Registers -----------------------------------------------------------------------------------------------------

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      enable_q <= 1'b0;
      policy_q <= 1'b0;
      inten_q <= 1'b0;
      margin_q <= '0;
      free_q <= '0;
      valid_q <= '0;
      angle_q <= '0;
      stack_q <= '0;
      order_q <= '0;
      grant_valid_q <= 1'b0;
      grant_arm_q <= '0;
      grant_channel_q <= '0;
      phase_q <= '0;
    end else begin
      phase_q <= phase_d;

      if (grant) begin
        grant_valid_q <= 1'b1;
        grant_arm_q <= winner_q;
        grant_channel_q <= channel;
        valid_q[winner_q] <= 1'b0;
        free_q[channel] <= 1'b0;
      end

      if (write && at_ctrl) begin
        enable_q <= pwdata[cha_regs_pkg::CtrlEnableLsb];
        policy_q <= pwdata[cha_regs_pkg::CtrlPolicyLsb];
      end
      if (write && at_inten) inten_q <= pwdata[cha_regs_pkg::IntenGrantLsb];
      if (write && at_grant_ack && pwdata[cha_regs_pkg::GrantAckAckLsb]) grant_valid_q <= 1'b0;
      if (write && at_margin) margin_q <= pwdata[cha_regs_pkg::MarginTicksLsb+:A];
      if (write && at_free) free_q[pwdata[cha_regs_pkg::FreeChannelLsb+:3]] <= 1'b1;
      if (write && at_request) begin
        angle_q[arm*A+:A] <= pwdata[cha_regs_pkg::RequestAngleLsb+:A];
        stack_q[arm*3+:3] <= pwdata[cha_regs_pkg::RequestStackLsb+:3];
        valid_q[arm] <= pwdata[cha_regs_pkg::RequestValidLsb];
        if (pwdata[cha_regs_pkg::RequestValidLsb]) begin
          for (int i = 0; i < ARMS; i++) begin
            if (i < {29'b0, arm}) order_q[i*MaxArms+{29'b0, arm}] <= 1'b1;
            else if (i > {29'b0, arm}) order_q[{29'b0, arm}*MaxArms+i] <= 1'b0;
          end
        end
      end
      if (clear) begin
        valid_q <= '0;
        free_q <= '0;
        grant_valid_q <= 1'b0;
      end
    end
  end

  assign irq = grant_valid_q && inten_q;
  assign idle = phase_q == 3'd0 && !can_start;

`ifndef SYNTHESIS
`ifndef FORMAL
  `include "channel_arbiter_assertions.svh"
`endif
`endif
`ifdef FORMAL
  `include "channel_arbiter_formal.svh"
`endif

endmodule
