// The register of docs/guide/extending.md, in hardware and as firmware reads it.
#include "armature/controller/timer.h"
#include "support/bus_master.h"

#include <cstdio>

extern "C" {
#include "armature/firmware/regs/soc.h"
#include "armature/firmware/regs/tmr.h"
#include "devices/timer.h"
}

namespace {

armature::testing::BusMaster* bus;

}  // namespace

extern "C" std::uint32_t mmio_read32(fw_context*, std::uint32_t address) {
  return bus->read(address - SOC_TMR_BASE);
}
extern "C" void mmio_write32(fw_context*, std::uint32_t address, std::uint32_t word) {
  bus->write(address - SOC_TMR_BASE, word);
}

int sc_main(int, char*[]) {
  armature::testing::BusMaster master("master");
  armature::controller::Timer timer("tmr");
  master.socket.bind(timer.regs);
  bus = &master;
  for (unsigned shots = 0; shots < 3; ++shots) {
    if (fw_timer_shots(nullptr) != shots) {
      std::printf("%u shots expected\n", shots);
      return 1;
    }
    master.write(TMR_AFTER, 5);
    sc_core::sc_start(10, sc_core::SC_US);
  }
  return 0;
}
