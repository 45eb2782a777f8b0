#pragma once

#include "armature/core/time.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame_endpoint.h"
#include "armature/sata/link.h"

#include <systemc>

#include <cstdint>
#include <string>
#include <vector>

namespace armature::testing {

/// The rules of Serial ATA's native command queuing, DMA and PIO protocols as one end of the link sees the frames.
/// No SystemC inside: a test can feed it any sequence. Each method returns what the frame breaks, empty if nothing.
class ProtocolRules {
 public:
  enum class Place { host_end, drive_end };

  /// @param tags  commands the drive accepts at once
  ProtocolRules(Place place, unsigned tags) : place_(place), tags_(tags), commands_(tags) {}

  void set_logical_sectors(std::uint32_t sectors) { logical_bytes_ = sectors * sata::kSectorBytes; }
  std::string host_frame(const sata::Frame& frame);
  std::string drive_frame(const sata::Frame& frame);
  /// COMRESET passes this end: nothing that went before it arrives any more.
  void link_reset();
  /// What is still open at the end.
  std::string at_end() const;

 private:
  enum class State { idle, sent, accepted };
  struct Tag {
    State state = State::idle;
    bool write = false;
    std::uint64_t bytes = 0;
    std::uint64_t moved = 0;
  };
  /// From a reset to the drive's signature. After COMRESET, and at the drive's end, the signature is the drive's first
  /// frame; at the host's end others may still be on their way after SRST.
  enum class Reset { none, srst_set, srst_cleared, comreset };
  enum class Protocol { none, read_dma, write_dma, pio_in, no_data };

  std::string control(const sata::RegisterH2D& registers);
  std::string frame_in_reset(const sata::Frame& frame);
  void drop_all();
  std::string command(const sata::RegisterH2D& registers);
  std::string queued_command(const sata::RegisterH2D& registers);
  std::string host_data(const sata::Frame& frame);
  std::string register_d2h(const sata::RegisterD2H& registers);
  std::string dma_setup(const sata::DmaSetup& setup);
  std::string dma_activate();
  std::string pio_setup(const sata::PioSetup& setup);
  std::string drive_data(const sata::Frame& frame);
  std::string set_device_bits(const sata::SetDeviceBits& bits);
  std::string complete(unsigned tag);
  void drop_queue();
  unsigned outstanding() const;

  const Place place_;
  const unsigned tags_;
  std::uint32_t logical_bytes_ = sata::kSectorBytes;
  std::vector<Tag> commands_;
  int accepting_ = -1;  ///< tag of the queued command that the drive has not accepted yet

  Protocol unqueued_ = Protocol::none;
  bool reads_error_log_ = false;
  bool crossing_ = false;  ///< one data frame may still come that was asked for before an error
  std::uint64_t unqueued_bytes_ = 0;
  std::uint64_t unqueued_moved_ = 0;
  std::uint32_t pio_left_ = 0;

  bool phase_open_ = false;  ///< between DMA Setup and the end of its data
  bool phase_to_host_ = false;
  unsigned phase_tag_ = 0;
  std::uint64_t phase_left_ = 0;
  bool activated_ = false;  ///< the host may send one data frame

  Reset reset_ = Reset::none;
  bool error_ = false;  ///< the drive has failed a queued command
};

/// Passes frames through, between the host's adapter and the link or between the link and the drive, and holds them
/// against ProtocolRules; also: one frame at a time from each side, and its contents stay as they are until it is
/// through. A violation fails the running test, unless it is to be collected only.
///
///     adapter.to_link.bind(monitor.from_host);  monitor.to_drive.bind(link.from_host);
///     link.to_host.bind(monitor.from_drive);    monitor.to_host.bind(adapter.from_link);
class LinkMonitor : public sc_core::sc_module {
 public:
  sata::FrameTargetSocket from_host{"from_host"};
  sata::FrameInitiatorSocket to_drive{"to_drive"};
  sata::FrameTargetSocket from_drive{"from_drive"};
  sata::FrameInitiatorSocket to_host{"to_host"};

  LinkMonitor(sc_core::sc_module_name name, ProtocolRules::Place place, unsigned tags, bool fails_the_test = true);
  ~LinkMonitor() override;

  /// 512-byte sectors in one that LBAs count.
  void set_logical_sectors(std::uint32_t sectors) { rules_.set_logical_sectors(sectors); }

  const std::vector<std::string>& violations() const { return violations_; }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t rejected() const { return rejected_; }
  /// Call when everything must be over.
  void expect_idle();

 private:
  class Side;

  void check(bool from_host_side, const sata::Frame& frame);
  void violation(const std::string& what);
  void link_reset();

  ProtocolRules rules_;
  const bool fails_the_test_;
  std::unique_ptr<Side> host_;
  std::unique_ptr<Side> drive_;
  std::vector<std::string> violations_;
  std::uint64_t frames_ = 0;
  std::uint64_t rejected_ = 0;
};

/// A host and a drive at a link, with a monitor at each of its ends.
template <class Host, class Drive>
void connect_monitored(Host& host, LinkMonitor& host_end, sata::Link& link, LinkMonitor& drive_end, Drive& drive) {
  host.to_link.bind(host_end.from_host);
  host_end.to_drive.bind(link.from_host);
  link.to_drive.bind(drive_end.from_host);
  drive_end.to_drive.bind(drive.from_link());
  drive.to_link().bind(drive_end.from_drive);
  drive_end.to_host.bind(link.from_drive);
  link.to_host.bind(host_end.from_drive);
  host_end.to_host.bind(host.from_link);
}

}  // namespace armature::testing
