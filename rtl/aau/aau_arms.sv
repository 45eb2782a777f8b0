// The arms: where they are or will be, how they are mounted, what they reach, which are idle, in service and moving, which wrote; the heads'
// offsets, and which of them may be used. For the pipeline it gives the arm's side of a row of candidates.
module aau_arms #(
  parameter int unsigned ARMS = 8,
  parameter int unsigned HEADS = 4,
  parameter int unsigned CLASSES = 2,
  parameter int unsigned STACKS = 8,
  parameter int unsigned CYL_BITS = 23,
  parameter int unsigned ANGLE_BITS = 16,
  parameter int unsigned ARM_BITS = 3
) (
  input  logic                         clk,
  input  logic                         rst_n,

  // Bus.
  input  logic [15:0]                  paddr_i,
  input  logic                         write_arm_i,
  input  logic                         write_mount_i,
  input  logic                         write_reach_i,
  input  logic                         write_head_offset_i,
  input  logic                         write_head_angle_i,
  input  logic                         write_head_mask_i,
  input  logic                         write_arrived_i,
  input  logic                         write_wrote_i,
  input  logic                         withdraw_all_i,
  input  logic [31:0]                  pwdata_i,
  input  logic                         read_i,
  output logic [31:0]                  rdata_o,

  // The grant: loaded at the next edge; pending.
  input  logic                         grant_load_i,
  input  logic [ARM_BITS-1:0]          grant_load_arm_i,
  output logic                         grant_load_class_o,
  input  logic                         pending_i,
  input  logic [ARM_BITS-1:0]          pending_arm_i,

  output logic [7:0]                   idle_o,
  output logic [7:0]                   in_service_o,
  output logic [7:0]                   moving_o,
  output logic [7:0]                   wrote_o,

  // Where the grant's arm goes, and from when on arms in service are free: in the decision under way.
  input  logic [CYL_BITS-1:0]          grant_load_cylinder_i,  // of the slot
  input  logic [7:0]                   grant_load_surface_i,
  input  logic                         grant_load_write_i,
  input  logic [1:0]                   grant_load_head_i,
  input  logic [7:0]                   free_i,
  input  logic [8*aau_pkg::AheadBits-1:0] free_at_i,

  // Pipeline: stage 1 is loaded from the arm and head at the entrance, stage 12 from those of stage 11.
  input  logic                         issue_i,
  input  logic [ARM_BITS-1:0]          issue_arm_i,
  input  logic [1:0]                   issue_head_i,
  input  logic [STACKS-1:0]            turning_i,  // at the beginning of the decision, as the angles
  input  logic [STACKS*ANGLE_BITS-1:0] angle_i,
  output logic [7:0]                   head_1_o,
  output logic [23:0]                  offset_1_o,  // cylinders, signed
  output logic [31:0]                  usable_1_o,  // the head on surface first + bit
  output logic [2:0]                   stack_1_o,
  output logic                         turns_1_o,  // the arm's stack; not if it is in service for too long
  output logic [7:0]                   pending_first_o,  // tracks of the sled that is granted
  output logic [7:0]                   pending_last_o,
  output logic [7:0]                   first_1_o,
  output logic [7:0]                   last_1_o,
  input  logic                         valid_1_i,
  output logic [CYL_BITS-1:0]          cylinder_2_o,
  output logic                         class_3_o,
  input  logic                         valid_11_i,
  input  logic [ARM_BITS-1:0]          arm_11_i,
  input  logic [1:0]                   head_11_i,
  output logic                         busy_11_o,   // the arm is in service; combinational, as is the next one
  output logic [aau_pkg::FreeBits-1:0] free_11_o,   // ticks until it is free
  output logic                         wrote_11_o,  // its last access is a write
  output logic [ANGLE_BITS-1:0]        phase_12_o,  // a sector of angle 0 comes under the head in this many ticks
  // Angle now of the stack of the winner, and at the beginning.
  input  logic [STACKS*ANGLE_BITS-1:0] angle_now_i,
  output logic [ANGLE_BITS-1:0]        elapsed_o,
  output logic [2:0]                   winner_stack_o
);
  logic [CYL_BITS-1:0]   cylinder_q [ARMS];
  logic [7:0]            head_q [ARMS];
  logic [CYL_BITS-1:0]   next_cylinder_q [ARMS];  // where its last grant takes it
  logic [7:0]            next_head_q [ARMS];
  logic [ANGLE_BITS-1:0] mount_angle_q [ARMS];
  logic [2:0]            stack_q [ARMS];
  logic                  class_q [ARMS];
  logic [7:0]            first_q [ARMS];
  logic [7:0]            last_q [ARMS];
  logic [23:0]           offset_q [HEADS];
  logic [ANGLE_BITS-1:0] head_angle_q [HEADS];
  logic [31:0]           usable_q [ARMS*HEADS];  // arm * HEADS + head
  logic [ARMS-1:0]       idle_q, in_service_q, moving_q, wrote_q;

  localparam int unsigned OffsetBits = HEADS > 1 ? $clog2(HEADS) : 1;
  localparam int unsigned StackBits = STACKS > 1 ? $clog2(STACKS) : 1;

  localparam int unsigned MaskBits = ARMS * HEADS > 1 ? $clog2(ARMS * HEADS) : 1;

  function automatic logic [MaskBits-1:0] mask_of(input logic [2:0] of_arm, input logic [1:0] of_head);
    mask_of = MaskBits'(32'(of_arm) * HEADS + 32'(of_head));
  endfunction

  logic [ARM_BITS-1:0] arm;
  logic [OffsetBits-1:0] offset;
  logic [MaskBits-1:0] mask;
  assign arm = paddr_i[2+:ARM_BITS];
  assign offset = paddr_i[2+:OffsetBits];
  assign mask = mask_of(paddr_i[6:4], paddr_i[3:2]);

  assign grant_load_class_o = class_q[grant_load_arm_i] && CLASSES > 1;

  // ---- Registers -------------------------------------------------------------------------------------------------

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < ARMS; i++) begin
        cylinder_q[i] <= '0;
        head_q[i] <= '0;
        mount_angle_q[i] <= '0;
        stack_q[i] <= '0;
        class_q[i] <= 1'b0;
        first_q[i] <= '0;
        last_q[i] <= '1;
      end
    end else begin
      if (write_arm_i) begin
        cylinder_q[arm] <= pwdata_i[aau_regs_pkg::ArmCylinderLsb+:CYL_BITS];
        head_q[arm] <= pwdata_i[aau_regs_pkg::ArmHeadLsb+:aau_regs_pkg::ArmHeadWidth];
      end
      if (write_mount_i) begin
        mount_angle_q[arm] <= pwdata_i[aau_regs_pkg::ArmMountAngleLsb+:ANGLE_BITS];
        stack_q[arm] <= pwdata_i[aau_regs_pkg::ArmMountStackLsb+:aau_regs_pkg::ArmMountStackWidth];
        class_q[arm] <= pwdata_i[aau_regs_pkg::ArmMountArmClassLsb];
      end
      if (write_reach_i) begin
        first_q[arm] <= pwdata_i[aau_regs_pkg::ArmReachFirstLsb+:aau_regs_pkg::ArmReachFirstWidth];
        last_q[arm] <= pwdata_i[aau_regs_pkg::ArmReachLastLsb+:aau_regs_pkg::ArmReachLastWidth];
      end
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < ARMS; i++) begin
        next_cylinder_q[i] <= '0;
        next_head_q[i] <= '0;
      end
    end else if (grant_load_i) begin
      next_cylinder_q[grant_load_arm_i] <=
          grant_load_cylinder_i - CYL_BITS'(offset_q[grant_load_head_i[OffsetBits-1:0]]);
      next_head_q[grant_load_arm_i] <= grant_load_surface_i;
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < HEADS; i++) begin
        offset_q[i] <= '0;
        head_angle_q[i] <= '0;
      end
    end else begin
      if (write_head_offset_i) begin
        offset_q[offset] <= pwdata_i[aau_regs_pkg::HeadOffsetCylindersLsb+:aau_regs_pkg::HeadOffsetCylindersWidth];
      end
      if (write_head_angle_i) head_angle_q[offset] <= pwdata_i[aau_regs_pkg::HeadAngleAngleLsb+:ANGLE_BITS];
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      for (int unsigned i = 0; i < ARMS * HEADS; i++) usable_q[i] <= '1;
    end else if (write_head_mask_i) begin
      usable_q[mask] <= pwdata_i[aau_regs_pkg::HeadMaskSurfacesLsb+:aau_regs_pkg::HeadMaskSurfacesWidth];
    end
  end

  // A grant is loaded over an arrival captured with it: that one was of an earlier move.
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      idle_q <= '0;
      in_service_q <= '0;
      moving_q <= '0;
    end else begin
      if (write_arrived_i) moving_q <= moving_q & ~pwdata_i[aau_regs_pkg::ArrivedArmsLsb+:ARMS];
      if (write_arm_i) begin
        idle_q[arm] <= pwdata_i[aau_regs_pkg::ArmIdleLsb];
        in_service_q[arm] <= 1'b0;
        moving_q[arm] <= 1'b0;
      end
      if (grant_load_i) begin
        idle_q[grant_load_arm_i] <= 1'b0;
        in_service_q[grant_load_arm_i] <= 1'b1;
        moving_q[grant_load_arm_i] <= 1'b1;
      end
      if (withdraw_all_i && pending_i) begin
        idle_q[pending_arm_i] <= 1'b1;
        in_service_q[pending_arm_i] <= 1'b0;
        moving_q[pending_arm_i] <= 1'b0;
      end
    end
  end

  // A write of the register abandons a decision: it never meets a grant.
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) wrote_q <= '0;
    else if (write_wrote_i && 32'(pwdata_i[aau_regs_pkg::WroteArmLsb+:aau_regs_pkg::WroteArmWidth]) < ARMS)
      wrote_q[pwdata_i[aau_regs_pkg::WroteArmLsb+:ARM_BITS]] <= pwdata_i[aau_regs_pkg::WroteHeldLsb];
    else if (grant_load_i) wrote_q[grant_load_arm_i] <= grant_load_write_i;
  end

  assign idle_o = 8'(idle_q);
  assign in_service_o = 8'(in_service_q);
  assign moving_o = 8'(moving_q);
  assign wrote_o = 8'(wrote_q);

  // The tables by falling address; what lies outside them is not read.
  logic [31:0] address;
  assign address = {16'h0, paddr_i};

  always_comb begin
    rdata_o = '0;
    if (read_i) begin
      if (address >= aau_regs_pkg::HeadMaskOffset) begin
        rdata_o[aau_regs_pkg::HeadMaskSurfacesLsb+:aau_regs_pkg::HeadMaskSurfacesWidth] = usable_q[mask];
      end else if (address >= aau_regs_pkg::HeadAngleOffset) begin
        rdata_o[aau_regs_pkg::HeadAngleAngleLsb+:ANGLE_BITS] = head_angle_q[offset];
      end else if (address >= aau_regs_pkg::HeadOffsetOffset) begin
        rdata_o[aau_regs_pkg::HeadOffsetCylindersLsb+:aau_regs_pkg::HeadOffsetCylindersWidth] = offset_q[offset];
      end else if (address >= aau_regs_pkg::ArmReachOffset) begin
        rdata_o[aau_regs_pkg::ArmReachFirstLsb+:aau_regs_pkg::ArmReachFirstWidth] = first_q[arm];
        rdata_o[aau_regs_pkg::ArmReachLastLsb+:aau_regs_pkg::ArmReachLastWidth] = last_q[arm];
      end else if (address >= aau_regs_pkg::ArmMountOffset) begin
        rdata_o[aau_regs_pkg::ArmMountAngleLsb+:ANGLE_BITS] = mount_angle_q[arm];
        rdata_o[aau_regs_pkg::ArmMountStackLsb+:aau_regs_pkg::ArmMountStackWidth] = stack_q[arm];
        rdata_o[aau_regs_pkg::ArmMountArmClassLsb] = class_q[arm];
      end else begin
        rdata_o[aau_regs_pkg::ArmCylinderLsb+:CYL_BITS] = cylinder_q[arm];
        rdata_o[aau_regs_pkg::ArmHeadLsb+:aau_regs_pkg::ArmHeadWidth] = head_q[arm];
        rdata_o[aau_regs_pkg::ArmIdleLsb] = idle_q[arm];
      end
    end
  end

  // ---- Pipeline --------------------------------------------------------------------------------------------------

  logic [CYL_BITS-1:0] cylinder_1_q;
  logic [7:0] head_1_q, first_1_q, last_1_q;
  logic [23:0] offset_1_q;
  logic [31:0] usable_1_q;
  logic [2:0] stack_1_q;
  logic [CYL_BITS-1:0] cylinder_2_q;
  logic busy_1_q;
  logic [ARM_BITS-1:0] arm_1_q;
  logic turns_1_q, class_1_q, class_2_q, class_3_q;
  logic [ANGLE_BITS-1:0] phase_12_q;

  always_ff @(posedge clk) begin
    if (issue_i) begin
      cylinder_1_q <= idle_q[issue_arm_i] ? cylinder_q[issue_arm_i] : next_cylinder_q[issue_arm_i];
      head_1_q <= idle_q[issue_arm_i] ? head_q[issue_arm_i] : next_head_q[issue_arm_i];
      busy_1_q <= !idle_q[issue_arm_i];
      arm_1_q <= issue_arm_i;
      first_1_q <= first_q[issue_arm_i];
      last_1_q <= last_q[issue_arm_i];
      stack_1_q <= stack_q[issue_arm_i];
      class_1_q <= class_q[issue_arm_i] && CLASSES > 1;
      turns_1_q <= 32'(stack_q[issue_arm_i]) < STACKS && turning_i[stack_q[issue_arm_i][StackBits-1:0]];
      offset_1_q <= offset_q[issue_head_i[OffsetBits-1:0]];
      usable_1_q <= usable_q[mask_of(3'(issue_arm_i), issue_head_i)];
    end
    if (valid_1_i) cylinder_2_q <= cylinder_1_q;
    class_2_q <= class_1_q;
    class_3_q <= class_2_q;
    if (valid_11_i) begin
      phase_12_q <= mount_angle_q[arm_11_i] + head_angle_q[head_11_i[OffsetBits-1:0]] -
                    angle_i[stack_q[arm_11_i][StackBits-1:0]*ANGLE_BITS+:ANGLE_BITS];
    end
  end

  assign head_1_o = head_1_q;
  assign pending_first_o = first_q[pending_arm_i];
  assign pending_last_o = last_q[pending_arm_i];
  assign first_1_o = first_1_q;
  assign last_1_o = last_1_q;
  assign stack_1_o = stack_1_q;
  assign cylinder_2_o = cylinder_2_q;
  assign class_3_o = class_3_q;
  assign turns_1_o = turns_1_q && (!busy_1_q || free_i[3'(arm_1_q)]);
  assign busy_11_o = !idle_q[arm_11_i];
  assign free_11_o = busy_11_o ? free_at_i[3'(arm_11_i)*aau_pkg::AheadBits+:aau_pkg::FreeBits] : '0;
  assign wrote_11_o = wrote_q[arm_11_i];
  assign offset_1_o = offset_1_q;
  assign usable_1_o = usable_1_q;
  assign phase_12_o = phase_12_q;

  assign winner_stack_o = stack_q[grant_load_arm_i];
  always_comb begin
    elapsed_o = '0;
    if (grant_load_i) begin
      elapsed_o = angle_now_i[stack_q[grant_load_arm_i][StackBits-1:0]*ANGLE_BITS+:ANGLE_BITS] -
                  angle_i[stack_q[grant_load_arm_i][StackBits-1:0]*ANGLE_BITS+:ANGLE_BITS];
    end
  end
endmodule
