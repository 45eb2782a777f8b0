// Generated from rtl/regs/tmr.rdl (sha256 260c8fd5bfacca9ec6bb31530c9b4a71e2397424db44a5ad4f25cb06d0a6fa46). Do not edit: ./armature gen regs
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
  // Age: bits 47:16 of the microseconds since power-on, of which `count` has bits 31:0
  localparam int unsigned AgeOffset = 32'h10;
  localparam int unsigned AgeUnitsLsb = 0;
  localparam int unsigned AgeUnitsWidth = 32;
endpackage
