#pragma once

#include "armature/host/command_player.h"
#include "armature/host/host_bus_adapter.h"

#include "armature/sata/ata_decode.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::app {

/// Fields of a page, a line each: place, bits, name, value.
void print_fields(const std::vector<sata::PageField>& fields);

/// Prints what goes over the link, and the answers to the commands of a script, decoded: for `armature ata`.
class AtaPrinter final : public host::CommandPlayer::Listener, public host::FrameWatcher {
 public:
  struct Style {
    bool raw = false;    ///< all data in hexadecimal
    bool tsv = false;    ///< tab-separated, for programs
    bool frames = true;  ///< the frames, too
  };
  explicit AtaPrinter(const Style& style) : style_(style) {}

  std::uint64_t failed() const { return failed_; }  ///< orders that did not end with ok

 private:
  void frame_out(const sata::Frame& frame, Ps at) override;
  void frame_in(const sata::Frame& frame, Ps at) override;
  void link_reset(Ps at) override;
  void supply(bool on, Ps at) override;
  void order_sent(const host::HostOrder& order, std::uint64_t number, Ps at) override;
  void order_ended(const host::HostOrder& order, std::uint64_t number, const host::OrderAnswer& answer) override;

  void frame(const sata::Frame& frame, bool out, Ps at);
  void line(const char* direction, const std::string& type, const std::string& text, Ps at);
  void flush_data();
  void print_decoded(const host::HostOrder& order, std::uint64_t number, const host::OrderAnswer& answer);

  const Style style_;
  std::uint64_t failed_ = 0;
  // Data frames in a row that are not printed each.
  std::uint64_t data_frames_ = 0, data_bytes_ = 0;
  bool data_out_ = false;
  Ps data_from_ = 0, data_to_ = 0;
};

}  // namespace armature::app
