// Generated from rtl/regs/nvm.rdl (sha256 898ead8909d0a9f70214b5465e0ae5fa70398dd7ff7b121b8fbf68d499d77edb). Do not edit: ./armature gen regs
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
  // Boot loader; an order while the flash is busy, or of a core whose firmware cannot be changed, is firmware's mistake
  localparam int unsigned BootOffset = 32'h201c;
  localparam int unsigned BootCheckLsb = 0;
  localparam int unsigned BootCheckWidth = 1;
  localparam int unsigned BootRestartLsb = 1;
  localparam int unsigned BootRestartWidth = 1;
  // Firmware's image
  localparam int unsigned ImageOffset = 32'h2020;
  localparam int unsigned ImageChangeableLsb = 0;
  localparam int unsigned ImageChangeableWidth = 1;
  localparam int unsigned ImageFitsLsb = 1;
  localparam int unsigned ImageFitsWidth = 1;
  localparam int unsigned ImageRestartedLsb = 2;
  localparam int unsigned ImageRestartedWidth = 1;
  localparam int unsigned ImageSlotLsb = 4;
  localparam int unsigned ImageSlotWidth = 2;
  // Slots for two images of firmware, one behind the other
  localparam int unsigned SlotsOffset = 32'h2024;
  localparam int unsigned SlotsFirstLsb = 0;
  localparam int unsigned SlotsFirstWidth = 16;
  localparam int unsigned SlotsSectorsLsb = 16;
  localparam int unsigned SlotsSectorsWidth = 16;
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
