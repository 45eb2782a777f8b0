#pragma once

#include "armature/controller/buffer_memory.h"
#include "armature/controller/host_interface.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/hif.h"
#include "support/bus_master.h"
#include "support/fixed_delay_link.h"
#include "support/request_recorder.h"
#include "support/run_until.h"
#include "support/scripted_host.h"

#include <gtest/gtest.h>

namespace armature::testing {

/// The host interface and its buffer between a scripted host on one side and register accesses in place of firmware on
/// the other. All interrupts are enabled, and the interface is on.
class HostInterfaceBench : public ::testing::Test {
 protected:
  /// frame: each one's time on the way, ps
  HostInterfaceBench(const controller::BufferParams& params, Ps frame)
      : frame_(frame), buffer_("buf", params), link_("link", frame) {
    bus_.socket.bind(hif_.regs);
    ram_.socket.bind(buffer_.ram);
    table_.socket.bind(buffer_.regs);
    host_.to_link.bind(link_.from_host);
    link_.to_drive.bind(hif_.from_link);
    hif_.to_link.bind(link_.from_drive);
    link_.to_host.bind(host_.from_link);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus_.write(regs::hif::kInten, 0x1F);
    bus_.write(regs::hif::kCtrl, regs::hif::ctrl::Enable::kMask);
  }

  void run() { run_until(now() + 40 * frame_); }

  const Ps frame_;
  RequestRecorder requests_;
  controller::BufferMemory buffer_;
  controller::HostInterface hif_{"hif", buffer_, {nullptr, nullptr, &requests_}};
  FixedDelayLink link_;
  ScriptedHost host_{"host"};
  BusMaster bus_{"bus"}, ram_{"ram"}, table_{"table"};
};

}  // namespace armature::testing
