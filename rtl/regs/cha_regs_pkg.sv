// Generated from rtl/regs/cha.rdl (sha256 42aeb9c8d8e032820a682311b12a0fd2fcb2f031e53312cd2888e46c762c3ec7). Do not edit: ./armature gen regs
package cha_regs_pkg;
  // Control
  localparam int unsigned CtrlOffset = 32'h0;
  localparam int unsigned CtrlEnableLsb = 0;
  localparam int unsigned CtrlEnableWidth = 1;
  localparam int unsigned CtrlPolicyLsb = 1;
  localparam int unsigned CtrlPolicyWidth = 1;
  localparam int unsigned CtrlClearLsb = 31;
  localparam int unsigned CtrlClearWidth = 1;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h4;
  localparam int unsigned IntstatGrantLsb = 0;
  localparam int unsigned IntstatGrantWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'h8;
  localparam int unsigned IntenGrantLsb = 0;
  localparam int unsigned IntenGrantWidth = 1;
  // Grant
  localparam int unsigned GrantOffset = 32'hc;
  localparam int unsigned GrantArmLsb = 0;
  localparam int unsigned GrantArmWidth = 3;
  localparam int unsigned GrantChannelLsb = 4;
  localparam int unsigned GrantChannelWidth = 3;
  localparam int unsigned GrantValidLsb = 31;
  localparam int unsigned GrantValidWidth = 1;
  // Acknowledge the grant
  localparam int unsigned GrantAckOffset = 32'h10;
  localparam int unsigned GrantAckAckLsb = 0;
  localparam int unsigned GrantAckAckWidth = 1;
  // Start margin
  localparam int unsigned MarginOffset = 32'h14;
  localparam int unsigned MarginTicksLsb = 0;
  localparam int unsigned MarginTicksWidth = 16;
  // Channel is free; the write frees it
  localparam int unsigned FreeOffset = 32'h18;
  localparam int unsigned FreeChannelLsb = 0;
  localparam int unsigned FreeChannelWidth = 3;
  // Free channels
  localparam int unsigned ChannelsOffset = 32'h1c;
  localparam int unsigned ChannelsChannelsLsb = 0;
  localparam int unsigned ChannelsChannelsWidth = 8;
  // Arm: asks for a channel, or (valid = 0) no longer does
  localparam int unsigned RequestOffset = 32'h40;
  localparam int unsigned RequestCount = 8;
  localparam int unsigned RequestAngleLsb = 0;
  localparam int unsigned RequestAngleWidth = 16;
  localparam int unsigned RequestStackLsb = 16;
  localparam int unsigned RequestStackWidth = 3;
  localparam int unsigned RequestValidLsb = 31;
  localparam int unsigned RequestValidWidth = 1;
endpackage
