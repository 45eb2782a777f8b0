// Generated from rtl/regs/buf.rdl (sha256 5aac8816cedf195bcb9fd66f7126358c96b86c743c2d754c025962422dbe7634). Do not edit: ./armature gen regs
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
  // Look-up of reads in the segment table
  localparam int unsigned LookupOffset = 32'hc;
  localparam int unsigned LookupEnableLsb = 0;
  localparam int unsigned LookupEnableWidth = 1;
  localparam int unsigned LookupLastTagLsb = 16;
  localparam int unsigned LookupLastTagWidth = 10;
  // Segment table: entry that the registers `seg_*` are of
  localparam int unsigned SegOffset = 32'h10;
  localparam int unsigned SegIndexLsb = 0;
  localparam int unsigned SegIndexWidth = 8;
  // Segment table: first LBA of the next `seg_commit`, 31:0
  localparam int unsigned SegLbaLoOffset = 32'h14;
  localparam int unsigned SegLbaLoLbaLsb = 0;
  localparam int unsigned SegLbaLoLbaWidth = 32;
  // Segment table: first LBA of the next `seg_commit`, 47:32
  localparam int unsigned SegLbaHiOffset = 32'h18;
  localparam int unsigned SegLbaHiLbaLsb = 0;
  localparam int unsigned SegLbaHiLbaWidth = 16;
  // Segment table: place of the first LBA in the segment, which is a ring
  localparam int unsigned SegPlaceOffset = 32'h1c;
  localparam int unsigned SegPlaceSectorLsb = 0;
  localparam int unsigned SegPlaceSectorWidth = 16;
  // Segment table: the write makes or withdraws the entry
  localparam int unsigned SegCommitOffset = 32'h20;
  localparam int unsigned SegCommitSectorsLsb = 0;
  localparam int unsigned SegCommitSectorsWidth = 16;
  localparam int unsigned SegCommitValidLsb = 31;
  localparam int unsigned SegCommitValidWidth = 1;
  // Segment table: where reads went on to
  localparam int unsigned SegReachOffset = 32'h24;
  localparam int unsigned SegReachLbaLsb = 0;
  localparam int unsigned SegReachLbaWidth = 32;
  // Segment table: the entry's last use
  localparam int unsigned SegStatusOffset = 32'h28;
  localparam int unsigned SegStatusUseLsb = 0;
  localparam int unsigned SegStatusUseWidth = 28;
  localparam int unsigned SegStatusSequentialLsb = 29;
  localparam int unsigned SegStatusSequentialWidth = 1;
  localparam int unsigned SegStatusPinnedLsb = 30;
  localparam int unsigned SegStatusPinnedWidth = 1;
  localparam int unsigned SegStatusValidLsb = 31;
  localparam int unsigned SegStatusValidWidth = 1;
  // Segment table: first sector that a transfer has pinned
  localparam int unsigned SegPinOffset = 32'h2c;
  localparam int unsigned SegPinLbaLsb = 0;
  localparam int unsigned SegPinLbaWidth = 32;
  // Segment table: a use by firmware
  localparam int unsigned TouchOffset = 32'h30;
  localparam int unsigned TouchIndexLsb = 0;
  localparam int unsigned TouchIndexWidth = 8;
  // Reads that hardware has answered since power-on
  localparam int unsigned HitsOffset = 32'h34;
  localparam int unsigned HitsCountLsb = 0;
  localparam int unsigned HitsCountWidth = 32;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h38;
  localparam int unsigned IntstatReleasedLsb = 0;
  localparam int unsigned IntstatReleasedWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'h3c;
  localparam int unsigned IntenReleasedLsb = 0;
  localparam int unsigned IntenReleasedWidth = 1;
endpackage
