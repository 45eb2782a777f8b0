// Generated from rtl/regs/hif.rdl (sha256 8525c791d8038c1152d6aea7e90dd35402e6259ebe9885079a5d20b6614ffdbe). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::hif {

enum Offset : std::uint32_t {
  kCtrl = 0x0000,  ///< Control
  kIntstat = 0x0004,  ///< Interrupt status
  kInten = 0x0008,  ///< Interrupt enable
  kCmd = 0x0010,  ///< Command: tag and class of the FIFO's head
  kCmdLbaLo = 0x0014,  ///< Command: LBA 31:0
  kCmdLbaHi = 0x0018,  ///< Command: LBA 47:32 and device register
  kCmdCode = 0x001C,  ///< Command: code and features
  kCmdCount = 0x0020,  ///< Command: raw count field
  kCmdPop = 0x0024,  ///< Command: take the head off the FIFO
  kDmaAddr = 0x0030,  ///< DMA descriptor: address in buffer RAM, in bytes
  kDmaOffset = 0x0034,  ///< DMA descriptor: offset within the command's data, in sectors
  kDmaGo = 0x0038,  ///< DMA descriptor: length and start; the write queues the descriptor
  kDmaDone = 0x003C,  ///< DMA: oldest completed descriptor
  kDmaPop = 0x0040,  ///< DMA: take the oldest completion off
  kPio = 0x0044,  ///< PIO data of the command at work
  kHitSectorsLo = 0x0048,  ///< Sectors of reads that hardware has answered, 31:0
  kHitSectorsHi = 0x004C,  ///< Sectors of reads that hardware has answered, 63:32
  kTaskfile = 0x0050,  ///< Completion: taskfile for the next completion
  kTaskfileLbaLo = 0x0054,  ///< Completion: LBA 31:0 for a D2H Register frame
  kTaskfileLbaHi = 0x0058,  ///< Completion: LBA 47:32 for a D2H Register frame
  kComplete = 0x005C,  ///< Completion: send
  kDmaWhole = 0x0060,  ///< DMA descriptor: all data of its queued command, in sectors of 512 bytes
  kPast = 0x0080,  ///< The last five commands that came, the newest first, five words each
};
inline constexpr std::uint32_t kPastCount = 25;
inline constexpr std::uint32_t kPastStride = 4;

namespace ctrl {
using Enable = Field<0, 1>;  ///< Commands are presented, and queued ones accepted on the link; while 0 they are stored and the host sees BSY.
using Halt = Field<1, 1>;  ///< After a failed queued command: every command but READ LOG EXT 10h is presented with `halted` set.
using Abort = Field<31, 1>;  ///< Empties the command FIFO and the DMA queue and forgets the tags in use (after an error of a queued command). Completions already ordered are still sent.
}  // namespace ctrl

namespace intstat {
using Read = Field<0, 1>;  ///< The command FIFO's head is a media read; until `cmd_pop`.
using Write = Field<1, 1>;  ///< The command FIFO's head is a media write; until `cmd_pop`.
using Other = Field<2, 1>;  ///< The command FIFO's head is another command; until `cmd_pop`.
using Dma = Field<3, 1>;  ///< A DMA descriptor is done, see `dma_done`; until `dma_pop` takes the last one.
using LinkError = Field<4, 1>;  ///< A data frame that nobody asked for or that was too long, or a descriptor or completion that cannot be.
using Reset = Field<5, 1>;  ///< The host has reset the drive (SRST or COMRESET). The block has dropped commands, descriptors and frames that were not sent yet, and ignores descriptors and completions until this is cleared. Shares the line of `link_error`.
using Comreset = Field<6, 1>;  ///< The reset was COMRESET, or there was one among several. Raises no interrupt by itself.
}  // namespace intstat

namespace inten {
using Read = Field<0, 1>;
using Write = Field<1, 1>;
using Other = Field<2, 1>;
using Dma = Field<3, 1>;
using LinkError = Field<4, 1>;
using Reset = Field<5, 1>;
}  // namespace inten

namespace cmd {
using Tag = Field<0, 10>;  ///< Tag; 0 for a command that is not queued. Above 31 only with study tags.
using Sectors = Field<10, 17>;  ///< Number of sectors of a media command, 1 to 65,536 (the frame's 0 is shown as 65,536; of a 28-bit command as 256).
using Fua = Field<27, 1>;  ///< Forced unit access.
using Write = Field<28, 1>;  ///< Data go from host to drive.
using Queued = Field<29, 1>;  ///< A queued (FPDMA) command.
using Halted = Field<30, 1>;  ///< Not acceptable when it came: halted by `ctrl.halt`, queued and unqueued commands mixed, or a tag in use; not accepted on the link.
using Valid = Field<31, 1>;  ///< The FIFO is not empty; otherwise the rest reads 0.
}  // namespace cmd

namespace cmd_lba_lo {
using Lba = Field<0, 32>;  ///< Of a 28-bit media command bits 27:24 come from the device register.
}  // namespace cmd_lba_lo

namespace cmd_lba_hi {
using Lba = Field<0, 16>;
using Device = Field<16, 8>;
using Limit = Field<24, 3>;  ///< Auxiliary bits 2:0 of the frame: the duration limit of a queued command, 0: none.
using Broken = Field<31, 1>;  ///< A read hit that hardware was sending when the host broke the transfer off: nothing of it is under way any more, firmware reports the error.
}  // namespace cmd_lba_hi

namespace cmd_code {
using Code = Field<0, 8>;  ///< ATA command code.
using Features = Field<8, 16>;  ///< Features 15:0.
}  // namespace cmd_code

