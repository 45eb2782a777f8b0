// An NBD client that sends anything: the session neither crashes nor lets an operation out of its disk's range through.
#include "armature/nbd/session.h"
#include "input_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::nbd {
namespace {

struct AnyDisk final : Disk {
  explicit AnyDisk(std::string name, std::uint32_t block) : about{std::move(name), "a disk", 1 << 20, true, block} {}
  const Description& description() const override { return about; }
  void begin(std::unique_ptr<Operation> operation) override {
    ARMATURE_REQUIRE(operation->offset <= about.bytes && operation->bytes <= about.bytes - operation->offset);
    ARMATURE_REQUIRE(operation->offset % about.block_bytes == 0 && operation->bytes % about.block_bytes == 0);
    ARMATURE_REQUIRE(operation->data.size() == operation->bytes);
    begun.push_back(std::move(operation));
  }
  Description about;
  std::vector<std::unique_ptr<Operation>> begun;
};

}  // namespace
}  // namespace armature::nbd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace armature::nbd;
  if (size < 1) return 0;
  AnyDisk first("", 512), second("e", 4096);
  const auto session = std::make_shared<Session>(std::vector<Disk*>{&first, &second});
  // In parts of a length that the input chooses; some operations end between them.
  const std::size_t part = 1 + data[0];
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (!bytes.empty()) {
    session->take(bytes.substr(0, part));
    bytes.remove_prefix(std::min(part, bytes.size()));
    for (AnyDisk* const disk : {&first, &second})
      if (disk->begun.size() > 2) {
        disk->begun.front()->end(data[0] % 2 == 0);
        disk->begun.erase(disk->begun.begin());
      }
    session->sent(session->output().size() / 2);
  }
  for (AnyDisk* const disk : {&first, &second})
    for (const auto& operation : disk->begun) operation->end(true);
  ARMATURE_REQUIRE(session->outstanding() == 0);
  return 0;
}
