// Generated from rtl/regs/nvm.rdl (sha256 080b5851d1f82d29031ae9521ada7412a82942a5ac3419734e57a14369909c3f). Do not edit: ./armature gen regs
package nvm_regs_pkg;
  // Word of the factory record
  localparam int unsigned WordOffset = 32'h0;
  localparam int unsigned WordCount = 2048;
  localparam int unsigned WordDataLsb = 0;
  localparam int unsigned WordDataWidth = 32;
  // Size of the flash
  localparam int unsigned SizeOffset = 32'h2000;
  localparam int unsigned SizeSectorsLsb = 0;
  localparam int unsigned SizeSectorsWidth = 16;
  // Byte address in the flash
  localparam int unsigned AddressOffset = 32'h2004;
  localparam int unsigned AddressAtLsb = 0;
  localparam int unsigned AddressAtWidth = 24;
  // Control; an operation while the flash is busy is firmware's mistake
  localparam int unsigned CtrlOffset = 32'h200c;
  localparam int unsigned CtrlProgLsb = 0;
  localparam int unsigned CtrlProgWidth = 1;
  localparam int unsigned CtrlEraseLsb = 1;
  localparam int unsigned CtrlEraseWidth = 1;
  // Status
  localparam int unsigned StatusOffset = 32'h2010;
  localparam int unsigned StatusBusyLsb = 0;
  localparam int unsigned StatusBusyWidth = 1;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h2014;
  localparam int unsigned IntstatDoneLsb = 0;
  localparam int unsigned IntstatDoneWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'h2018;
  localparam int unsigned IntenDoneLsb = 0;
  localparam int unsigned IntenDoneWidth = 1;
  // Page buffer: what the next program operation writes
  localparam int unsigned PageOffset = 32'h2100;
  localparam int unsigned PageCount = 64;
  localparam int unsigned PageWordLsb = 0;
  localparam int unsigned PageWordWidth = 32;
  // Word of the flash's page at `address`; a read while the flash is busy is firmware's mistake
  localparam int unsigned DataOffset = 32'h2200;
  localparam int unsigned DataCount = 64;
  localparam int unsigned DataWordLsb = 0;
  localparam int unsigned DataWordWidth = 32;
endpackage
