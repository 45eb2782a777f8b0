// Generated from rtl/regs/buf.rdl (sha256 4802859d592ca0e3ef3f7f53e4cb55725ed29ff050a608f8dd8f6cbdb9ed1078). Do not edit: ./armature gen regs
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
  // Lines for written data that wait for the media, behind the segments
  localparam int unsigned LinesOffset = 32'h8;
  localparam int unsigned LinesCountLsb = 0;
  localparam int unsigned LinesCountWidth = 16;
endpackage
