// Generated from rtl/regs/aau.rdl (sha256 640d29d3ed80fc8494bc6b265c047d08f2cda91b414dae1e389f1580399cef20). Do not edit: ./armature gen regs
package aau_regs_pkg;
  // Control
  localparam int unsigned CtrlOffset = 32'h0;
  localparam int unsigned CtrlEnableLsb = 0;
  localparam int unsigned CtrlEnableWidth = 1;
  localparam int unsigned CtrlPolicyLsb = 1;
  localparam int unsigned CtrlPolicyWidth = 3;
  localparam int unsigned CtrlYieldLsb = 4;
  localparam int unsigned CtrlYieldWidth = 4;
  localparam int unsigned CtrlZoneLsb = 8;
  localparam int unsigned CtrlZoneWidth = 5;
  localparam int unsigned CtrlWithdrawAllLsb = 31;
  localparam int unsigned CtrlWithdrawAllWidth = 1;
  // Configuration of this instance
  localparam int unsigned ConfigOffset = 32'h4;
  localparam int unsigned ConfigSlotsLsb = 0;
  localparam int unsigned ConfigSlotsWidth = 11;
  localparam int unsigned ConfigArmsLsb = 12;
  localparam int unsigned ConfigArmsWidth = 4;
  localparam int unsigned ConfigHeadsLsb = 16;
  localparam int unsigned ConfigHeadsWidth = 8;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h8;
  localparam int unsigned IntstatGrantLsb = 0;
  localparam int unsigned IntstatGrantWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'hc;
  localparam int unsigned IntenGrantLsb = 0;
  localparam int unsigned IntenGrantWidth = 1;
  // Grant
  localparam int unsigned GrantOffset = 32'h10;
  localparam int unsigned GrantSlotLsb = 0;
  localparam int unsigned GrantSlotWidth = 10;
  localparam int unsigned GrantArmLsb = 10;
  localparam int unsigned GrantArmWidth = 3;
  localparam int unsigned GrantHeadLsb = 13;
  localparam int unsigned GrantHeadWidth = 2;
  localparam int unsigned GrantArmClassLsb = 15;
  localparam int unsigned GrantArmClassWidth = 1;
  localparam int unsigned GrantValidLsb = 31;
  localparam int unsigned GrantValidWidth = 1;
  // Grant: predicted time from the grant to the first sector
  localparam int unsigned EstimateOffset = 32'h14;
  localparam int unsigned EstimateTicksLsb = 0;
  localparam int unsigned EstimateTicksWidth = 32;
  // Acknowledge the grant
  localparam int unsigned GrantAckOffset = 32'h18;
  localparam int unsigned GrantAckAckLsb = 0;
  localparam int unsigned GrantAckAckWidth = 1;
  // Settle margin
  localparam int unsigned MarginOffset = 32'h1c;
  localparam int unsigned MarginTicksLsb = 0;
  localparam int unsigned MarginTicksWidth = 16;
  // Head switch time
  localparam int unsigned HeadSwitchOffset = 32'h20;
  localparam int unsigned HeadSwitchTicksLsb = 0;
  localparam int unsigned HeadSwitchTicksWidth = 16;
  // Write settle time
  localparam int unsigned WriteSettleOffset = 32'h24;
  localparam int unsigned WriteSettleTicksLsb = 0;
  localparam int unsigned WriteSettleTicksWidth = 16;
  // Ageing
  localparam int unsigned AgeingOffset = 32'h28;
  localparam int unsigned AgeingWeightLsb = 0;
  localparam int unsigned AgeingWeightWidth = 16;
  // Repositioning time
  localparam int unsigned RepositionOffset = 32'h2c;
  localparam int unsigned RepositionTicksLsb = 0;
  localparam int unsigned RepositionTicksWidth = 16;
  // Seek table: entry to write
  localparam int unsigned SeekEntryOffset = 32'h30;
  localparam int unsigned SeekEntryEntryLsb = 0;
  localparam int unsigned SeekEntryEntryWidth = 8;
  // Seek table: distance of the entry
  localparam int unsigned SeekDistanceOffset = 32'h34;
  localparam int unsigned SeekDistanceCylindersLsb = 0;
  localparam int unsigned SeekDistanceCylindersWidth = 24;
  // Seek table: time of the entry; the write stores the entry and advances
  localparam int unsigned SeekTimeOffset = 32'h38;
  localparam int unsigned SeekTimeTicksLsb = 0;
  localparam int unsigned SeekTimeTicksWidth = 24;
  // Seek table: number of entries in use
  localparam int unsigned SeekEntriesOffset = 32'h3c;
  localparam int unsigned SeekEntriesEntriesLsb = 0;
  localparam int unsigned SeekEntriesEntriesWidth = 9;
  // Limits
  localparam int unsigned LimitsOffset = 32'h40;
  localparam int unsigned LimitsInServiceLsb = 0;
  localparam int unsigned LimitsInServiceWidth = 4;
  localparam int unsigned LimitsMovingLsb = 4;
  localparam int unsigned LimitsMovingWidth = 4;
  localparam int unsigned LimitsHeadsLsb = 8;
  localparam int unsigned LimitsHeadsWidth = 2;
  // Arms that may be granted
  localparam int unsigned ArmMaskOffset = 32'h44;
  localparam int unsigned ArmMaskArmsLsb = 0;
  localparam int unsigned ArmMaskArmsWidth = 8;
  // Arms that have come on their track
  localparam int unsigned ArrivedOffset = 32'h48;
  localparam int unsigned ArrivedArmsLsb = 0;
  localparam int unsigned ArrivedArmsWidth = 8;
  // Withdraw a slot
  localparam int unsigned WithdrawOffset = 32'h4c;
  localparam int unsigned WithdrawSlotLsb = 0;
  localparam int unsigned WithdrawSlotWidth = 10;
  localparam int unsigned WithdrawTooLateLsb = 31;
  localparam int unsigned WithdrawTooLateWidth = 1;
  // Arms that are held for writing; the write says of one of them whether it is
  localparam int unsigned WroteOffset = 32'h50;
  localparam int unsigned WroteArmsLsb = 0;
  localparam int unsigned WroteArmsWidth = 8;
  localparam int unsigned WroteHeldLsb = 16;
  localparam int unsigned WroteHeldWidth = 1;
  localparam int unsigned WroteArmLsb = 24;
  localparam int unsigned WroteArmWidth = 3;
  // Stroke
  localparam int unsigned StrokeOffset = 32'h54;
  localparam int unsigned StrokeCylinderLsb = 0;
  localparam int unsigned StrokeCylinderWidth = 23;
  // Seek table: slope from the entry to the next, bits 31:0
  localparam int unsigned SeekSlopeLoOffset = 32'h58;
  localparam int unsigned SeekSlopeLoSlopeLsb = 0;
  localparam int unsigned SeekSlopeLoSlopeWidth = 32;
  // Seek table: slope, bits 39:32
  localparam int unsigned SeekSlopeHiOffset = 32'h5c;
  localparam int unsigned SeekSlopeHiSlopeLsb = 0;
  localparam int unsigned SeekSlopeHiSlopeWidth = 8;
  // Seek table: class of arms that the entries written are for
  localparam int unsigned SeekClassOffset = 32'h60;
  localparam int unsigned SeekClassArmClassLsb = 0;
  localparam int unsigned SeekClassArmClassWidth = 1;
  // Arms at work
  localparam int unsigned WorkOffset = 32'h64;
  localparam int unsigned WorkInServiceLsb = 0;
  localparam int unsigned WorkInServiceWidth = 8;
  localparam int unsigned WorkMovingLsb = 8;
  localparam int unsigned WorkMovingWidth = 8;
  // Data channels that the arms share
  localparam int unsigned ChannelsOffset = 32'h68;
  localparam int unsigned ChannelsCountLsb = 0;
  localparam int unsigned ChannelsCountWidth = 4;
  localparam int unsigned ChannelsGapLsb = 16;
  localparam int unsigned ChannelsGapWidth = 16;
  // Appointment of an arm in service: the write says how long its access lasts now
  localparam int unsigned AppointmentOffset = 32'h6c;
  localparam int unsigned AppointmentTicksLsb = 0;
  localparam int unsigned AppointmentTicksWidth = 24;
  localparam int unsigned AppointmentArmLsb = 24;
  localparam int unsigned AppointmentArmWidth = 3;
  // Appointment of an arm in service: the write says that its access begins later
  localparam int unsigned PostponeOffset = 32'h70;
  localparam int unsigned PostponeTicksLsb = 0;
  localparam int unsigned PostponeTicksWidth = 24;
  localparam int unsigned PostponeArmLsb = 24;
  localparam int unsigned PostponeArmWidth = 3;
  // Arm: where it is, and that it is idle
  localparam int unsigned ArmOffset = 32'h80;
  localparam int unsigned ArmCount = 8;
  localparam int unsigned ArmCylinderLsb = 0;
  localparam int unsigned ArmCylinderWidth = 23;
  localparam int unsigned ArmHeadLsb = 23;
  localparam int unsigned ArmHeadWidth = 8;
  localparam int unsigned ArmIdleLsb = 31;
  localparam int unsigned ArmIdleWidth = 1;
  // Arm: how it is mounted
  localparam int unsigned ArmMountOffset = 32'ha0;
  localparam int unsigned ArmMountCount = 8;
  localparam int unsigned ArmMountAngleLsb = 0;
  localparam int unsigned ArmMountAngleWidth = 16;
  localparam int unsigned ArmMountStackLsb = 16;
  localparam int unsigned ArmMountStackWidth = 3;
  localparam int unsigned ArmMountArmClassLsb = 19;
  localparam int unsigned ArmMountArmClassWidth = 1;
  // Arm: surfaces that it has heads for
  localparam int unsigned ArmReachOffset = 32'hc0;
  localparam int unsigned ArmReachCount = 8;
  localparam int unsigned ArmReachFirstLsb = 0;
  localparam int unsigned ArmReachFirstWidth = 8;
  localparam int unsigned ArmReachLastLsb = 8;
  localparam int unsigned ArmReachLastWidth = 8;
  // Head of an arm on a surface: how far out it sits, against the arm's position
  localparam int unsigned HeadOffsetOffset = 32'he0;
  localparam int unsigned HeadOffsetCount = 4;
  localparam int unsigned HeadOffsetCylindersLsb = 0;
  localparam int unsigned HeadOffsetCylindersWidth = 24;
  // Head of an arm on a surface: its angle
  localparam int unsigned HeadAngleOffset = 32'hf0;
  localparam int unsigned HeadAngleCount = 4;
  localparam int unsigned HeadAngleAngleLsb = 0;
  localparam int unsigned HeadAngleAngleWidth = 16;
  // Slots that the pass of the pending grant can serve too (sled cost model only; 0 otherwise)
  localparam int unsigned RideAlongOffset = 32'h100;
  localparam int unsigned RideAlongCount = 32;
  localparam int unsigned RideAlongSlotsLsb = 0;
  localparam int unsigned RideAlongSlotsWidth = 32;
  // Heads that may be used: word 4 n + h is that of head h of arm n on each surface
  localparam int unsigned HeadMaskOffset = 32'h180;
  localparam int unsigned HeadMaskCount = 32;
  localparam int unsigned HeadMaskSurfacesLsb = 0;
  localparam int unsigned HeadMaskSurfacesWidth = 32;
  // Slot: the arm that is reserved for it
  localparam int unsigned SlotArmOffset = 32'h2000;
  localparam int unsigned SlotArmCount = 1024;
  localparam int unsigned SlotArmArmLsb = 0;
  localparam int unsigned SlotArmArmWidth = 3;
  localparam int unsigned SlotArmReservedLsb = 3;
  localparam int unsigned SlotArmReservedWidth = 1;
  // Slot: target
  localparam int unsigned SlotTargetOffset = 32'h4000;
  localparam int unsigned SlotTargetCount = 1024;
  localparam int unsigned SlotTargetCylinderLsb = 0;
  localparam int unsigned SlotTargetCylinderWidth = 23;
  localparam int unsigned SlotTargetHeadLsb = 23;
  localparam int unsigned SlotTargetHeadWidth = 8;
  // Slot: angle and commit; the write makes the slot a candidate or withdraws it
  localparam int unsigned SlotCommitOffset = 32'h6000;
  localparam int unsigned SlotCommitCount = 1024;
  localparam int unsigned SlotCommitAngleLsb = 0;
  localparam int unsigned SlotCommitAngleWidth = 16;
  localparam int unsigned SlotCommitWriteLsb = 16;
  localparam int unsigned SlotCommitWriteWidth = 1;
  localparam int unsigned SlotCommitSlotClassLsb = 17;
  localparam int unsigned SlotCommitSlotClassWidth = 2;
  localparam int unsigned SlotCommitStackLsb = 19;
  localparam int unsigned SlotCommitStackWidth = 3;
  localparam int unsigned SlotCommitLengthLsb = 22;
  localparam int unsigned SlotCommitLengthWidth = 9;
  localparam int unsigned SlotCommitValidLsb = 31;
  localparam int unsigned SlotCommitValidWidth = 1;
endpackage
