// Generated from rtl/regs/tmr.rdl (sha256 0b460e2c345b574203a5ca0222c0a85cad6b5d4e6e2e1dc553e7eb2d1f7baf9a). Do not edit: ./armature gen regs
package tmr_regs_pkg;
  // Microseconds since power-on, modulo 2^32
  localparam int unsigned CountOffset = 32'h0;
  localparam int unsigned CountUsLsb = 0;
  localparam int unsigned CountUsWidth = 32;
  // One shot: microseconds from now; 0 cancels; the write starts it
  localparam int unsigned AfterOffset = 32'h4;
  localparam int unsigned AfterUsLsb = 0;
  localparam int unsigned AfterUsWidth = 32;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h8;
  localparam int unsigned IntstatExpiredLsb = 0;
  localparam int unsigned IntstatExpiredWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'hc;
  localparam int unsigned IntenExpiredLsb = 0;
  localparam int unsigned IntenExpiredWidth = 1;
endpackage
