#pragma once

#include "armature/array/array_controller.h"
#include "armature/array/row_plan.h"

#include <optional>
#include <utility>
#include <vector>

namespace armature::array {

struct Job;
struct Sent;

/// Owns jobs: one of the array controller's tasks.
class Task {
 public:
  /// The job has the lock that it asked for.
  virtual void locked(Job& job) { (void)job; }
  /// The last operation that the job had out has ended.
  virtual void over(Job& job) = 0;
  /// A write of the job has ended well.
  virtual void written(Job& job, const Sent& sent) {
    (void)job;
    (void)sent;
  }
  /// A read of the job could not be done.
  virtual void unread(Job& job, const Sent& sent, const host::CommandStatus& status);

 protected:
  ~Task() = default;
};

/// What a task does under one lock: its operations go out together, stage by stage.
struct Job {
  enum class Step { waiting, reading, writing };

  explicit Job(Task& of) : task(of) {}

  Task& task;
  Step step = Step::waiting;
  int tag = MemberOperation::kNoTag;                    ///< of a command of the host
  std::vector<std::pair<unsigned, std::uint64_t>> bad;  ///< slots and rows that could not be read
  unsigned open = 0;                                    ///< operations that are out
  bool has_lock = false;                                ///< or waits for it
  bool lost = false;                                    ///< cannot be done
  host::CommandStatus status;
};

/// What a command does to one row.
struct Row {
  std::vector<Piece> pieces;
  std::optional<RowPlan> plan;    ///< with parity
  std::vector<unsigned> written;  ///< by piece: copies that hold it
  bool read_failed = false;
  bool read = false;  ///< all that must be read has been
};

/// A command of the host.
struct Command final : Job {
  Command(Task& of, unsigned number, const host::BlockCommand& asked) : Job(of), command(asked) {
    tag = static_cast<int>(number);
  }

  host::BlockCommand command;
  std::vector<Row> rows;
  bool running = true;  ///< it has not ended
  bool again = false;   ///< what a member has of its writes may be lost

  bool reads() const { return command.operation == Operation::read; }
};

/// A part of the array's own work: a stretch of each member.
struct StretchJob final : Job {
  StretchJob(Task& of, std::uint64_t first, std::uint32_t count) : Job(of), lbn(first), sectors(count) {}

  const std::uint64_t lbn;
  std::uint32_t sectors;
  std::vector<unsigned> sources;    ///< slots that are read
  std::vector<std::uint8_t> bytes;  ///< one stretch a source

  std::uint64_t end() const { return lbn + sectors; }
  std::size_t length() const { return sectors * kBlockBytes; }  ///< bytes of a stretch
  std::uint8_t* stretch(std::size_t source) { return bytes.empty() ? nullptr : bytes.data() + source * length(); }
  const std::uint8_t* stretch(std::size_t source) const { return bytes.data() + source * length(); }
};

/// An operation that is out.
struct Sent {
  Sent() = default;
  Sent(unsigned to, Operation kind, Purpose purpose, std::uint8_t* bytes = nullptr) : slot(to), data(bytes) {
    operation.operation = kind;
    operation.purpose = purpose;
  }

  MemberOperation operation;
  Job* job = nullptr;
  unsigned slot = 0;
  unsigned queue = 0;     ///< operations out at the device, this one too, when it was sent
  std::size_t row = 0;    ///< of a command
  std::size_t piece = 0;  ///< of the row, of a write of data; of a stretch, the source
  std::uint8_t* data = nullptr;
  bool fua = false;
  bool background = false;  ///< a read of the background priority
  bool makes_up = false;    ///< a write of sectors that this copy lacks
};

inline void Task::unread(Job& job, const Sent& sent, const host::CommandStatus&) {
  job.lost = true;
  job.bad.emplace_back(sent.slot, 0);
}

}  // namespace armature::array
