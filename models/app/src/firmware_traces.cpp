#include "armature/app/firmware_traces.h"

#include "armature/app/linked_drive.h"
#include "armature/controller/iss_processor.h"
#include "armature/controller/soc.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/input_file.h"
#include "armature/firmware/fw_abi.h"
#include "armature/iss/disassembly.h"
#include "armature/iss/execution.h"
#include "armature/observe/request_tracker.h"
#include "armature/regs/dbg.h"
#include "armature/regs/soc.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

namespace armature::app {
namespace {

namespace dbg = regs::dbg;
namespace soc = regs::soc;
using controller::HandlerProcessor;
using iss::Execution;

constexpr std::int64_t kNobody = -1;  ///< no request
constexpr const char* kIdle = "idle";

bool runs_elf(const DriveSetup& setup) {
  return setup.drive.controller.processor == controller::ControllerParams::iss;
}

/// States in which firmware works for no request: the tag beside them says nothing.
bool is_of_nobody(unsigned state) {
  constexpr unsigned kOfNobody[] = {
      FW_STATE_RESET,     FW_STATE_SPIN_UP,     FW_STATE_LOAD,           FW_STATE_IDLE,
      FW_STATE_COMMAND,   FW_STATE_READ_AHEAD,  FW_STATE_DESTAGE,        FW_STATE_UNLOAD,
      FW_STATE_SPIN_DOWN, FW_STATE_STANDBY,     FW_STATE_SCAN,           FW_STATE_RECALIBRATE,
      FW_STATE_PLACE,     FW_STATE_ACTIVE_IDLE, FW_STATE_LOW_POWER_IDLE, FW_STATE_RETIRE};
  return std::find(std::begin(kOfNobody), std::end(kOfNobody), state) != std::end(kOfNobody);
}

std::ofstream open_file(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!file) throw InputError(Place{path}, "cannot be written");
  return file;
}

void close_file(std::ofstream& file, const std::string& path) {
  file.close();
  if (!file) throw InputError(Place{path}, "cannot be written: the disk is full, perhaps");
}

std::string requests_file(const std::string& profile) {
  return profile + ".requests.csv";
}

std::string name_of_line(unsigned line) {
  return HandlerProcessor::handler_name(line);
}

}  // namespace

/// Lines of text, one an instruction.
class FirmwareTraces::InstructionLog {
 public:
  explicit InstructionLog(std::string path) : path_(std::move(path)) {
    const bool packs = path_.size() > 3 && path_.compare(path_.size() - 3, 3, ".gz") == 0;
    file_ = gzopen(path_.c_str(), packs ? "wb1" : "wbT");  // T: as it is
    if (!file_) throw InputError(Place{path_}, "cannot be written");
    gzbuffer(file_, 1u << 18);
    write("time_s\tdrive\thandler\trequest\tpc\tfunction\tline\tinstruction\tregister\n");
  }
  ~InstructionLog() {
    if (file_) gzclose(file_);
  }
  InstructionLog(const InstructionLog&) = delete;
  InstructionLog& operator=(const InstructionLog&) = delete;

  void write(const std::string& text) {
    if (gzwrite(file_, text.data(), static_cast<unsigned>(text.size())) <= 0) failed_ = true;
  }
  void close() {
    const bool closed = gzclose(std::exchange(file_, nullptr)) == Z_OK;
    if (failed_ || !closed) throw InputError(Place{path_}, "cannot be written: the disk is full, perhaps");
  }

 private:
  const std::string path_;
  gzFile file_;
  bool failed_ = false;
};

/// One drive's processor: which request each instruction works for, and its line in the log.
class FirmwareTraces::Core final : public iss::Watcher {
 public:
  Core(LinkedDrive& drive, controller::IssProcessor& processor, const FirmwareTraceOptions& options,
       InstructionLog* log)
      : drive_(drive),
        processor_(processor),
        machine_(processor.machine()),
        symbols_(iss::symbols_of(machine_.image())),
        tracker_(drive.tracker()),
        options_(options),
        log_(log),
        execution_(machine_, name_of_line) {
    machine_.watch(*this);
  }

  const Execution& execution() const { return execution_; }
  const char* drive_name() const { return drive_.name(); }

  void finish() {
    settle();
    close_stretch();
    machine_.unwatch(*this);
    execution_.finish();
  }

