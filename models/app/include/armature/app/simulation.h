#pragma once

#include "armature/app/firmware_traces.h"
#include "armature/app/scenario.h"
#include "armature/array/layout.h"
#include "armature/core/time.h"
#include "armature/observe/run_outputs.h"
#include "armature/workload/source.h"

#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

class GdbDebugger;
class NbdService;

/// What the requests that were read ahead cover.
struct Footprint {
  std::uint64_t requests = 0;  ///< that were looked at; 0: none, as with a synthetic load
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t end = 0;  ///< one behind the last sector
  std::uint64_t sectors = 0;
  Ps first_arrival = 0;
  Ps last_arrival = 0;
  std::string reading;  ///< Source::reading
};

/// Name of an array in the results.
inline constexpr const char* kArrayName = "array";

/// The array of a scenario; its drives by their number in it.
struct ArrayPreparation {
  std::vector<std::size_t> members;
  std::vector<std::size_t> spares;
  std::optional<std::size_t> store;  ///< in front of the members
  std::uint64_t store_sectors = 0;
  std::optional<array::Layout> layout;
  bool data = false;                        ///< requests carry data
  bool verify = false;                      ///< host.verify of its drives: the data are compared
  bool blank = true;                        ///< its drives hold nothing at the beginning
  bool read_back = false, journal = false;  ///< host.read_back and host.journal of its drives
  bool supply_may_fail = false;             ///< of one of its drives
  bool volatile_cache = false;              ///< a member acknowledges what is not on its media
  bool sound = false;                       ///< nothing but a loss of power makes a member's sector unreadable
  std::uint32_t logical_sectors = 1;

  /// Number of a drive among the array's: members first, then spares, then the store; -1 if it is none of them.
  int device(std::size_t drive) const;
};

/// What stands before a run can begin, found without writing anything. In the lists one entry a drive, and a last one
/// for the array if there is one.
struct Preparation {
  std::vector<observe::DriveDescription> drives;
  std::vector<std::uint64_t> sectors;                      ///< capacities
  std::vector<std::unique_ptr<workload::Source>> sources;  ///< null for drives of the array
  std::vector<std::uint64_t> requests;                     ///< in all; 0 if not known
  std::vector<Footprint> footprints;
  std::optional<ArrayPreparation> array;
  observe::WaveOptions waves;
  std::vector<std::string> labels;  ///< what makes the run a study
};

/// How much of a trace `prepare` reads: the beginning costs some 10 ms and finds what is no trace at all.
inline constexpr std::uint64_t kTraceBeginning = 65'536;
inline constexpr std::uint64_t kWholeTrace = ~std::uint64_t{0};

/// Checks everything that keys say together: geometry, seek curve, link, queue, window of the waves; reads up to
/// `trace_requests` of the trace. Throws InputError with the place of the key that is wrong, or of its section.
Preparation prepare(const Scenario& scenario, std::uint64_t trace_requests = kTraceBeginning);
/// The same without the workload: its sources are still to be given.
Preparation prepare_unloaded(const Scenario& scenario);

/// `error`, by which a block refused the drive `setup`, with a place: its own, or the place of the key in question.
InputError of_drive(const InputError& error, const DriveSetup& setup);

/// `error`, by which a source of requests refused its parameters, with a place: its own, or the workload key's.
InputError of_workload(const InputError& error, const Scenario& scenario, const DriveSetup& setup);

/// What an account of the drive's energy and temperatures needs; nothing if its file has no powers. @throws InputError
std::optional<observe::EnergyOptions> energy_of(const DriveSetup& setup);

/// What the means of the drive's governor save; nothing if its file has no powers. @throws InputError
drive::SavingParams saving_of(const DriveSetup& setup);

/// The same as prepare for one drive by itself; returns its capacity in sectors.
std::uint64_t check_drive(const DriveSetup& setup);

struct Progress {
  std::uint64_t completed = 0;  ///< requests, all drives
  std::uint64_t expected = 0;   ///< in all; 0 if not known
  double fraction = -1;         ///< of the run; negative if not known
  Ps at = 0;                    ///< simulated time
  double wall_seconds = 0;
  double rebuilt = -1;  ///< share of an array's member that the rebuild under way has done; negative: there is none
};

struct RunControl {
  std::function<void(const Progress&)> progress;     ///< called every 0.1 s or so; may be empty
  const volatile std::sig_atomic_t* stop = nullptr;  ///< set by a signal's handler: end the run
  FirmwareTraces* traces = nullptr;                  ///< of firmware's instructions, if there are any
  bool check_firmware = false;          ///< hold firmware to the rules of time; the first that it breaks ends the run
  GdbDebugger* gdb = nullptr;           ///< the run waits for it before it begins
  NbdService* nbd = nullptr;            ///< its clients are the load
  std::function<void()> before_output;  ///< a guest of a Linux run is about to write to standard output; may be empty
  Ps slice = 0;  ///< simulated time between looks at `stop`; 0: about 50 ms of wall time. No effect on results.
};

enum class Ending {
  complete,     ///< every request of the workload completed
  until,        ///< simulation.until_s was reached
  interrupted,  ///< `stop` was set
  stalled,      ///< requests outstanding and no progress
  failed,       ///< firmware reported an impossible state, or a model did
  bad_input,    ///< the trace is broken further on
};

struct RunResult {
  Ending ending = Ending::complete;
  std::string message;  ///< why, if not complete; several lines for a stall
  Ps end = 0;
  double wall_seconds = 0;
  std::optional<observe::Verification> verification;    ///< if host.verify is on
  std::string rebuild;                                  ///< of an array, in a line; empty: there was none
  std::vector<std::string> notes;                       ///< of the input: what of it was left out
  std::vector<std::vector<observe::Counter>> counters;  ///< by drive, then those of the array, if there is one
};

/// Builds the drives of `scenario` with their hosts and links, runs them side by side in one simulation, and finishes
/// `outputs`. Once a process: SystemC elaborates once.
RunResult run(const Scenario& scenario, Preparation preparation, observe::RunOutputs& outputs,
              const RunControl& control);

}  // namespace armature::app
