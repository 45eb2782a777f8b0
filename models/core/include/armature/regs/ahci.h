// Generated from rtl/regs/ahci.rdl (sha256 f86355fc20fec3f9707e95cfbab070dee286574d14075bd725b73b1be3c59bd7). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::ahci {

enum Offset : std::uint32_t {
  kCap = 0x0000,  ///< HBA capabilities (3.1.1)
  kGhc = 0x0004,  ///< Global host control (3.1.2)
  kIs = 0x0008,  ///< Interrupt status (3.1.3)
  kPi = 0x000C,  ///< Ports implemented (3.1.4)
  kVs = 0x0010,  ///< Version (3.1.5)
  kCap2 = 0x0024,  ///< HBA capabilities, extended (3.1.10)
  kPxClb = 0x0100,  ///< Command list base address (3.3.1)
  kPxClbu = 0x0104,  ///< Command list base address, upper 32 bits (3.3.2)
  kPxFb = 0x0108,  ///< FIS base address (3.3.3)
  kPxFbu = 0x010C,  ///< FIS base address, upper 32 bits (3.3.4)
  kPxIs = 0x0110,  ///< Interrupt status (3.3.5)
  kPxIe = 0x0114,  ///< Interrupt enable (3.3.6): bits as in px_is
  kPxCmd = 0x0118,  ///< Command and status (3.3.7)
  kPxTfd = 0x0120,  ///< Task file data (3.3.8)
  kPxSig = 0x0124,  ///< Signature (3.3.9): count, LBA low, mid and high of the first Register FIS
  kPxSsts = 0x0128,  ///< Serial ATA status, SStatus (3.3.10)
  kPxSctl = 0x012C,  ///< Serial ATA control, SControl (3.3.11)
  kPxSerr = 0x0130,  ///< Serial ATA error, SError (3.3.12)
  kPxSact = 0x0134,  ///< Serial ATA active, SActive (3.3.13): a written one sets
  kPxCi = 0x0138,  ///< Command issue (3.3.14): a written one sets while cmd.st is set
};
inline constexpr std::uint32_t kPxClbCount = 8;
inline constexpr std::uint32_t kPxClbStride = 128;
inline constexpr std::uint32_t kPxClbuCount = 8;
inline constexpr std::uint32_t kPxClbuStride = 128;
inline constexpr std::uint32_t kPxFbCount = 8;
inline constexpr std::uint32_t kPxFbStride = 128;
inline constexpr std::uint32_t kPxFbuCount = 8;
inline constexpr std::uint32_t kPxFbuStride = 128;
inline constexpr std::uint32_t kPxIsCount = 8;
inline constexpr std::uint32_t kPxIsStride = 128;
inline constexpr std::uint32_t kPxIeCount = 8;
inline constexpr std::uint32_t kPxIeStride = 128;
inline constexpr std::uint32_t kPxCmdCount = 8;
inline constexpr std::uint32_t kPxCmdStride = 128;
inline constexpr std::uint32_t kPxTfdCount = 8;
inline constexpr std::uint32_t kPxTfdStride = 128;
inline constexpr std::uint32_t kPxSigCount = 8;
inline constexpr std::uint32_t kPxSigStride = 128;
inline constexpr std::uint32_t kPxSstsCount = 8;
inline constexpr std::uint32_t kPxSstsStride = 128;
inline constexpr std::uint32_t kPxSctlCount = 8;
inline constexpr std::uint32_t kPxSctlStride = 128;
inline constexpr std::uint32_t kPxSerrCount = 8;
inline constexpr std::uint32_t kPxSerrStride = 128;
inline constexpr std::uint32_t kPxSactCount = 8;
inline constexpr std::uint32_t kPxSactStride = 128;
inline constexpr std::uint32_t kPxCiCount = 8;
inline constexpr std::uint32_t kPxCiStride = 128;

namespace cap {
using Np = Field<0, 5>;  ///< Number of ports less one.
using Sxs = Field<5, 1>;  ///< External SATA: none.
using Ems = Field<6, 1>;  ///< Enclosure management: none.
using Cccs = Field<7, 1>;  ///< Command completion coalescing: none.
using Ncs = Field<8, 5>;  ///< Command slots less one.
using Psc = Field<13, 1>;  ///< Partial state.
using Ssc = Field<14, 1>;  ///< Slumber state.
using Pmd = Field<15, 1>;  ///< PIO with several DRQ blocks.
using Fbss = Field<16, 1>;  ///< FIS-based switching: none.
using Spm = Field<17, 1>;  ///< Port multiplier: none.
using Sam = Field<18, 1>;  ///< AHCI only: no legacy interface.
using Iss = Field<20, 4>;  ///< Interface speed: 1, 2 or 3 for 1.5, 3 and 6 Gb/s.
using Sclo = Field<24, 1>;  ///< Command list override.
using Sal = Field<25, 1>;  ///< Activity LED: none.
using Salp = Field<26, 1>;  ///< Aggressive link power management.
using Sss = Field<27, 1>;  ///< Staggered spin-up.
using Smps = Field<28, 1>;  ///< Mechanical presence switch: none.
using Ssntf = Field<29, 1>;  ///< SNotification register: none.
using Sncq = Field<30, 1>;  ///< Native command queuing.
using S64a = Field<31, 1>;  ///< 64-bit addresses.
}  // namespace cap

