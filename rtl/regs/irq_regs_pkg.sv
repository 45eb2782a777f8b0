// Generated from rtl/regs/irq.rdl (sha256 c1da7e1f3b7866b29bb080eda8a3538d4a48d26a01197453816484459ee5752e). Do not edit: ./armature gen regs
package irq_regs_pkg;
  // Pending lines
  localparam int unsigned PendingOffset = 32'h0;
  localparam int unsigned PendingLinesLsb = 0;
  localparam int unsigned PendingLinesWidth = 32;
  // Enabled lines
  localparam int unsigned EnableOffset = 32'h4;
  localparam int unsigned EnableLinesLsb = 0;
  localparam int unsigned EnableLinesWidth = 32;
  // Claim: the pending, enabled line with the lowest number
  localparam int unsigned ClaimOffset = 32'h8;
  localparam int unsigned ClaimLineLsb = 0;
  localparam int unsigned ClaimLineWidth = 5;
  localparam int unsigned ClaimValidLsb = 31;
  localparam int unsigned ClaimValidWidth = 1;
endpackage
