// Generated from rtl/regs/hif.rdl (sha256 8525c791d8038c1152d6aea7e90dd35402e6259ebe9885079a5d20b6614ffdbe). Do not edit: ./armature gen regs
package hif_regs_pkg;
  // Control
  localparam int unsigned CtrlOffset = 32'h0;
  localparam int unsigned CtrlEnableLsb = 0;
  localparam int unsigned CtrlEnableWidth = 1;
  localparam int unsigned CtrlHaltLsb = 1;
  localparam int unsigned CtrlHaltWidth = 1;
  localparam int unsigned CtrlAbortLsb = 31;
  localparam int unsigned CtrlAbortWidth = 1;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h4;
  localparam int unsigned IntstatReadLsb = 0;
  localparam int unsigned IntstatReadWidth = 1;
  localparam int unsigned IntstatWriteLsb = 1;
  localparam int unsigned IntstatWriteWidth = 1;
  localparam int unsigned IntstatOtherLsb = 2;
  localparam int unsigned IntstatOtherWidth = 1;
  localparam int unsigned IntstatDmaLsb = 3;
  localparam int unsigned IntstatDmaWidth = 1;
  localparam int unsigned IntstatLinkErrorLsb = 4;
  localparam int unsigned IntstatLinkErrorWidth = 1;
  localparam int unsigned IntstatResetLsb = 5;
  localparam int unsigned IntstatResetWidth = 1;
  localparam int unsigned IntstatComresetLsb = 6;
  localparam int unsigned IntstatComresetWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'h8;
  localparam int unsigned IntenReadLsb = 0;
  localparam int unsigned IntenReadWidth = 1;
  localparam int unsigned IntenWriteLsb = 1;
  localparam int unsigned IntenWriteWidth = 1;
  localparam int unsigned IntenOtherLsb = 2;
  localparam int unsigned IntenOtherWidth = 1;
  localparam int unsigned IntenDmaLsb = 3;
  localparam int unsigned IntenDmaWidth = 1;
  localparam int unsigned IntenLinkErrorLsb = 4;
  localparam int unsigned IntenLinkErrorWidth = 1;
  localparam int unsigned IntenResetLsb = 5;
  localparam int unsigned IntenResetWidth = 1;
  // Command: tag and class of the FIFO's head
  localparam int unsigned CmdOffset = 32'h10;
  localparam int unsigned CmdTagLsb = 0;
  localparam int unsigned CmdTagWidth = 10;
  localparam int unsigned CmdSectorsLsb = 10;
  localparam int unsigned CmdSectorsWidth = 17;
  localparam int unsigned CmdFuaLsb = 27;
  localparam int unsigned CmdFuaWidth = 1;
  localparam int unsigned CmdWriteLsb = 28;
  localparam int unsigned CmdWriteWidth = 1;
  localparam int unsigned CmdQueuedLsb = 29;
  localparam int unsigned CmdQueuedWidth = 1;
  localparam int unsigned CmdHaltedLsb = 30;
  localparam int unsigned CmdHaltedWidth = 1;
  localparam int unsigned CmdValidLsb = 31;
  localparam int unsigned CmdValidWidth = 1;
  // Command: LBA 31:0
  localparam int unsigned CmdLbaLoOffset = 32'h14;
  localparam int unsigned CmdLbaLoLbaLsb = 0;
  localparam int unsigned CmdLbaLoLbaWidth = 32;
  // Command: LBA 47:32 and device register
  localparam int unsigned CmdLbaHiOffset = 32'h18;
  localparam int unsigned CmdLbaHiLbaLsb = 0;
  localparam int unsigned CmdLbaHiLbaWidth = 16;
  localparam int unsigned CmdLbaHiDeviceLsb = 16;
  localparam int unsigned CmdLbaHiDeviceWidth = 8;
  localparam int unsigned CmdLbaHiLimitLsb = 24;
  localparam int unsigned CmdLbaHiLimitWidth = 3;
  localparam int unsigned CmdLbaHiBrokenLsb = 31;
  localparam int unsigned CmdLbaHiBrokenWidth = 1;
  // Command: code and features
  localparam int unsigned CmdCodeOffset = 32'h1c;
  localparam int unsigned CmdCodeCodeLsb = 0;
  localparam int unsigned CmdCodeCodeWidth = 8;
  localparam int unsigned CmdCodeFeaturesLsb = 8;
  localparam int unsigned CmdCodeFeaturesWidth = 16;
  // Command: raw count field
  localparam int unsigned CmdCountOffset = 32'h20;
  localparam int unsigned CmdCountCountLsb = 0;
  localparam int unsigned CmdCountCountWidth = 16;
  // Command: take the head off the FIFO
  localparam int unsigned CmdPopOffset = 32'h24;
  localparam int unsigned CmdPopPopLsb = 0;
  localparam int unsigned CmdPopPopWidth = 1;
  // DMA descriptor: address in buffer RAM, in bytes
  localparam int unsigned DmaAddrOffset = 32'h30;
  localparam int unsigned DmaAddrAddressLsb = 0;
  localparam int unsigned DmaAddrAddressWidth = 32;
  // DMA descriptor: offset within the command's data, in sectors
  localparam int unsigned DmaOffsetOffset = 32'h34;
  localparam int unsigned DmaOffsetOffsetLsb = 0;
  localparam int unsigned DmaOffsetOffsetWidth = 17;
  // DMA descriptor: length and start; the write queues the descriptor
  localparam int unsigned DmaGoOffset = 32'h38;
  localparam int unsigned DmaGoTagLsb = 0;
  localparam int unsigned DmaGoTagWidth = 10;
  localparam int unsigned DmaGoSectorsLsb = 10;
  localparam int unsigned DmaGoSectorsWidth = 17;
  localparam int unsigned DmaGoToHostLsb = 27;
  localparam int unsigned DmaGoToHostWidth = 1;
  localparam int unsigned DmaGoQueuedLsb = 28;
  localparam int unsigned DmaGoQueuedWidth = 1;
  localparam int unsigned DmaGoPioLsb = 29;
  localparam int unsigned DmaGoPioWidth = 1;
  localparam int unsigned DmaGoDiscardLsb = 30;
  localparam int unsigned DmaGoDiscardWidth = 1;
  // DMA: oldest completed descriptor
  localparam int unsigned DmaDoneOffset = 32'h3c;
  localparam int unsigned DmaDoneTagLsb = 0;
  localparam int unsigned DmaDoneTagWidth = 10;
  localparam int unsigned DmaDoneSectorsLsb = 10;
  localparam int unsigned DmaDoneSectorsWidth = 17;
  localparam int unsigned DmaDoneToHostLsb = 27;
  localparam int unsigned DmaDoneToHostWidth = 1;
  localparam int unsigned DmaDoneErrorLsb = 30;
  localparam int unsigned DmaDoneErrorWidth = 1;
  localparam int unsigned DmaDoneValidLsb = 31;
  localparam int unsigned DmaDoneValidWidth = 1;
  // DMA: take the oldest completion off
  localparam int unsigned DmaPopOffset = 32'h40;
  localparam int unsigned DmaPopPopLsb = 0;
  localparam int unsigned DmaPopPopWidth = 1;
  // PIO data of the command at work
  localparam int unsigned PioOffset = 32'h44;
  localparam int unsigned PioBlockLsb = 0;
  localparam int unsigned PioBlockWidth = 5;
  localparam int unsigned PioSectorsLsb = 8;
  localparam int unsigned PioSectorsWidth = 20;
  // Sectors of reads that hardware has answered, 31:0
  localparam int unsigned HitSectorsLoOffset = 32'h48;
  localparam int unsigned HitSectorsLoSectorsLsb = 0;
  localparam int unsigned HitSectorsLoSectorsWidth = 32;
  // Sectors of reads that hardware has answered, 63:32
  localparam int unsigned HitSectorsHiOffset = 32'h4c;
  localparam int unsigned HitSectorsHiSectorsLsb = 0;
  localparam int unsigned HitSectorsHiSectorsWidth = 32;
  // Completion: taskfile for the next completion
  localparam int unsigned TaskfileOffset = 32'h50;
  localparam int unsigned TaskfileStatusLsb = 0;
  localparam int unsigned TaskfileStatusWidth = 8;
  localparam int unsigned TaskfileErrorLsb = 8;
  localparam int unsigned TaskfileErrorWidth = 8;
  localparam int unsigned TaskfileCountLsb = 16;
  localparam int unsigned TaskfileCountWidth = 8;
  localparam int unsigned TaskfileDeviceLsb = 24;
  localparam int unsigned TaskfileDeviceWidth = 8;
  // Completion: LBA 31:0 for a D2H Register frame
  localparam int unsigned TaskfileLbaLoOffset = 32'h54;
  localparam int unsigned TaskfileLbaLoLbaLsb = 0;
  localparam int unsigned TaskfileLbaLoLbaWidth = 32;
  // Completion: LBA 47:32 for a D2H Register frame
  localparam int unsigned TaskfileLbaHiOffset = 32'h58;
  localparam int unsigned TaskfileLbaHiLbaLsb = 0;
  localparam int unsigned TaskfileLbaHiLbaWidth = 16;
  // Completion: send
  localparam int unsigned CompleteOffset = 32'h5c;
  localparam int unsigned CompleteTagLsb = 0;
  localparam int unsigned CompleteTagWidth = 10;
  localparam int unsigned CompleteQueuedLsb = 10;
  localparam int unsigned CompleteQueuedWidth = 1;
  localparam int unsigned CompleteFailedLsb = 11;
  localparam int unsigned CompleteFailedWidth = 1;
  localparam int unsigned CompleteSignatureLsb = 12;
  localparam int unsigned CompleteSignatureWidth = 1;
  // DMA descriptor: all data of its queued command, in sectors of 512 bytes
  localparam int unsigned DmaWholeOffset = 32'h60;
  localparam int unsigned DmaWholeSectorsLsb = 0;
  localparam int unsigned DmaWholeSectorsWidth = 20;
  // The last five commands that came, the newest first, five words each
  localparam int unsigned PastOffset = 32'h80;
  localparam int unsigned PastCount = 25;
  localparam int unsigned PastWordLsb = 0;
  localparam int unsigned PastWordWidth = 32;
endpackage
