// A processor that runs an ELF: what the rest of the program sees while it is in a handler.
#include "armature/controller/iss_processor.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/soc_bus.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/soc.h"
#include "support/elf_bytes.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <fstream>
#include <string>

namespace armature::testing {
namespace {

using controller::HandlerProcessor;
using controller::InterruptController;
using controller::IssProcessor;
using controller::SocBus;

constexpr std::uint32_t kDevice = 0x4000'0000;

/// Notes what a signal's handler would see of the call that reads it.
class Watched : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Watched> regs{"regs"};
  unsigned reads = 0;
  bool watched = false;

  explicit Watched(sc_core::sc_module_name name) : sc_module(name) {
    regs.register_b_transport(this, &Watched::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
    ++reads;
    watched = watched || HandlerProcessor::call().processor != nullptr;
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

std::string program() {
  const std::string path = ::testing::TempDir() + "iss_processor_test.elf";
  std::ofstream(path, std::ios::binary)
      << ElfBytes({0x40000537, 0x00052603, 0x10500073, 0xffdff06f}).bytes();  // lw a2, 0(kDevice); wfi; j wfi
  return path;
}

// Or on a slow computer the watch would end the run before it is said which instruction is in the loop.
TEST(IssProcessor, ACallHasABudgetOfInstructionsAndNoneOfTheComputersTime) {
  RecordingStates states;
  InterruptController irq("irq", {});
  SocBus bus("bus");
  Watched device("device");
  IssProcessor cpu("cpu", {}, {}, irq, {nullptr, &states, nullptr}, iss::load_image(program()));
  irq.bind(cpu);
  cpu.bus.bind(bus.cpu);
  bus.map(kDevice, 0x1000).bind(device.regs);
  bus.map(regs::soc::kIrqBase, 0x1000).bind(irq.regs);
  run_until(kPsPerMs);
  EXPECT_EQ(cpu.fault(), "");
  EXPECT_EQ(device.reads, 1u);
  EXPECT_FALSE(device.watched);
}

}  // namespace
}  // namespace armature::testing