  void write_requests(std::ostream& out) const {
    for (const auto& [who, work] : work_) {
      const auto& [request, handler] = who;
      out << drive_.name() << ',';
      if (request != kNobody) out << request;
      out << ',' << handler << ',' << work.calls << ',' << work.cost.instructions << ',';
      if (machine_.cycles() > 0) out << work.cost.cycles;
      out << '\n';
    }
  }

  void instruction(iss::Machine&) override {
    if (!log_) return;
    settle();
    const Ps at = processor_.instant();
    if (at < options_.from || (options_.to && at > *options_.to)) return;
    const std::uint32_t pc = machine_.hart().pc;
    Described& described = describe(pc);
    lines_ += fmt::format("{:.12f}\t{}\t{}\t", to_seconds(at), drive_.name(), context_.handler);
    // Its request is known when its stretch ends.
    marks_.push_back(lines_.size());
    lines_ += described.text;
    pending_ = described.rd;
    pending_line_ = true;
    pending_at_ = machine_.instructions();
  }

  void access(iss::Machine&, const iss::DataAccess& access) override {
    if (!access.write || access.address != soc::kDbgBase + dbg::kState) return;
    const unsigned state = dbg::state::State::get(access.value);
    const std::int64_t request =
        is_of_nobody(state) ? kNobody : tracker_.request_of(dbg::state::Tag::get(access.value));
    if (context_.announced && request != context_.request) close_stretch();
    context_.announced = true;
    context_.request = request;
  }

  void trap(iss::Machine&, unsigned line) override {
    settle();
    close_stretch();
    if (interrupted_.empty()) context_ = {kIdle, kNobody, false, true};  // after the first interrupt it is no reset
    interrupted_.push_back(std::exchange(context_, {HandlerProcessor::handler_name(line), kNobody, false, true}));
  }

  void returns(iss::Machine&) override {
    settle();
    close_stretch();
    if (interrupted_.empty()) return;
    context_ = interrupted_.back();
    interrupted_.pop_back();
  }

 private:
  /// What the processor runs: a handler, or what handlers interrupt.
  struct Context {
    const char* handler;
    std::int64_t request;
    bool announced;  ///< by firmware: `request` is known
    bool begins;     ///< no stretch of it has ended
  };
  struct Work {
    std::uint64_t calls = 0;
    Execution::Cost cost;
  };
  struct Described {
    std::string text;
    unsigned rd = 0;
  };

  Described& describe(std::uint32_t pc) {
    Described& described = described_[pc];
    if (!described.text.empty()) return described;
    std::uint32_t word = 0;
    if (!machine_.read(pc, &word, 4)) machine_.read(pc, &word, 2);
    const iss::Disassembly code = iss::disassemble(word, pc);
    const std::string function = symbols_.function_at(pc), line = symbols_.line_at(pc);
    described.text = fmt::format("\t{:08x}\t{}\t{}\t{}", pc, function.empty() ? "-" : function,
                                 line.empty() ? "-" : line, code.text);
    if (code.target)
      if (const iss::Symbols::Function* const to = symbols_.function(*code.target); to && to->begin == *code.target)
        described.text += " <" + to->name + ">";
    described.rd = code.rd;
    return described;
  }

  /// The line of the last instruction ends with what it wrote.
  void settle() {
    if (!std::exchange(pending_line_, false)) return;
    if (machine_.instructions() == pending_at_) {  // it has not been executed: it comes again, or was a mistake
      lines_.resize(lines_.rfind('\n', lines_.size() - 1) + 1);
      marks_.pop_back();
      return;
    }
    lines_ += pending_ != 0 ? fmt::format("\t{}=0x{:08x}\n", iss::register_name(pending_), machine_.hart().x[pending_])
                            : std::string("\t\n");
    if (marks_.size() >= kMostHeld) write_lines();
  }

  /// What was executed since the last call worked for context_.request.
  void close_stretch() {
    const Execution::Cost at{machine_.instructions(), machine_.cycles()};
    const Execution::Cost cost = at - since_;
    since_ = at;
    if (cost.instructions > 0 && !options_.profile.empty()) {
      Work& work = work_[{context_.request, context_.handler}];
      if (context_.begins || last_request_ != context_.request) ++work.calls;
      work.cost += cost;
    }
    last_request_ = context_.request;
    context_.begins = false;
    write_lines();
  }

  void write_lines() {
    if (marks_.empty()) return;
    if (!options_.request || static_cast<std::int64_t>(*options_.request) == context_.request) {
      const std::string request = context_.request == kNobody ? "-" : std::to_string(context_.request);
      std::string text;
      std::size_t from = 0;
      for (const std::size_t mark : marks_) {
        text.append(lines_, from, mark - from).append(request);
        from = mark;
      }
      log_->write(text.append(lines_, from, std::string::npos));
    }
    lines_.clear();
    marks_.clear();
  }