namespace ghc {
using Hr = Field<0, 1>;  ///< HBA reset; reads as one until it is over.
using Ie = Field<1, 1>;  ///< Interrupt enable.
using Mrsm = Field<2, 1>;  ///< One message for all ports: this controller has no more.
using Ae = Field<31, 1>;  ///< AHCI enable.
}  // namespace ghc

namespace is {
using Ips = Field<0, 32>;  ///< Port n has an enabled interrupt.
}  // namespace is

namespace pi {
using Pi = Field<0, 32>;
}  // namespace pi

namespace vs {
using Vs = Field<0, 32>;  ///< 1.3.1.
}  // namespace vs

namespace cap2 {
using Cap2 = Field<0, 32>;  ///< Neither BIOS handoff nor automatic transitions nor device sleep.
}  // namespace cap2

namespace px_clb {
using Clb = Field<10, 22>;
}  // namespace px_clb

namespace px_clbu {
using Clbu = Field<0, 32>;
}  // namespace px_clbu

namespace px_fb {
using Fb = Field<8, 24>;
}  // namespace px_fb

namespace px_fbu {
using Fbu = Field<0, 32>;
}  // namespace px_fbu

namespace px_is {
using Dhrs = Field<0, 1>;  ///< Device to host Register FIS.
using Pss = Field<1, 1>;  ///< PIO Setup FIS, its data have passed.
using Dss = Field<2, 1>;  ///< DMA Setup FIS.
using Sdbs = Field<3, 1>;  ///< Set Device Bits FIS.
using Ufs = Field<4, 1>;  ///< Unknown FIS: as serr.diag_f.
using Dps = Field<5, 1>;  ///< A descriptor with its interrupt bit is done.
using Pcs = Field<6, 1>;  ///< Port connect change: as serr.diag_x.
using Dmps = Field<7, 1>;  ///< Device mechanical presence: never.
using Prcs = Field<22, 1>;  ///< PhyRdy change: as serr.diag_n.
using Ipms = Field<23, 1>;  ///< Incorrect port multiplier: never.
using Ofs = Field<24, 1>;  ///< Overflow: the device has moved or asked for more than the descriptors have.
using Infs = Field<26, 1>;  ///< Interface non-fatal error.
using Ifs = Field<27, 1>;  ///< Interface fatal error.
using Hbds = Field<28, 1>;  ///< Host bus data error.
using Hbfs = Field<29, 1>;  ///< Host bus fatal error.
using Tfes = Field<30, 1>;  ///< Task file error.
using Cpds = Field<31, 1>;  ///< Cold port detect: never.
}  // namespace px_is

namespace px_ie {
using Low = Field<0, 8>;
using Middle = Field<22, 3>;
using High = Field<26, 6>;
}  // namespace px_ie

namespace px_cmd {
using St = Field<0, 1>;  ///< Start: process the command list.
using Sud = Field<1, 1>;  ///< Spin-up device; one, and read-only, without staggered spin-up.
using Pod = Field<2, 1>;  ///< Power on device: always.
using Clo = Field<3, 1>;  ///< Command list override: clears STS.BSY and STS.DRQ while st is clear.
using Fre = Field<4, 1>;  ///< FIS receive enable.
using Ccs = Field<8, 5>;  ///< Current command slot.
using Fr = Field<14, 1>;  ///< FIS receive running.
using Cr = Field<15, 1>;  ///< Command list running.
using Atapi = Field<24, 1>;  ///< The device is ATAPI (for the LED only).
using Dlae = Field<25, 1>;  ///< Drive the LED for ATAPI.
using Alpe = Field<26, 1>;  ///< Aggressive link power management: to Partial or Slumber as soon as no command is outstanding.
using Asp = Field<27, 1>;  ///< Aggressive Slumber instead of Partial.
using Icc = Field<28, 4>;  ///< Interface communication control: 1 active, 2 Partial, 6 Slumber; 0 when the change is over.
}  // namespace px_cmd

