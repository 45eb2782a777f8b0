#pragma once

#include "armature/core/log.h"
#include "armature/core/request.h"
#include "armature/host/command_player.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace armature::app {

/// The answers to `[[host.commands]]` of one drive: a row each in commands.csv, the data that came in commands.hex,
/// and a line in the log of the module "NAME.commands".
class CommandLog final : public host::CommandPlayer::Listener {
 public:
  /// @param folder  empty: no files. Throws InputError if they cannot be written.
  CommandLog(const std::string& drive, const std::filesystem::path& folder);

  /// Called when FLUSH CACHE (EXT) has been sent, and when it has ended.
  std::function<void()> on_flush_sent;
  std::function<void(bool ok)> on_flush_ended;

  std::uint64_t answered() const { return answered_; }  ///< ended, in whatever way
  std::uint64_t failed() const { return failed_; }      ///< of these: not ok

 private:
  void order_sent(const host::HostOrder& order, std::uint64_t number, Ps at) override;
  void order_ended(const host::HostOrder& order, std::uint64_t number, const host::OrderAnswer& answer) override;

  const Log log_;
  std::ofstream rows_, data_;
  std::filesystem::path data_file_;
  std::uint64_t answered_ = 0, failed_ = 0;
};

/// One row of commands.csv, without the line's end; and its header.
std::string command_row(const host::HostOrder& order, std::uint64_t number, const host::OrderAnswer& answer);
const char* command_columns();

/// A hexadecimal dump: offset, 16 bytes, their characters; `indent` spaces before each line.
std::string hex_dump(const std::vector<std::uint8_t>& bytes, std::size_t first, std::size_t end, unsigned indent);

/// "read log ext: ok, status 50h DRDY DSC, 512 bytes, 0.034 ms".
std::string answer_line(const host::HostOrder& order, const host::OrderAnswer& answer);

/// Of what a drive tells about tags, what concerns the requests of its queue, and not the commands of a player.
class QueueRequests final : public RequestObserver {
 public:
  explicit QueueRequests(RequestObserver& inner) : inner_(inner) {}
  void set_player(const host::CommandPlayer& player) { player_ = &player; }

  void received(std::uint32_t tag, Ps at) override {
    if (!foreign(tag)) inner_.received(tag, at);
  }
  void base(std::uint32_t tag, Phase phase, Ps at) override {
    if (!foreign(tag)) inner_.base(tag, phase, at);
  }
  void media(std::uint32_t tag, Phase phase, Ps at) override {
    if (!foreign(tag)) inner_.media(tag, phase, at);
  }
  void media_done(std::uint32_t tag, Ps at) override {
    if (!foreign(tag)) inner_.media_done(tag, at);
  }
  void link(std::uint32_t tag, Phase phase, Ps at) override {
    if (!foreign(tag)) inner_.link(tag, phase, at);
  }
  void link_done(std::uint32_t tag, Ps at) override {
    if (!foreign(tag)) inner_.link_done(tag, at);
  }
  void granted(std::uint32_t tag, std::uint32_t arm, Ps predicted_positioning, Ps at) override {
    if (!foreign(tag)) inner_.granted(tag, arm, predicted_positioning, at);
  }
  void access(std::uint32_t tag, const MediaAccess& access) override {
    if (!foreign(tag)) inner_.access(tag, access);
  }
  void access_extended(std::uint32_t tag, Ps done_at, std::uint32_t retried) override {
    if (!foreign(tag)) inner_.access_extended(tag, done_at, retried);
  }
  void access_strayed(std::uint32_t tag, Ps at) override {
    if (!foreign(tag)) inner_.access_strayed(tag, at);
  }
  std::int64_t request_of(std::uint32_t tag) const override { return foreign(tag) ? -1 : inner_.request_of(tag); }

 private:
  bool foreign(std::uint32_t tag) const { return player_ && player_->owns(tag); }

  RequestObserver& inner_;
  const host::CommandPlayer* player_ = nullptr;
};

}  // namespace armature::app
