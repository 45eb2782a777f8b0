// Generated from rtl/regs/buf.rdl (sha256 6094120f4bdd4d7da28131621cb9f489aa3c9c5f7b71916d384c9a99648dcdb1). Do not edit: ./armature gen regs
package buf_regs_pkg;
  // Size of the RAM in bytes
  localparam int unsigned SizeOffset = 32'h0;
  localparam int unsigned SizeBytesLsb = 0;
  localparam int unsigned SizeBytesWidth = 32;
  // Segmentation that the drive is built with
  localparam int unsigned LayoutOffset = 32'h4;
  localparam int unsigned LayoutSegmentsLsb = 0;
  localparam int unsigned LayoutSegmentsWidth = 16;
  localparam int unsigned LayoutSectorsLsb = 16;
  localparam int unsigned LayoutSectorsWidth = 16;
endpackage
