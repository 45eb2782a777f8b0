// The other front ends of a drive: a driver of one's own reads a block through the registers of an AHCI controller, and
// an adapter of one's own reads one from the link, frame by frame.
#include <armature/platform/ahci_controller.h>
#include <armature/platform/sata_drive.h>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr std::uint32_t kBytes = 4'096;  // of the block
constexpr std::uint64_t kLba = 1'000'000;

/// A processor with its memory, at address 0. It asks a register until it says what is waited for; `on_message` of the
/// controller would tell as well.
class Processor : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Processor> registers{"registers"};
  tlm_utils::simple_target_socket<Processor> memory{"memory"};
  bool read_block = false;

  explicit Processor(sc_core::sc_module_name name) : sc_module(name), bytes_(65'536) {
    memory.register_b_transport(this, &Processor::access);
    memory.register_transport_dbg(this, &Processor::debug);
    SC_HAS_PROCESS(Processor);
    SC_THREAD(run);
  }

 private:
  // AHCI 1.3.1, section 3: registers of the controller, and of port 0.
  enum : std::uint64_t {
    kGhc = 0x04,
    kClb = 0x100,
    kFb = 0x108,
    kCmd = 0x118,
    kTfd = 0x120,
    kSsts = 0x128,
    kSerr = 0x130,
    kCi = 0x138
  };
  // Where memory has what (section 4.2).
  enum : std::uint32_t { kList = 0x400, kReceived = 0x800, kTable = 0x1000, kBuffer = 0x2000 };

  void run() {
    write(kGhc, 1u << 31);  // AE
    write(kClb, kList);
    write(kFb, kReceived);
    write(kCmd, 1u << 4 | 1u << 1);  // FRE, SUD: the link starts
    while ((read(kSsts) & 0xF) != 3) wait(1, sc_core::SC_US);
    write(kSerr, ~0u);
    while ((read(kTfd) & 0x88) != 0) wait(1, sc_core::SC_MS);  // BSY, DRQ: until the drive is ready
    write(kCmd, read(kCmd) | 1u);                              // ST

    armature::sata::RegisterH2D command;
    command.command = static_cast<std::uint8_t>(armature::sata::Command::read_dma_ext);
    command.lba = armature::HostLba(kLba);
    command.device = 0x40;
    command.count = kBytes / 512;
    armature::sata::Frame frame;
    build(frame, command);
    std::memcpy(&bytes_[kTable], frame.dwords.data(), 20);
    put(kTable + 0x80, {kBuffer, 0, 0, kBytes - 1});       // a descriptor
    put(kList, {5 | 1u << 16, 0, kTable, 0, 0, 0, 0, 0});  // the header: 5 dwords, 1 descriptor
    write(kCi, 1);
    while ((read(kCi) & 1) != 0) wait(10, sc_core::SC_US);
    read_block = (read(kTfd) & 1) == 0;  // ERR
    std::printf("AHCI: read %u bytes, status %02X\n", kBytes, read(kTfd) & 0xFF);
  }

  void put(std::uint32_t at, std::vector<std::uint32_t> words) {
    std::memcpy(&bytes_[at], words.data(), 4 * words.size());
  }

  std::uint32_t transfer(tlm::tlm_command command, std::uint64_t offset, std::uint32_t word) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(offset);
    transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    transaction.set_data_length(4);
    transaction.set_streaming_width(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    registers->b_transport(transaction, delay);
    wait(delay);
    return word;
  }
  std::uint32_t read(std::uint64_t offset) { return transfer(tlm::TLM_READ_COMMAND, offset, 0); }
  void write(std::uint64_t offset, std::uint32_t word) { transfer(tlm::TLM_WRITE_COMMAND, offset, word); }

  void access(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
    transaction.set_response_status(debug(transaction) > 0 ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& transaction) {
    const std::uint64_t address = transaction.get_address();
    const unsigned length = transaction.get_data_length();
    if (address > bytes_.size() || length > bytes_.size() - address) return 0;
    if (transaction.is_read())
      std::memcpy(transaction.get_data_ptr(), &bytes_[address], length);
    else
      std::memcpy(&bytes_[address], transaction.get_data_ptr(), length);
    return length;
  }

  std::vector<unsigned char> bytes_;
};

/// An adapter that reads one block. Frames come by `receive`, and `sent` says when its own is through.
class Adapter : public sc_core::sc_module, private armature::sata::FrameReceiver, private armature::sata::FrameSender {
 public:
  armature::sata::FrameInitiatorSocket to_link{"to_link"};
  armature::sata::FrameTargetSocket from_link{"from_link"};
  std::uint32_t bytes = 0;
  bool ended = false;

  explicit Adapter(sc_core::sc_module_name name) : sc_module(name) {
    to_link.bind(*this);
    from_link.bind(*this);
    SC_HAS_PROCESS(Adapter);
    SC_METHOD(begin);
  }

 private:
  void begin() {
    armature::sata::RegisterH2D command;
    command.command = static_cast<std::uint8_t>(armature::sata::Command::read_dma_ext);
    command.lba = armature::HostLba(kLba);
    command.device = 0x40;
    command.count = kBytes / 512;
    build(frame_, command);
    armature::sata::send(to_link, frame_);
  }
  bool receive(armature::sata::Frame& frame) override {
    std::printf("link: %s\n", describe(frame).c_str());
    if (frame.type == armature::sata::FrameType::data) bytes += frame.data_bytes;
    if (frame.type == armature::sata::FrameType::register_d2h)
      ended = (parse_register_d2h(frame).status & 1) == 0;  // ERR
    return true;                                            // R_OK
  }
  void sent(armature::sata::Frame&) override {}

  armature::sata::Frame frame_;
};

}  // namespace

int sc_main(int, char**) {
  armature::DriveOptions options;
  options.file = "drives/seagate_cheetah_15k3.toml";
  armature::AhciController controller("ahci", {options});
  Processor processor("processor");
  processor.registers.bind(controller.registers());
  controller.memory().bind(processor.memory);

  armature::SataDrive drive("drive", options);
  Adapter adapter("adapter");
  adapter.to_link.bind(drive.from_host());
  drive.to_host().bind(adapter.from_link);

  sc_core::sc_start(1, sc_core::SC_SEC);

  const armature::DriveResults results = controller.drive(0).results();
  std::printf("%s: %llu requests, mean response %.3f ms\n", controller.drive(0).model().c_str(),
              static_cast<unsigned long long>(results.requests), results.mean_response_s * 1e3);
  return processor.read_block && results.requests == 1 && adapter.ended && adapter.bytes == kBytes ? 0 : 1;
}
