#pragma once

#include "armature/core/error.h"
#include "armature/platform/version.h"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef ARMATURE_DATA_DIR  // Armature::drive and armature.pc define it
#define ARMATURE_DATA_DIR ""
#endif

namespace armature {

/// Which drive, and how it differs from its file.
struct DriveOptions {
  /// A drive file, or a scenario. Relative to the working directory, or to the scenarios that were installed:
  /// "drives/quantum_atlas_10k.toml".
  std::string file;
  /// Of a scenario with several drives the one that is meant. Its workload, host policies and array are not used.
  std::string drive;
  /// Keys over those of the file, the later one wins: "cache.write = true". docs/reference/configuration.md has all
  /// keys.
  std::vector<std::string> settings;
  /// Probes that the drive shows as signals, by their path below it: "disk.srv0.position" (docs/guide/waves.md).
  std::vector<std::string> probes;
  /// Folder with `scenarios`; empty: where this program was installed or built.
  std::string data_folder = ARMATURE_DATA_DIR;
};

/// For a transaction that is more than a read or a write of blocks. An initiator sets it on the generic payload.
class BlockExtension : public tlm::tlm_extension<BlockExtension> {
 public:
  bool fua = false;    ///< forced unit access: a write ends when it is on the medium, a read comes from there
  bool flush = false;  ///< FLUSH CACHE EXT; goes with TLM_IGNORE_COMMAND, and address and length mean nothing

  tlm::tlm_extension_base* clone() const override { return new BlockExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const BlockExtension&>(other); }
};

/// What a drive has done from time 0 up to now. A request is a transaction of `Drive::blocks`, or a command at an AHCI
/// port that reads, writes or flushes.
struct DriveResults {
  std::uint64_t requests = 0;                        ///< completed ones, failed ones too
  std::uint64_t reads = 0, writes = 0, flushes = 0;  ///< of these
  std::uint64_t failed = 0;
  std::uint64_t bytes = 0;       ///< of requests that did not fail
  std::uint64_t unfinished = 0;  ///< requests that have arrived and not completed
  // Response times in seconds, from the arrival of a transaction to its completion; 0 if there was no request.
  double mean_response_s = 0;
  double median_response_s = 0;
  double p99_response_s = 0;
  double max_response_s = 0;
  /// Mean time of a request in each phase, in seconds; together they are the mean response (docs/reference/results.md).
  std::vector<std::pair<std::string, double>> phases_s;
  /// In joules; nothing if the drive file gives no powers. `parts_j`: by component; together they are the energy.
  std::optional<double> energy_j;
  std::vector<std::pair<std::string, double>> parts_j;
  /// Of the case, in degrees Celsius; nothing if the drive file has no section `thermal`.
  std::optional<double> case_c;
  double until_s = 0;  ///< simulated time up to which all this counts
};

/// What a drive of a platform tells and takes, whatever its front end.
class AnyDrive {
 public:
  struct Parts;  // of the library's
  AnyDrive(const AnyDrive&) = delete;
  AnyDrive& operator=(const AnyDrive&) = delete;

  std::string model() const;           ///< as IDENTIFY DEVICE tells it
  std::uint64_t bytes() const;         ///< capacity
  std::uint32_t sector_bytes() const;  ///< of a logical sector: 512 or 4096
  unsigned arms() const;               ///< of a MEMS store: sleds

  /// A probe of DriveOptions::probes as a signal: a real in its unit, a bit as 0 or 1, a vector as a number. It has the
  /// value from the delta cycle after the change on. Throws InputError if it is none of these, or the drive has none of
  /// that name.
  const sc_core::sc_signal_in_if<double>& probe(std::string_view path) const;

  /// The supply fails now, or is back. What happens then to commands under way is the front end's.
  void power_off();
  void power_on();

  /// At any time, from the simulation or after it.
  DriveResults results();

 protected:
  explicit AnyDrive(std::unique_ptr<Parts> parts);
  ~AnyDrive();

  std::unique_ptr<Parts> parts_;
};

/// A drive with its link and a host bus adapter in front, as a module of somebody's platform.
///
/// `blocks` is a target of TLM's base protocol. The address is a byte of the drive, the length a number of bytes; both
/// are multiples of `sector_bytes`, and the length is 65,536 sectors at most. Each transaction becomes one ATA command,
/// a queued one if the drive file's host uses NCQ, and goes over link, firmware and mechanics. Data are kept in memory
/// unless the file names a place (media.contents = "file").
///
///  - `b_transport` waits for `delay` first, and returns with the data and a delay of 0 when the command has ended. It
///    belongs into an SC_THREAD. Several threads may call it at once: as many commands are at the drive as it has tags,
///    and the others wait in the order in which they came.
///  - `nb_transport_fw` takes a transaction at BEGIN_REQ and answers TLM_UPDATED with END_REQ; BEGIN_RESP comes when the
///    command has ended, and END_RESP or TLM_COMPLETED must answer it before the next one comes.
///  - Responses: TLM_ADDRESS_ERROR_RESPONSE beyond the end of the drive, TLM_BURST_ERROR_RESPONSE for what is not
///    whole sectors, TLM_BYTE_ENABLE_ERROR_RESPONSE, TLM_COMMAND_ERROR_RESPONSE for TLM_IGNORE_COMMAND without a flush,
///    TLM_GENERIC_ERROR_RESPONSE for an ATA error.
///  - There is neither debug transport (it answers 0 bytes) nor DMI.
///  - After `power_off`, what was under way is done again when the supply is back.
///
/// Simulated time must have its default resolution of 1 ps.
class Drive : public sc_core::sc_module, public AnyDrive {
 public:
  /// Throws InputError, with file and line, for what is wrong in the file or in an option.
  Drive(sc_core::sc_module_name name, const DriveOptions& options);
  ~Drive() override;

  tlm::tlm_target_socket<>& blocks();

 private:
  struct Blocks;
};

}  // namespace armature