  static constexpr std::size_t kMostHeld = 1u << 16;

  LinkedDrive& drive_;
  controller::IssProcessor& processor_;
  iss::Machine& machine_;
  const iss::Symbols& symbols_;
  const observe::RequestTracker& tracker_;
  const FirmwareTraceOptions& options_;
  InstructionLog* const log_;
  Execution execution_;

  Context context_{"reset", kNobody, false, true};
  std::vector<Context> interrupted_;
  Execution::Cost since_;
  std::int64_t last_request_ = kNobody;
  std::map<std::pair<std::int64_t, std::string>, Work> work_;

  std::map<std::uint32_t, Described> described_;
  std::string lines_;               ///< of this stretch
  std::vector<std::size_t> marks_;  ///< where a request's number belongs
  bool pending_line_ = false;       ///< the last line has no end yet
  unsigned pending_ = 0;            ///< the register that it writes
  std::uint64_t pending_at_ = 0;
};

FirmwareTraces::FirmwareTraces(FirmwareTraceOptions options, const Scenario& scenario) : options_(std::move(options)) {
  const char* const option = !options_.profile.empty()    ? "--profile"
                             : !options_.coverage.empty() ? "--coverage"
                                                          : "--instructions";
  if (std::none_of(scenario.drives.begin(), scenario.drives.end(), runs_elf))
    throw InputError(
        fmt::format("{}: no drive runs its firmware as an ELF, and native firmware has no instructions to look at: "
                    "--set controller.processor=iss runs the drive's own as an ELF, --firmware FILE one of yours",
                    option));
  for (const DriveSetup& setup : scenario.drives)
    if (!runs_elf(setup)) notes_.push_back(setup.name + ": its firmware runs natively and is not traced");
  std::vector<std::string> files;
  for (const std::string* file : {&options_.profile, &options_.coverage, &options_.instructions})
    if (!file->empty()) files.push_back(*file);
  if (!options_.profile.empty()) files.push_back(requests_file(options_.profile));
  for (auto file = files.begin(); file != files.end(); ++file) {
    for (const std::string& input : scenario.files)
      if (is_same_file(input, *file)) throw InputError(Place{*file}, "is read by this run and would be overwritten");
    if (std::find(files.begin(), file, *file) != file) throw InputError(Place{*file}, "would be written twice");
  }
  for (const std::string& file : files)
    if (file != options_.instructions) open_file(file);
  if (!options_.instructions.empty()) log_ = std::make_unique<InstructionLog>(options_.instructions);
}

FirmwareTraces::~FirmwareTraces() = default;

void FirmwareTraces::add(LinkedDrive& drive) {
  if (auto* const processor = dynamic_cast<controller::IssProcessor*>(drive.disk().soc().cpu.get()))
    cores_.push_back(std::make_unique<Core>(drive, *processor, options_, log_.get()));
}

void FirmwareTraces::finish() {
  std::vector<const Execution*> executions;
  for (const auto& core : cores_) {
    core->finish();
    const Execution& execution = core->execution();
    executions.push_back(&execution);
    notes_.push_back(
        fmt::format("{}: {} instructions of firmware", core->drive_name(), execution.total().instructions));
  }
  std::vector<const iss::Image*> told;
  for (const Execution* execution : executions) {
    if (execution->symbols().has_lines()) continue;
    if (std::find(told.begin(), told.end(), &execution->image()) != told.end()) continue;
    told.push_back(&execution->image());
    notes_.push_back(iss::name_of(execution->image()) +
                     ": has no line information (compile with -g): the profile has functions only, the coverage "
                     "nothing");
  }
  if (!options_.profile.empty()) {
    std::ofstream profile = open_file(options_.profile);
    iss::write_callgrind(profile, executions, options_.command);
    close_file(profile, options_.profile);
    std::ofstream requests = open_file(requests_file(options_.profile));
    requests << "drive,request,handler,calls,instructions,cycles\n";
    for (const auto& core : cores_) core->write_requests(requests);
    close_file(requests, requests_file(options_.profile));
  }
  if (!options_.coverage.empty()) {
    std::ofstream coverage = open_file(options_.coverage);
    iss::write_lcov(coverage, executions);
    close_file(coverage, options_.coverage);
  }
  if (log_) log_->close();
}

}  // namespace armature::app
