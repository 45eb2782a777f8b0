// Four clients write blocks and read them back over a bus that leads to two drives. An arbiter in RTL decides which
// client may put its command on the bus.
#include "arbiter.h"

#include <armature/platform/drive.h>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t kStripe = 65'536;  // bytes in turn on either drive
constexpr unsigned kWrites = 8;            // of a client
constexpr unsigned kBytes = 4'096;         // of a block

/// Address 0 is the first stripe of drive 0, the next stripe is drive 1's.
class Bus : public sc_core::sc_module {
 public:
  std::array<tlm_utils::simple_target_socket_tagged<Bus>, kClients> clients;
  std::array<tlm_utils::simple_initiator_socket_tagged<Bus>, 2> drives;
  Arbiter arbiter{"arbiter"};

  explicit Bus(sc_core::sc_module_name name) : sc_module(name) {
    for (unsigned i = 0; i < kClients; ++i) clients[i].register_b_transport(this, &Bus::transport, static_cast<int>(i));
  }

 private:
  void transport(int client, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    arbiter.acquire(static_cast<unsigned>(client));
    wait(200, sc_core::SC_NS);  // the command is on the bus
    arbiter.release(static_cast<unsigned>(client));
    const std::uint64_t address = transaction.get_address();
    const std::uint64_t stripe = address / kStripe;
    transaction.set_address(stripe / 2 * kStripe + address % kStripe);
    drives[stripe % 2]->b_transport(transaction, delay);
    transaction.set_address(address);
  }
};

class Client : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Client> socket{"socket"};
  unsigned wrong = 0;  ///< blocks that did not come back as they were written

  Client(sc_core::sc_module_name name, unsigned number, std::uint64_t bytes)
      : sc_module(name), number_(number), blocks_(bytes / kBytes) {
    SC_HAS_PROCESS(Client);
    SC_THREAD(run);
  }

 private:
  bool transfer(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(data.data());
    transaction.set_data_length(kBytes);
    transaction.set_streaming_width(kBytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(transaction, delay);
    return transaction.is_response_ok();
  }

  void run() {
    std::mt19937_64 random(number_ + 1);
    std::vector<std::uint64_t> addresses;
    std::vector<unsigned char> data(kBytes), read(kBytes);
    const auto fill = [&](std::uint64_t address) {
      for (unsigned i = 0; i < kBytes; ++i)
        data[i] = static_cast<unsigned char>(address / kBytes * 31 + i * 7 + number_);
    };
    for (unsigned i = 0; i < kWrites; ++i) {
      // Each client has blocks of its own.
      addresses.push_back((random() % (blocks_ / kClients) * kClients + number_) * kBytes);
      fill(addresses.back());
      if (!transfer(tlm::TLM_WRITE_COMMAND, addresses.back(), data)) ++wrong;
    }
    for (const std::uint64_t address : addresses) {
      fill(address);
      if (!transfer(tlm::TLM_READ_COMMAND, address, read) || read != data) ++wrong;
    }
  }

  const unsigned number_;
  const std::uint64_t blocks_;
};

}  // namespace

int sc_main(int, char**) {
  armature::DriveOptions options;
  options.file = "drives/seagate_cheetah_15k3.toml";
  options.probes = {"disk.srv0.position", "power.total"};
  armature::Drive first("first", options);
  options.settings = {"cache.write = true"};
  armature::Drive second("second", options);

  Bus bus("bus");
  bus.drives[0].bind(first.blocks());
  bus.drives[1].bind(second.blocks());
  const std::uint64_t bytes = first.bytes() / kStripe * kStripe + second.bytes() / kStripe * kStripe;
  std::array<std::unique_ptr<Client>, kClients> clients;
  for (unsigned i = 0; i < kClients; ++i) {
    clients[i] = std::make_unique<Client>(("client" + std::to_string(i)).c_str(), i, bytes);
    clients[i]->socket.bind(bus.clients[i]);
  }

  sc_core::sc_start(2, sc_core::SC_SEC);

  bool good = true;
  for (armature::Drive* const drive : {&first, &second}) {
    const armature::DriveResults results = drive->results();
    std::printf("%s: %s, %llu requests, mean response %.3f ms, %.3f J, arm at cylinder %.0f, %.2f W\n", drive->name(),
                drive->model().c_str(), static_cast<unsigned long long>(results.requests),
                results.mean_response_s * 1e3, results.energy_j.value_or(0), drive->probe("disk.srv0.position").read(),
                drive->probe("power.total").read());
    good =
        good && results.requests > 0 && results.failed == 0 && results.unfinished == 0 && results.mean_response_s > 0;
  }
  unsigned wrong = 0, least = ~0u;
  for (const auto& client : clients) wrong += client->wrong;
  for (const unsigned grants : bus.arbiter.grants()) least = std::min(least, grants);
  std::printf("%u of %u blocks came back wrong; the arbiter granted each client %u times\n", wrong, kClients * kWrites,
              least);
  return good && wrong == 0 && least == 2 * kWrites ? 0 : 1;
}