namespace cmd_count {
using Count = Field<0, 16>;
}  // namespace cmd_count

namespace cmd_pop {
using Pop = Field<0, 1>;  ///< Written 1: the next command, if any, is presented and raises its cause.
}  // namespace cmd_pop

namespace dma_addr {
using Address = Field<0, 32>;
}  // namespace dma_addr

namespace dma_offset {
using Offset = Field<0, 17>;
}  // namespace dma_offset

namespace dma_go {
using Tag = Field<0, 10>;  ///< Tag of the command.
using Sectors = Field<10, 17>;  ///< Length in sectors of 512 bytes, 1 to 65,536.
using ToHost = Field<27, 1>;  ///< From drive to host.
using Queued = Field<28, 1>;  ///< Of a queued command: preceded by a DMA Setup frame.
using Pio = Field<29, 1>;  ///< PIO data: each DRQ block is preceded by a PIO Setup frame (`pio`).
using Discard = Field<30, 1>;  ///< The data stay here (READ VERIFY): the descriptor is done as soon as it is its turn.
}  // namespace dma_go

namespace dma_done {
using Tag = Field<0, 10>;  ///< Tag of the descriptor.
using Sectors = Field<10, 17>;  ///< Length in sectors.
using ToHost = Field<27, 1>;  ///< From drive to host.
using Error = Field<30, 1>;  ///< The host broke the transfer off.
using Valid = Field<31, 1>;  ///< There is a completed descriptor.
}  // namespace dma_done

namespace dma_pop {
using Pop = Field<0, 1>;
}  // namespace dma_pop

namespace pio {
using Block = Field<0, 5>;  ///< Length of a DRQ block in sectors of 512 bytes, 1 to 16.
using Sectors = Field<8, 20>;  ///< All data of the command in sectors of 512 bytes. `dma_done` shows its descriptors; data-in end the command with its last block, without a Register frame. 0: a page of firmware's, which ends the command and is not shown by `dma_done`. 0 again when the command ends.
}  // namespace pio

namespace hit_sectors_lo {
using Sectors = Field<0, 32>;
}  // namespace hit_sectors_lo

namespace hit_sectors_hi {
using Sectors = Field<0, 32>;
}  // namespace hit_sectors_hi

namespace taskfile {
using Status = Field<0, 8>;  ///< ATA status.
using Error = Field<8, 8>;  ///< ATA error.
using Count = Field<16, 8>;  ///< Count 7:0 of the D2H Register frame.
using Device = Field<24, 8>;  ///< Device register of the D2H Register frame.
}  // namespace taskfile

namespace taskfile_lba_lo {
using Lba = Field<0, 32>;
}  // namespace taskfile_lba_lo

namespace taskfile_lba_hi {
using Lba = Field<0, 16>;
}  // namespace taskfile_lba_hi

namespace complete {
using Tag = Field<0, 10>;  ///< Tag that completes.
using Queued = Field<10, 1>;  ///< Set Device Bits frame (queued); otherwise a D2H Register frame with the taskfile.
using Failed = Field<11, 1>;  ///< With the taskfile's status and error: a queued command failed, no tag is completed.
using Signature = Field<12, 1>;  ///< The taskfile is the signature after a reset: a D2H Register frame without interrupt, sent as soon as the host has cleared SRST. Commands that come before it are dropped.
}  // namespace complete

namespace dma_whole {
using Sectors = Field<0, 20>;  ///< Not 0: the descriptor queued next is one of several that one DMA Setup frame announces, with the buffer offset 0. From the command's first descriptor to its last sector no data of another command move. 0 again when the descriptor is queued.
}  // namespace dma_whole

namespace past {
using Word = Field<0, 32>;  ///< Four dwords of the Register frame, and milliseconds since power-on. 0: there was none.
}  // namespace past

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"ctrl", 0x0, 0x0, 0x3, 0x80000003, 0x0, 0x80000000, 1, 4},
    {"intstat", 0x4, 0x0, 0x7F, 0x70, 0x70, 0x0, 1, 4},
    {"inten", 0x8, 0x0, 0x3F, 0x3F, 0x0, 0x0, 1, 4},
    {"cmd", 0x10, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"cmd_lba_lo", 0x14, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"cmd_lba_hi", 0x18, 0x0, 0x87FFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"cmd_code", 0x1C, 0x0, 0xFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"cmd_count", 0x20, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"cmd_pop", 0x24, 0x0, 0x0, 0x1, 0x0, 0x1, 1, 4},
    {"dma_addr", 0x30, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"dma_offset", 0x34, 0x0, 0x1FFFF, 0x1FFFF, 0x0, 0x0, 1, 4},
    {"dma_go", 0x38, 0x0, 0x0, 0x7FFFFFFF, 0x0, 0x7FFFFFFF, 1, 4},
    {"dma_done", 0x3C, 0x0, 0xCFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"dma_pop", 0x40, 0x0, 0x0, 0x1, 0x0, 0x1, 1, 4},
    {"pio", 0x44, 0x1, 0xFFFFF1F, 0xFFFFF1F, 0x0, 0x0, 1, 4},
    {"hit_sectors_lo", 0x48, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"hit_sectors_hi", 0x4C, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"taskfile", 0x50, 0x50, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"taskfile_lba_lo", 0x54, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"taskfile_lba_hi", 0x58, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"complete", 0x5C, 0x0, 0x0, 0x1FFF, 0x0, 0x1FFF, 1, 4},
    {"dma_whole", 0x60, 0x0, 0xFFFFF, 0xFFFFF, 0x0, 0x0, 1, 4},
    {"past", 0x80, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 25, 4},
};

}  // namespace armature::regs::hif
