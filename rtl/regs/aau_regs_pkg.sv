// Generated from rtl/regs/aau.rdl (sha256 38d960e33e85a232d2547a7dc0e1096ae39f728576302eef53ee22a4425658f3). Do not edit: ./armature gen regs
package aau_regs_pkg;
  // Control
  localparam int unsigned CtrlOffset = 32'h0;
  localparam int unsigned CtrlEnableLsb = 0;
  localparam int unsigned CtrlEnableWidth = 1;
  localparam int unsigned CtrlPolicyLsb = 1;
  localparam int unsigned CtrlPolicyWidth = 3;
  localparam int unsigned CtrlYieldLsb = 4;
  localparam int unsigned CtrlYieldWidth = 4;
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
  // Arm: where it is, and that it is idle
  localparam int unsigned ArmOffset = 32'h80;
  localparam int unsigned ArmCount = 8;
  localparam int unsigned ArmCylinderLsb = 0;
  localparam int unsigned ArmCylinderWidth = 23;
  localparam int unsigned ArmHeadLsb = 23;
  localparam int unsigned ArmHeadWidth = 8;
  localparam int unsigned ArmIdleLsb = 31;
  localparam int unsigned ArmIdleWidth = 1;
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
  localparam int unsigned SlotCommitValidLsb = 31;
  localparam int unsigned SlotCommitValidWidth = 1;
endpackage
