// Generated from rtl/regs/dbg.rdl (sha256 7d706db782c8ef20ec4fd5d3aeab428d2b989151df5342f7881810807c945d60). Do not edit: ./armature gen regs
package dbg_regs_pkg;
  // Console
  localparam int unsigned PutcOffset = 32'h0;
  localparam int unsigned PutcCharacterLsb = 0;
  localparam int unsigned PutcCharacterWidth = 8;
  // Firmware state
  localparam int unsigned StateOffset = 32'h4;
  localparam int unsigned StateStateLsb = 0;
  localparam int unsigned StateStateWidth = 8;
  localparam int unsigned StateTagLsb = 8;
  localparam int unsigned StateTagWidth = 10;
  // Fatal: firmware met an impossible state and stopped
  localparam int unsigned FatalOffset = 32'h8;
  localparam int unsigned FatalLineLsb = 0;
  localparam int unsigned FatalLineWidth = 32;
endpackage
