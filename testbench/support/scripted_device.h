#pragma once

#include "armature/core/time.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <vector>

namespace armature::testing {

/// A drive as the link sees it, without mechanics: answers each command after delays that the test sets.
///
/// Queued commands are accepted after `accept_delay` and served `service_time` after their arrival: DMA Setup, data
/// frames (or DMA Activate and the host's), Set Device Bits. Unqueued: READ/WRITE DMA EXT, FLUSH CACHE EXT, IDENTIFY
/// DEVICE, READ LOG EXT 10h; others ABRT. A command whose LBA is in `failing` fails under the rules for queued
/// commands: taskfile 41h, the queue is dropped, and everything but READ LOG EXT 10h is ABRT until that has been read.
class ScriptedDevice : public sc_core::sc_module, private sata::FrameReceiver, private sata::FrameSender {
 public:
  sata::FrameInitiatorSocket to_link{"to_link"};
  sata::FrameTargetSocket from_link{"from_link"};

  struct Command {
    Ps at;  ///< arrival of its frame
    sata::RegisterH2D registers;
  };

  Ps accept_delay = 0;
  std::function<Ps(const Command&)> service_time = [](const Command&) { return 100 * kPsPerUs; };
  std::map<std::uint64_t, std::uint8_t> failing;  ///< LBA to error register
  bool fails_on_acceptance = false;   ///< a failing queued command: by its Register frame, not by Set Device Bits
  bool keeps_failing = false;         ///< an LBA fails each time, not only once
  unsigned log_failures = 0;          ///< so many READ LOG EXT are ABRT first
  bool log_blames_nobody = false;     ///< the error log says that the failed command was not a queued one
  bool log_is_damaged = false;        ///< its checksum is wrong
  std::uint32_t data_short_by = 0;    ///< bytes that queued reads leave out
  std::vector<std::uint8_t> sectors;  ///< contents, empty if not modelled
  std::vector<std::uint8_t> identify_page = std::vector<std::uint8_t>(512);
  bool records = true;                             ///< keep `commands`
  std::vector<Command> commands;                   ///< received
  std::function<bool(const sata::Frame&)> accept;  ///< R_OK or R_ERR; all frames are accepted without it
  unsigned most_outstanding = 0;

  explicit ScriptedDevice(sc_core::sc_module_name name, unsigned tags = 32);

  /// A frame out of turn.
  template <class Fis>
  void send_now(const Fis& fis) {
    sata::Frame* const frame = pool_.acquire(sata::FrameType::data);
    build(*frame, fis);
    put(frame);
  }
  void send_data_now(std::uint32_t bytes);
  /// The queued command `tag` fails, and the queue is dropped.
  void fail_now(unsigned tag, std::uint8_t error) { fail(tag, error); }

 private:
  enum class Step : std::uint8_t { accept, serve };
  struct Due {
    Ps at;
    std::uint64_t sequence;
    Step step;
    unsigned slot;
    std::uint64_t issue;  ///< of the command: a dropped one is not served
    bool operator>(const Due& other) const { return at != other.at ? at > other.at : sequence > other.sequence; }
  };
  struct Slot {
    Command command;
    bool active = false;
    bool queued = false;
    std::uint64_t issue = 0;
    std::uint32_t bytes = 0;
    std::uint32_t moved = 0;
  };

  bool receive(sata::Frame& frame) override;
  void sent(sata::Frame& frame) override;
  void on_command(const sata::RegisterH2D& registers);
  void on_data(const sata::Frame& frame);
  void due();
  void later(Ps delay, Step step, unsigned slot);
  void serve(unsigned slot);
  void begin_data(unsigned slot);
  void finish(unsigned slot);
  void fail(unsigned slot, std::uint8_t error);
  void send_error_log();
  void send_pio(const std::uint8_t* page);
  void send_register(std::uint8_t status, std::uint8_t error, bool interrupt, std::int32_t tag);
  void put(sata::Frame* frame);
  void pump();

  const unsigned tags_;
  sata::FramePool pool_;
  std::vector<Slot> slots_;  ///< by tag; the last is for unqueued commands
  std::priority_queue<Due, std::vector<Due>, std::greater<Due>> due_;
  std::uint64_t sequence_ = 0;
  std::deque<sata::Frame*> outbox_;
  bool sending_ = false;
  bool writing_ = false;  ///< a data phase from the host is open
  unsigned writing_slot_ = 0;
  std::deque<unsigned> ready_;  ///< served while that was so
  unsigned outstanding_ = 0;
  bool halted_ = false;
  sata::NcqErrorPage error_page_;
  std::vector<std::uint8_t> log_page_ = std::vector<std::uint8_t>(512);
  sc_core::sc_event due_event_;
};

}  // namespace armature::testing
