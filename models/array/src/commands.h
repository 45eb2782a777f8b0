#pragma once

#include "job.h"

#include <memory>
#include <vector>

namespace armature::array {

struct Array;

/// Commands of the host: each becomes operations of the members, row by row.
class Commands final : public Task {
 public:
  explicit Commands(Array& array);

  void set_client(host::BlockClient& client) { client_ = &client; }
  const sata::IdentifyData& identity() const { return identity_; }
  void issue(unsigned tag, const host::BlockCommand& command);
  void identify();
  void control();
  /// What does not concern the members has its answer.
  void answer();
  /// Begins the commands of this instant.
  void settle();
  /// Begins those that have waited for copies and parity to be consistent.
  void go_on();
  /// A command has begun, and does not wait for that.
  bool at_work() const;
  /// Writes that have begun and not ended.
  std::vector<Command*> writing() const;

  void locked(Job& job) override;
  void over(Job& job) override;
  void written(Job& job, const Sent& sent) override;
  void unread(Job& job, const Sent& sent, const host::CommandStatus& status) override;

 private:
  void start(Command& job);
  void lock(Command& job, bool exclusive);
  void read_rows(Command& job);
  bool readable(const Command& job) const;
  bool read_with_parity(Command& job, std::size_t row);
  bool read_pieces(Command& job, std::size_t row);
  bool read_copies(Command& job, std::size_t row, Piece piece);
  void write_rows(Command& job);
  void write_row(Command& job, std::size_t row);
  void write_piece(Command& job, std::size_t row, std::size_t piece);
  void write_lost(Command& job);
  void reads_over(Command& job);
  void row_read(Command& job, Row& row);
  void writes_over(Command& job);
  bool stands(const Row& row) const;
  void count(const Row& row);
  void end(Command& job);

  Array& array_;
  host::BlockClient* client_ = nullptr;
  sata::IdentifyData identity_;
  std::vector<std::unique_ptr<Command>> jobs_;  ///< by tag
  std::vector<Command*> begun_;                 ///< of this instant
  std::vector<Command*> settled_;               ///< what settle() has taken of them; it keeps its memory
  std::vector<Command*> held_;                  ///< wait for the resync, in the order of their arrival
  bool identify_asked_ = false;
  bool control_asked_ = false;
};

}  // namespace armature::array
