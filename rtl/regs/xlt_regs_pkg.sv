// Generated from rtl/regs/xlt.rdl (sha256 6f35155b3bfa63ea044357a7f430d7b90a1259778a202886025e6361a938f50d). Do not edit: ./armature gen regs
package xlt_regs_pkg;
  // LBA 47:32
  localparam int unsigned LbaHiOffset = 32'h0;
  localparam int unsigned LbaHiLbaLsb = 0;
  localparam int unsigned LbaHiLbaWidth = 16;
  // LBA 31:0; the write translates
  localparam int unsigned LbaLoOffset = 32'h4;
  localparam int unsigned LbaLoLbaLsb = 0;
  localparam int unsigned LbaLoLbaWidth = 32;
  // Translation: track
  localparam int unsigned TrackOffset = 32'h8;
  localparam int unsigned TrackCylinderLsb = 0;
  localparam int unsigned TrackCylinderWidth = 23;
  localparam int unsigned TrackHeadLsb = 23;
  localparam int unsigned TrackHeadWidth = 8;
  localparam int unsigned TrackInvalidLsb = 31;
  localparam int unsigned TrackInvalidWidth = 1;
  // Translation: angle and run
  localparam int unsigned PlaceOffset = 32'hc;
  localparam int unsigned PlaceAngleLsb = 0;
  localparam int unsigned PlaceAngleWidth = 16;
  localparam int unsigned PlaceRunLsb = 16;
  localparam int unsigned PlaceRunWidth = 16;
  // Translation: sectors on the track before the LBA
  localparam int unsigned BeforeOffset = 32'h10;
  localparam int unsigned BeforeSectorsLsb = 0;
  localparam int unsigned BeforeSectorsWidth = 16;
  // Reallocation: moves the physical sector of the LBA in `lba` to the next free spare of its zone
  localparam int unsigned MoveOffset = 32'h14;
  localparam int unsigned MoveMovedLsb = 0;
  localparam int unsigned MoveMovedWidth = 1;
  localparam int unsigned MoveGoLsb = 31;
  localparam int unsigned MoveGoWidth = 1;
  // Translation: sectors of the track
  localparam int unsigned LengthOffset = 32'h18;
  localparam int unsigned LengthSectorsLsb = 0;
  localparam int unsigned LengthSectorsWidth = 16;
endpackage
