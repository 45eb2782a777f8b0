// Generated from rtl/regs/nvm.rdl (sha256 e795e7766a5422bfb44d0594f5500337a02e4a380390a46d3a9f9456709d4e7f). Do not edit: ./armature gen regs
package nvm_regs_pkg;
  // Word of the factory record
  localparam int unsigned WordOffset = 32'h0;
  localparam int unsigned WordCount = 2048;
  localparam int unsigned WordDataLsb = 0;
  localparam int unsigned WordDataWidth = 32;
endpackage