namespace px_tfd {
using Sts = Field<0, 8>;  ///< Status register.
using Err = Field<8, 8>;  ///< Error register.
}  // namespace px_tfd

namespace px_sig {
using Sig = Field<0, 32>;
}  // namespace px_sig

namespace px_ssts {
using Det = Field<0, 4>;  ///< 0 nothing, 1 device without communication, 3 communication, 4 offline.
using Spd = Field<4, 4>;  ///< Speed: 1, 2 or 3 for 1.5, 3 and 6 Gb/s.
using Ipm = Field<8, 4>;  ///< Power state: 1 active, 2 Partial, 6 Slumber.
}  // namespace px_ssts

namespace px_sctl {
using Det = Field<0, 4>;  ///< 1: COMRESET until it is changed; 4: offline.
using Spd = Field<4, 4>;  ///< Highest speed allowed; kept, and without effect on the link's rate.
using Ipm = Field<8, 4>;  ///< Bit 0: no Partial; bit 1: no Slumber.
}  // namespace px_sctl

namespace px_serr {
using ErrI = Field<0, 1>;  ///< Recovered data integrity error.
using ErrM = Field<1, 1>;  ///< Recovered communications error.
using ErrT = Field<8, 1>;  ///< Transient data integrity error.
using ErrC = Field<9, 1>;  ///< Persistent communication or data integrity error.
using ErrP = Field<10, 1>;  ///< Protocol error.
using ErrE = Field<11, 1>;  ///< Internal error.
using DiagN = Field<16, 1>;  ///< PhyRdy change.
using DiagI = Field<17, 1>;  ///< Phy internal error.
using DiagW = Field<18, 1>;  ///< Comm Wake detected.
using DiagB = Field<19, 1>;  ///< 10b to 8b decode error.
using DiagD = Field<20, 1>;  ///< Disparity error.
using DiagC = Field<21, 1>;  ///< CRC error of a received frame.
using DiagH = Field<22, 1>;  ///< Handshake error: R_ERR for a frame sent.
using DiagS = Field<23, 1>;  ///< Link sequence error.
using DiagT = Field<24, 1>;  ///< Transport state transition error.
using DiagF = Field<25, 1>;  ///< Unknown FIS type.
using DiagX = Field<26, 1>;  ///< Exchanged: COMINIT received. While it is set, the device's first Register FIS waits.
}  // namespace px_serr

namespace px_sact {
using Ds = Field<0, 32>;  ///< Tag n is outstanding.
}  // namespace px_sact

namespace px_ci {
using Ci = Field<0, 32>;  ///< Slot n has a command.
}  // namespace px_ci

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"cap", 0x0, 0xC534FF00, 0xFFF7FFFF, 0x0, 0x0, 0x0, 1, 4},
    {"ghc", 0x4, 0x80000000, 0x80000007, 0x3, 0x0, 0x1, 1, 4},
    {"is", 0x8, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 1, 4},
    {"pi", 0xC, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"vs", 0x10, 0x10301, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"cap2", 0x24, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"px_clb", 0x100, 0x0, 0xFFFFFC00, 0xFFFFFC00, 0x0, 0x0, 8, 128},
    {"px_clbu", 0x104, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 8, 128},
    {"px_fb", 0x108, 0x0, 0xFFFFFF00, 0xFFFFFF00, 0x0, 0x0, 8, 128},
    {"px_fbu", 0x10C, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 8, 128},
    {"px_is", 0x110, 0x0, 0xFDC000FF, 0xFD8000AF, 0xFD8000AF, 0x0, 8, 128},
    {"px_ie", 0x114, 0x0, 0xFDC000FF, 0xFDC000FF, 0x0, 0x0, 8, 128},
    {"px_cmd", 0x118, 0x4, 0xFF00DF1F, 0xFF00001B, 0x0, 0x8, 8, 128},
    {"px_tfd", 0x120, 0x7F, 0xFFFF, 0x0, 0x0, 0x0, 8, 128},
    {"px_sig", 0x124, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 0x0, 8, 128},
    {"px_ssts", 0x128, 0x0, 0xFFF, 0x0, 0x0, 0x0, 8, 128},
    {"px_sctl", 0x12C, 0x0, 0xFFF, 0xFFF, 0x0, 0x0, 8, 128},
    {"px_serr", 0x130, 0x0, 0x7FF0F03, 0x7FF0F03, 0x7FF0F03, 0x0, 8, 128},
    {"px_sact", 0x134, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0xFFFFFFFF, 8, 128},
    {"px_ci", 0x138, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0xFFFFFFFF, 8, 128},
};

}  // namespace armature::regs::ahci
