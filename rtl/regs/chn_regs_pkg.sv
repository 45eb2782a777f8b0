// Generated from rtl/regs/chn.rdl (sha256 75f8c2d22bb09c2c382269ac94673c92c340eefc4c4d1f0e0e7002aded251495). Do not edit: ./armature gen regs
package chn_regs_pkg;
  // Access: LBA 47:32
  localparam int unsigned LbaHiOffset = 32'h10;
  localparam int unsigned LbaHiLbaLsb = 0;
  localparam int unsigned LbaHiLbaWidth = 16;
  // Access: LBA 31:0
  localparam int unsigned LbaLoOffset = 32'h14;
  localparam int unsigned LbaLoLbaLsb = 0;
  localparam int unsigned LbaLoLbaWidth = 32;
  // Access: address in buffer RAM, in bytes
  localparam int unsigned AddressOffset = 32'h18;
  localparam int unsigned AddressAddressLsb = 0;
  localparam int unsigned AddressAddressWidth = 32;
  // Access: length and start
  localparam int unsigned CtrlOffset = 32'h1c;
  localparam int unsigned CtrlTagLsb = 0;
  localparam int unsigned CtrlTagWidth = 10;
  localparam int unsigned CtrlSectorsLsb = 10;
  localparam int unsigned CtrlSectorsWidth = 16;
  localparam int unsigned CtrlArmLsb = 26;
  localparam int unsigned CtrlArmWidth = 3;
  localparam int unsigned CtrlWriteLsb = 29;
  localparam int unsigned CtrlWriteWidth = 1;
  localparam int unsigned CtrlAnonymousLsb = 30;
  localparam int unsigned CtrlAnonymousWidth = 1;
  localparam int unsigned CtrlGoLsb = 31;
  localparam int unsigned CtrlGoWidth = 1;
  // Status
  localparam int unsigned StatusOffset = 32'h20;
  localparam int unsigned StatusBusyLsb = 0;
  localparam int unsigned StatusBusyWidth = 1;
  localparam int unsigned StatusCauseLsb = 1;
  localparam int unsigned StatusCauseWidth = 3;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h24;
  localparam int unsigned IntstatDoneLsb = 0;
  localparam int unsigned IntstatDoneWidth = 1;
  localparam int unsigned IntstatErrorLsb = 1;
  localparam int unsigned IntstatErrorWidth = 1;
  localparam int unsigned IntstatMarkLsb = 2;
  localparam int unsigned IntstatMarkWidth = 1;
  localparam int unsigned IntstatRetriedLsb = 3;
  localparam int unsigned IntstatRetriedWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'h28;
  localparam int unsigned IntenDoneLsb = 0;
  localparam int unsigned IntenDoneWidth = 1;
  localparam int unsigned IntenErrorLsb = 1;
  localparam int unsigned IntenErrorWidth = 1;
  localparam int unsigned IntenMarkLsb = 2;
  localparam int unsigned IntenMarkWidth = 1;
  // Mark
  localparam int unsigned MarkOffset = 32'h2c;
  localparam int unsigned MarkSectorsLsb = 0;
  localparam int unsigned MarkSectorsWidth = 16;
  localparam int unsigned MarkPartLsb = 16;
  localparam int unsigned MarkPartWidth = 1;
  // Mode of the next access; cleared when one starts
  localparam int unsigned ModeOffset = 32'h30;
  localparam int unsigned ModeAnyOrderLsb = 0;
  localparam int unsigned ModeAnyOrderWidth = 1;
  localparam int unsigned ModeGatherLsb = 1;
  localparam int unsigned ModeGatherWidth = 1;
  localparam int unsigned ModeFreeLsb = 2;
  localparam int unsigned ModeFreeWidth = 1;
  localparam int unsigned ModeBatchLsb = 3;
  localparam int unsigned ModeBatchWidth = 1;
  // Stop: the access ends with the sector that is passing, or at once if none is; `done` is raised then
  localparam int unsigned StopOffset = 32'h34;
  localparam int unsigned StopStopLsb = 0;
  localparam int unsigned StopStopWidth = 1;
  // Progress of the access, or of the last one
  localparam int unsigned ProgressOffset = 32'h38;
  localparam int unsigned ProgressSectorsLsb = 0;
  localparam int unsigned ProgressSectorsWidth = 16;
  // Piece: address in buffer RAM, in bytes
  localparam int unsigned PieceAddrOffset = 32'h3c;
  localparam int unsigned PieceAddrAddressLsb = 0;
  localparam int unsigned PieceAddrAddressWidth = 32;
  // Piece: length; the write appends the piece to the list, which the next access empties
  localparam int unsigned PiecePushOffset = 32'h40;
  localparam int unsigned PiecePushSectorsLsb = 0;
  localparam int unsigned PiecePushSectorsWidth = 16;
  localparam int unsigned PiecePushBlankLsb = 16;
  localparam int unsigned PiecePushBlankWidth = 1;
  localparam int unsigned PiecePushDropLsb = 17;
  localparam int unsigned PiecePushDropWidth = 1;
  // Piece: LBA 47:32
  localparam int unsigned PieceLbaHiOffset = 32'h44;
  localparam int unsigned PieceLbaHiLbaLsb = 0;
  localparam int unsigned PieceLbaHiLbaWidth = 16;
  // Free read: what need not be read
  localparam int unsigned WantedOffset = 32'h48;
  localparam int unsigned WantedSectorsLsb = 0;
  localparam int unsigned WantedSectorsWidth = 16;
  // Free read: what was left out, known from `go` on
  localparam int unsigned LeftOutOffset = 32'h4c;
  localparam int unsigned LeftOutSectorsLsb = 0;
  localparam int unsigned LeftOutSectorsWidth = 16;
  // Piece: LBA 31:0
  localparam int unsigned PieceLbaLoOffset = 32'h50;
  localparam int unsigned PieceLbaLoLbaLsb = 0;
  localparam int unsigned PieceLbaLoLbaWidth = 32;
  // Retry ladder
  localparam int unsigned LadderCtrlOffset = 32'h54;
  localparam int unsigned LadderCtrlLimitMsLsb = 0;
  localparam int unsigned LadderCtrlLimitMsWidth = 16;
  localparam int unsigned LadderCtrlEnableLsb = 31;
  localparam int unsigned LadderCtrlEnableWidth = 1;
  // Extension: the access under way goes on, without a pause, behind what was ordered; ignored if that has passed
  localparam int unsigned ExtendOffset = 32'h58;
  localparam int unsigned ExtendSectorsLsb = 0;
  localparam int unsigned ExtendSectorsWidth = 16;
  // Blocks of a pass
  localparam int unsigned LimitOffset = 32'h5c;
  localparam int unsigned LimitBlocksLsb = 0;
  localparam int unsigned LimitBlocksWidth = 16;
  // Step of the retry ladder; holds for the accesses that start from now on
  localparam int unsigned LadderStepOffset = 32'h80;
  localparam int unsigned LadderStepCount = 16;
  localparam int unsigned LadderStepRepeatsLsb = 0;
  localparam int unsigned LadderStepRepeatsWidth = 8;
  localparam int unsigned LadderStepOffsetLsb = 8;
  localparam int unsigned LadderStepOffsetWidth = 9;
  localparam int unsigned LadderStepDetectorLsb = 17;
  localparam int unsigned LadderStepDetectorWidth = 4;
  localparam int unsigned LadderStepErasureLsb = 21;
  localparam int unsigned LadderStepErasureWidth = 1;
  // Counter: reads of physical sectors, retries counted, modulo 2^32; all counters change when an access ends
  localparam int unsigned ReadCountOffset = 32'hc0;
  localparam int unsigned ReadCountCountLsb = 0;
  localparam int unsigned ReadCountCountWidth = 32;
  // Counter: reads of physical sectors that failed, modulo 2^32
  localparam int unsigned FailedCountOffset = 32'hc4;
  localparam int unsigned FailedCountCountLsb = 0;
  localparam int unsigned FailedCountCountWidth = 32;
  // Counter: physical sectors that a retry has read, modulo 2^32
  localparam int unsigned RecoveredCountOffset = 32'hc8;
  localparam int unsigned RecoveredCountCountLsb = 0;
  localparam int unsigned RecoveredCountCountWidth = 32;
  // Counter: physical sectors given up as unreadable, modulo 2^32
  localparam int unsigned UnreadableCountOffset = 32'hcc;
  localparam int unsigned UnreadableCountCountLsb = 0;
  localparam int unsigned UnreadableCountCountWidth = 32;
  // Counter: iterations of the decoder, bits 31:0
  localparam int unsigned IterationsLoOffset = 32'hd0;
  localparam int unsigned IterationsLoCountLsb = 0;
  localparam int unsigned IterationsLoCountWidth = 32;
  // Counter: iterations of the decoder, bits 63:32
  localparam int unsigned IterationsHiOffset = 32'hd4;
  localparam int unsigned IterationsHiCountLsb = 0;
  localparam int unsigned IterationsHiCountWidth = 32;
  // Counter: retries with a step of the ladder, modulo 2^32
  localparam int unsigned RetryCountOffset = 32'h100;
  localparam int unsigned RetryCountCount = 16;
  localparam int unsigned RetryCountCountLsb = 0;
  localparam int unsigned RetryCountCountWidth = 32;
endpackage
