// APB port and the registers that belong to the whole unit. Slots, arms and the pending grant hold their own; this
// block decodes for them. A transfer never waits. Reads are combinational and change nothing.
module aau_registers #(
  parameter int unsigned SLOTS = 32,
  parameter int unsigned ARMS = 8,
  parameter int unsigned HEADS = 4,
  parameter int unsigned CLASSES = 2,
  parameter int unsigned CYL_BITS = 23,
  parameter int unsigned COST_MODEL = 0
) (
  input  logic                clk,
  input  logic                rst_n,
  input  logic                psel_i,
  input  logic                penable_i,
  input  logic                pwrite_i,
  input  logic [15:0]         paddr_i,
  input  logic [31:0]         pwdata_i,
  output logic [31:0]         prdata_o,
  output logic                pslverr_o,

  // A write that the next edge captures: any; of a register on which every decision depends; of which table.
  output logic                write_any_o,
  output logic                write_common_o,
  output logic                write_arm_o,
  output logic                write_mount_o,
  output logic                write_reach_o,
  output logic                write_head_offset_o,
  output logic                write_head_angle_o,
  output logic                write_head_mask_o,
  output logic                write_slot_arm_o,
  output logic                write_target_o,
  output logic                write_commit_o,
  output logic                write_seek_time_o,
  output logic                write_appointment_o,
  output logic                write_postpone_o,
  output logic                write_wrote_o,
  output logic                write_arrived_o,
  output logic                write_withdraw_o,
  output logic                write_ack_o,
  output logic                withdraw_all_o,

  // What the other blocks read for the bus.
  input  logic [31:0]         arms_rdata_i,
  input  logic [31:0]         slots_rdata_i,
  input  logic [31:0]         rides_rdata_i,
  input  logic [31:0]         grant_i,
  input  logic [31:0]         estimate_i,
  input  logic [15:0]         work_i,
  input  logic [7:0]          wrote_i,
  input  logic                withdraw_waiting_i,  // the slot that pwdata names waits

  output logic                enable_o,
  output logic [2:0]          policy_o,
  output logic [3:0]          yield_o,
  output logic [4:0]          zone_o,
  output logic                inten_o,
  output logic [15:0]         margin_o,
  output logic [15:0]         head_switch_o,
  output logic [15:0]         write_settle_o,
  output logic [15:0]         ageing_o,
  output logic [15:0]         reposition_o,
  output logic [3:0]          max_in_service_o,
  output logic [3:0]          max_moving_o,
  output logic [1:0]          heads_o,
  output logic [7:0]          arm_mask_o,
  output logic [CYL_BITS-1:0] stroke_o,
  output logic [3:0]          channels_o,
  output logic [15:0]         gap_o,
  output logic [7:0]          seek_entry_o,
  output logic                seek_class_o,
  output logic [23:0]         seek_distance_o,
  output logic [39:0]         seek_slope_o,
  output logic [2*9-1:0]      seek_entries_o  // of class 0 and of class 1
);
  logic [3:0]  limits_in_service_q, limits_moving_q;
  logic [1:0]  limits_heads_q;
  logic        enable_q;
  logic [2:0]  policy_q;
  logic [3:0]  yield_q;
  logic [4:0]  zone_q;
  logic        inten_q;
  logic [15:0] margin_q, head_switch_q, write_settle_q, ageing_q, reposition_q;
  logic [7:0]  seek_entry_q;
  logic [23:0] seek_distance_q;
  logic [39:0] seek_slope_q;
  logic        seek_class_q;
  logic [8:0]  seek_entries_0_q, seek_entries_1_q;
  logic [7:0]  arm_mask_q;
  logic [9:0]  withdraw_slot_q;
  logic        too_late_q;
  logic [CYL_BITS-1:0] stroke_q;
  logic [3:0]  channels_q;
  logic [15:0] gap_q;

  // ---- Decode ----------------------------------------------------------------------------------------------------

  logic [31:0] address;
  assign address = {16'h0, paddr_i};

  function automatic logic lies(input logic [31:0] place, input logic [31:0] first, input logic [31:0] count);
    lies = place >= first && place < first + 4 * count;
  endfunction

  // The unit's registers lie together, without a hole.
  localparam int unsigned UnitCount = aau_regs_pkg::PostponeOffset / 4 + 1;

  logic in_unit, in_arm, in_mount, in_reach, in_offset, in_angle, in_ride_along, in_mask, in_slot_arm, in_target,
        in_commit, decodes;
  assign in_unit = lies(address, aau_regs_pkg::CtrlOffset, UnitCount);
  assign in_arm = lies(address, aau_regs_pkg::ArmOffset, ARMS);
  assign in_mount = lies(address, aau_regs_pkg::ArmMountOffset, ARMS);
  assign in_reach = lies(address, aau_regs_pkg::ArmReachOffset, ARMS);
  assign in_offset = lies(address, aau_regs_pkg::HeadOffsetOffset, HEADS);
  assign in_angle = lies(address, aau_regs_pkg::HeadAngleOffset, HEADS);
  assign in_ride_along = lies(address, aau_regs_pkg::RideAlongOffset, aau_regs_pkg::RideAlongCount);
  assign in_mask = lies(address, aau_regs_pkg::HeadMaskOffset, 4 * ARMS) && 32'(paddr_i[3:2]) < HEADS;
  assign in_slot_arm = lies(address, aau_regs_pkg::SlotArmOffset, SLOTS);
  assign in_target = lies(address, aau_regs_pkg::SlotTargetOffset, SLOTS);
  assign in_commit = lies(address, aau_regs_pkg::SlotCommitOffset, SLOTS);

  logic in_arms, in_heads, in_slots;  // what the arms' and the slots' blocks read
  assign in_arms = in_arm || in_mount || in_reach;
  assign in_heads = in_offset || in_angle;
  assign in_slots = in_slot_arm || in_target || in_commit;
  assign decodes = paddr_i[1:0] == 2'd0 && (in_unit || in_arms || in_heads || in_ride_along || in_mask || in_slots);

  logic write;
  assign write = psel_i && penable_i && pwrite_i && decodes;
  assign pslverr_o = psel_i && penable_i && !decodes;

  logic write_unit;
  assign write_unit = write && in_unit;
  assign write_any_o = write;
  assign write_arm_o = write && in_arm;
  assign write_mount_o = write && in_mount;
  assign write_reach_o = write && in_reach;
  assign write_head_offset_o = write && in_offset;
  assign write_head_angle_o = write && in_angle;
  assign write_head_mask_o = write && in_mask;
  assign write_slot_arm_o = write && in_slot_arm;
  assign write_target_o = write && in_target;
  assign write_commit_o = write && in_commit;
  assign write_ack_o = write_unit && address == aau_regs_pkg::GrantAckOffset && pwdata_i[aau_regs_pkg::GrantAckAckLsb];
  assign write_seek_time_o = write_unit && address == aau_regs_pkg::SeekTimeOffset;
  assign write_appointment_o = write_unit && address == aau_regs_pkg::AppointmentOffset;
  assign write_postpone_o = write_unit && address == aau_regs_pkg::PostponeOffset;
  assign write_wrote_o = write_unit && address == aau_regs_pkg::WroteOffset;
  assign write_arrived_o = write_unit && address == aau_regs_pkg::ArrivedOffset;
  assign write_withdraw_o = write_unit && address == aau_regs_pkg::WithdrawOffset;
  assign withdraw_all_o = write_unit && address == aau_regs_pkg::CtrlOffset &&
                          pwdata_i[aau_regs_pkg::CtrlWithdrawAllLsb];

  // The other blocks take an entry's number from the low bits of its address.
  if (aau_regs_pkg::ArmOffset % 32 != 0 || aau_regs_pkg::ArmMountOffset % 32 != 0 ||
      aau_regs_pkg::ArmReachOffset % 32 != 0 || aau_regs_pkg::HeadOffsetOffset % 16 != 0 ||
      aau_regs_pkg::HeadAngleOffset % 16 != 0 || aau_regs_pkg::HeadMaskOffset % 128 != 0 ||
      aau_regs_pkg::SlotArmOffset % 4096 != 0 || aau_regs_pkg::SlotTargetOffset % 4096 != 0 ||
      aau_regs_pkg::SlotCommitOffset % 4096 != 0) begin : g_aligned
    $error("a table of registers is not aligned to its size");
  end

  always_comb begin
    write_common_o = write && (in_heads || in_ride_along);
    if (write_unit) begin
      case (address)
        aau_regs_pkg::IntenOffset, aau_regs_pkg::GrantAckOffset: write_common_o = 1'b0;
        aau_regs_pkg::SeekEntryOffset, aau_regs_pkg::SeekDistanceOffset, aau_regs_pkg::SeekSlopeLoOffset,
        aau_regs_pkg::SeekSlopeHiOffset, aau_regs_pkg::SeekClassOffset: write_common_o = 1'b0;  // prepare an entry
        aau_regs_pkg::ArrivedOffset: write_common_o = limits_moving_q != 4'd0;
        aau_regs_pkg::WithdrawOffset: write_common_o = 1'b0;  // the scan asks for its slot
        default: write_common_o = 1'b1;
      endcase
    end
  end

  // ---- Writes ----------------------------------------------------------------------------------------------------

  logic class_chosen;
  assign class_chosen = seek_class_q && CLASSES > 1;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      enable_q <= 1'b0;
      policy_q <= '0;
      yield_q <= '0;
      zone_q <= '0;
      inten_q <= 1'b0;
      margin_q <= '0;
      head_switch_q <= '0;
      write_settle_q <= '0;
      ageing_q <= '0;
      reposition_q <= '0;
      seek_entry_q <= '0;
      seek_distance_q <= '0;
      seek_slope_q <= '0;
      seek_class_q <= 1'b0;
      seek_entries_0_q <= '0;
      seek_entries_1_q <= '0;
      limits_in_service_q <= '0;
      limits_moving_q <= '0;
      limits_heads_q <= '0;
      arm_mask_q <= '1;
      withdraw_slot_q <= '0;
      too_late_q <= 1'b0;
      stroke_q <= '1;
      channels_q <= '0;
      gap_q <= '0;
    end else if (write_unit) begin
      case (address)
        aau_regs_pkg::CtrlOffset: begin
          enable_q <= pwdata_i[aau_regs_pkg::CtrlEnableLsb];
          policy_q <= pwdata_i[aau_regs_pkg::CtrlPolicyLsb+:aau_regs_pkg::CtrlPolicyWidth];
          yield_q <= pwdata_i[aau_regs_pkg::CtrlYieldLsb+:aau_regs_pkg::CtrlYieldWidth];
          if (COST_MODEL == 1) zone_q <= pwdata_i[aau_regs_pkg::CtrlZoneLsb+:aau_regs_pkg::CtrlZoneWidth];
        end
        aau_regs_pkg::IntenOffset: inten_q <= pwdata_i[aau_regs_pkg::IntenGrantLsb];
        aau_regs_pkg::MarginOffset: margin_q <= pwdata_i[aau_regs_pkg::MarginTicksLsb+:aau_regs_pkg::MarginTicksWidth];
        aau_regs_pkg::HeadSwitchOffset: begin
          head_switch_q <= pwdata_i[aau_regs_pkg::HeadSwitchTicksLsb+:aau_regs_pkg::HeadSwitchTicksWidth];
        end
        aau_regs_pkg::WriteSettleOffset: begin
          write_settle_q <= pwdata_i[aau_regs_pkg::WriteSettleTicksLsb+:aau_regs_pkg::WriteSettleTicksWidth];
        end
        aau_regs_pkg::AgeingOffset: begin
          ageing_q <= pwdata_i[aau_regs_pkg::AgeingWeightLsb+:aau_regs_pkg::AgeingWeightWidth];
        end
        aau_regs_pkg::RepositionOffset: begin
          reposition_q <= pwdata_i[aau_regs_pkg::RepositionTicksLsb+:aau_regs_pkg::RepositionTicksWidth];
        end
        aau_regs_pkg::SeekEntryOffset: begin
          seek_entry_q <= pwdata_i[aau_regs_pkg::SeekEntryEntryLsb+:aau_regs_pkg::SeekEntryEntryWidth];
        end
        aau_regs_pkg::SeekDistanceOffset: begin
          seek_distance_q <= pwdata_i[aau_regs_pkg::SeekDistanceCylindersLsb+:aau_regs_pkg::SeekDistanceCylindersWidth];
        end
        aau_regs_pkg::SeekTimeOffset: seek_entry_q <= seek_entry_q + 8'd1;
        aau_regs_pkg::SeekEntriesOffset: begin
          if (class_chosen) begin
            seek_entries_1_q <= pwdata_i[aau_regs_pkg::SeekEntriesEntriesLsb+:aau_regs_pkg::SeekEntriesEntriesWidth];
          end else begin
            seek_entries_0_q <= pwdata_i[aau_regs_pkg::SeekEntriesEntriesLsb+:aau_regs_pkg::SeekEntriesEntriesWidth];
          end
        end
        aau_regs_pkg::LimitsOffset: begin
          limits_in_service_q <= pwdata_i[aau_regs_pkg::LimitsInServiceLsb+:aau_regs_pkg::LimitsInServiceWidth];
          limits_moving_q <= pwdata_i[aau_regs_pkg::LimitsMovingLsb+:aau_regs_pkg::LimitsMovingWidth];
          limits_heads_q <= pwdata_i[aau_regs_pkg::LimitsHeadsLsb+:aau_regs_pkg::LimitsHeadsWidth];
        end
        aau_regs_pkg::ArmMaskOffset: begin
          arm_mask_q <= pwdata_i[aau_regs_pkg::ArmMaskArmsLsb+:aau_regs_pkg::ArmMaskArmsWidth];
        end
        aau_regs_pkg::WithdrawOffset: begin
          withdraw_slot_q <= pwdata_i[aau_regs_pkg::WithdrawSlotLsb+:aau_regs_pkg::WithdrawSlotWidth];
          too_late_q <= !withdraw_waiting_i;
        end
        aau_regs_pkg::StrokeOffset: stroke_q <= pwdata_i[aau_regs_pkg::StrokeCylinderLsb+:CYL_BITS];
        aau_regs_pkg::SeekSlopeLoOffset: begin
          seek_slope_q[31:0] <= pwdata_i[aau_regs_pkg::SeekSlopeLoSlopeLsb+:aau_regs_pkg::SeekSlopeLoSlopeWidth];
        end
        aau_regs_pkg::SeekSlopeHiOffset: begin
          seek_slope_q[39:32] <= pwdata_i[aau_regs_pkg::SeekSlopeHiSlopeLsb+:aau_regs_pkg::SeekSlopeHiSlopeWidth];
        end
        aau_regs_pkg::SeekClassOffset: seek_class_q <= pwdata_i[aau_regs_pkg::SeekClassArmClassLsb];
        aau_regs_pkg::ChannelsOffset: begin
          channels_q <= pwdata_i[aau_regs_pkg::ChannelsCountLsb+:aau_regs_pkg::ChannelsCountWidth];
          gap_q <= pwdata_i[aau_regs_pkg::ChannelsGapLsb+:aau_regs_pkg::ChannelsGapWidth];
        end
        default: ;  // read-only, or held elsewhere
      endcase
    end
  end

  // ---- Reads -----------------------------------------------------------------------------------------------------

  always_comb begin
    prdata_o = '0;
    if (psel_i && !pwrite_i && paddr_i[1:0] == 2'd0) begin
      if (in_arms || in_heads || in_mask) begin
        prdata_o = arms_rdata_i;
      end else if (in_slots) begin
        prdata_o = slots_rdata_i;
      end else if (in_ride_along) begin
        prdata_o = rides_rdata_i;
      end else if (in_unit) begin
        case (address)
          aau_regs_pkg::CtrlOffset: begin
            prdata_o[aau_regs_pkg::CtrlEnableLsb] = enable_q;
            prdata_o[aau_regs_pkg::CtrlPolicyLsb+:aau_regs_pkg::CtrlPolicyWidth] = policy_q;
            prdata_o[aau_regs_pkg::CtrlYieldLsb+:aau_regs_pkg::CtrlYieldWidth] = yield_q;
            prdata_o[aau_regs_pkg::CtrlZoneLsb+:aau_regs_pkg::CtrlZoneWidth] = zone_q;
          end
          aau_regs_pkg::ConfigOffset: begin
            prdata_o[aau_regs_pkg::ConfigSlotsLsb+:aau_regs_pkg::ConfigSlotsWidth] = 11'(SLOTS);
            prdata_o[aau_regs_pkg::ConfigArmsLsb+:aau_regs_pkg::ConfigArmsWidth] = 4'(ARMS);
            prdata_o[aau_regs_pkg::ConfigHeadsLsb+:aau_regs_pkg::ConfigHeadsWidth] = 8'(HEADS);
          end
          aau_regs_pkg::IntstatOffset: prdata_o[aau_regs_pkg::IntstatGrantLsb] = grant_i[aau_regs_pkg::GrantValidLsb];
          aau_regs_pkg::IntenOffset: prdata_o[aau_regs_pkg::IntenGrantLsb] = inten_q;
          aau_regs_pkg::GrantOffset: prdata_o = grant_i;
          aau_regs_pkg::EstimateOffset: prdata_o = estimate_i;
          aau_regs_pkg::MarginOffset: prdata_o[aau_regs_pkg::MarginTicksLsb+:aau_regs_pkg::MarginTicksWidth] = margin_q;
          aau_regs_pkg::HeadSwitchOffset: begin
            prdata_o[aau_regs_pkg::HeadSwitchTicksLsb+:aau_regs_pkg::HeadSwitchTicksWidth] = head_switch_q;
          end
          aau_regs_pkg::WriteSettleOffset: begin
            prdata_o[aau_regs_pkg::WriteSettleTicksLsb+:aau_regs_pkg::WriteSettleTicksWidth] = write_settle_q;
          end
          aau_regs_pkg::AgeingOffset: begin
            prdata_o[aau_regs_pkg::AgeingWeightLsb+:aau_regs_pkg::AgeingWeightWidth] = ageing_q;
          end
          aau_regs_pkg::RepositionOffset: begin
            prdata_o[aau_regs_pkg::RepositionTicksLsb+:aau_regs_pkg::RepositionTicksWidth] = reposition_q;
          end
          aau_regs_pkg::SeekEntryOffset: begin
            prdata_o[aau_regs_pkg::SeekEntryEntryLsb+:aau_regs_pkg::SeekEntryEntryWidth] = seek_entry_q;
          end
          aau_regs_pkg::SeekDistanceOffset: begin
            prdata_o[aau_regs_pkg::SeekDistanceCylindersLsb+:aau_regs_pkg::SeekDistanceCylindersWidth] =
                seek_distance_q;
          end
          aau_regs_pkg::SeekEntriesOffset: begin
            prdata_o[aau_regs_pkg::SeekEntriesEntriesLsb+:aau_regs_pkg::SeekEntriesEntriesWidth] =
                class_chosen ? seek_entries_1_q : seek_entries_0_q;
          end
          aau_regs_pkg::LimitsOffset: begin
            prdata_o[aau_regs_pkg::LimitsInServiceLsb+:aau_regs_pkg::LimitsInServiceWidth] = limits_in_service_q;
            prdata_o[aau_regs_pkg::LimitsMovingLsb+:aau_regs_pkg::LimitsMovingWidth] = limits_moving_q;
            prdata_o[aau_regs_pkg::LimitsHeadsLsb+:aau_regs_pkg::LimitsHeadsWidth] = limits_heads_q;
          end
          aau_regs_pkg::ArmMaskOffset: begin
            prdata_o[aau_regs_pkg::ArmMaskArmsLsb+:aau_regs_pkg::ArmMaskArmsWidth] = arm_mask_q;
          end
          aau_regs_pkg::WithdrawOffset: begin
            prdata_o[aau_regs_pkg::WithdrawSlotLsb+:aau_regs_pkg::WithdrawSlotWidth] = withdraw_slot_q;
            prdata_o[aau_regs_pkg::WithdrawTooLateLsb] = too_late_q;
          end
          aau_regs_pkg::StrokeOffset: prdata_o[aau_regs_pkg::StrokeCylinderLsb+:CYL_BITS] = stroke_q;
          aau_regs_pkg::SeekSlopeLoOffset: begin
            prdata_o[aau_regs_pkg::SeekSlopeLoSlopeLsb+:aau_regs_pkg::SeekSlopeLoSlopeWidth] = seek_slope_q[31:0];
          end
          aau_regs_pkg::SeekSlopeHiOffset: begin
            prdata_o[aau_regs_pkg::SeekSlopeHiSlopeLsb+:aau_regs_pkg::SeekSlopeHiSlopeWidth] = seek_slope_q[39:32];
          end
          aau_regs_pkg::SeekClassOffset: prdata_o[aau_regs_pkg::SeekClassArmClassLsb] = seek_class_q;
          aau_regs_pkg::WorkOffset: begin
            prdata_o[aau_regs_pkg::WorkInServiceLsb+:aau_regs_pkg::WorkInServiceWidth] = work_i[7:0];
            prdata_o[aau_regs_pkg::WorkMovingLsb+:aau_regs_pkg::WorkMovingWidth] = work_i[15:8];
          end
          aau_regs_pkg::WroteOffset: prdata_o[aau_regs_pkg::WroteArmsLsb+:aau_regs_pkg::WroteArmsWidth] = wrote_i;
          aau_regs_pkg::ChannelsOffset: begin
            prdata_o[aau_regs_pkg::ChannelsCountLsb+:aau_regs_pkg::ChannelsCountWidth] = channels_q;
            prdata_o[aau_regs_pkg::ChannelsGapLsb+:aau_regs_pkg::ChannelsGapWidth] = gap_q;
          end
          default: ;  // write-only: 0
        endcase
      end
    end
  end

  assign enable_o = enable_q;
  assign policy_o = policy_q;
  assign yield_o = yield_q;
  assign zone_o = zone_q;
  assign inten_o = inten_q;
  assign margin_o = margin_q;
  assign head_switch_o = head_switch_q;
  assign write_settle_o = write_settle_q;
  assign ageing_o = ageing_q;
  assign reposition_o = reposition_q;
  assign max_in_service_o = limits_in_service_q;
  assign max_moving_o = limits_moving_q;
  assign heads_o = limits_heads_q;
  assign arm_mask_o = arm_mask_q;
  assign stroke_o = stroke_q;
  assign channels_o = channels_q;
  assign gap_o = gap_q;
  assign seek_entry_o = seek_entry_q;
  assign seek_class_o = class_chosen;
  assign seek_distance_o = seek_distance_q;
  assign seek_slope_o = seek_slope_q;
  assign seek_entries_o = {seek_entries_1_q, seek_entries_0_q};
endmodule
