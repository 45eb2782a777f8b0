// Generated from rtl/regs/dbg.rdl (sha256 68f6e9e5ed4f70d1b2711a9bccf9d1268b5f28ca1e84bdfaac4be81b6c2dbb4e). Do not edit: ./armature gen regs
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
  // Accounting: what a command waits for while firmware holds it
  localparam int unsigned WaitOffset = 32'hc;
  localparam int unsigned WaitTagLsb = 0;
  localparam int unsigned WaitTagWidth = 10;
  localparam int unsigned WaitReasonLsb = 16;
  localparam int unsigned WaitReasonWidth = 3;
  // Counters that firmware keeps, by enum fw_counter
  localparam int unsigned CounterOffset = 32'h40;
  localparam int unsigned CounterCount = 16;
  localparam int unsigned CounterValueLsb = 0;
  localparam int unsigned CounterValueWidth = 32;
endpackage
