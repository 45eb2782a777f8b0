// In place of the simulator, if this program was built without what it needs.
#include "armature/core/error.h"
#include "armature/iss/machine.h"

#include <stdexcept>

namespace armature::iss {
namespace {

[[noreturn]] void absent() {
  throw InputError(
      "this program was built without an instruction-set simulator. Install Debian's libelf-dev and libdw-dev and "
      "build again");
}

}  // namespace

std::shared_ptr<const Image> own_image() {
  absent();
}

std::shared_ptr<const Image> load_image(const std::string&) {
  absent();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as declared
std::shared_ptr<const Image> image_of(const std::string&, std::string) {
  absent();
}

const Symbols& symbols_of(const Image&) {
  throw std::logic_error("symbols without an image");
}

const std::string& name_of(const Image&) {
  throw std::logic_error("a name without an image");
}

Symbols::Symbols(std::string_view) {}

std::vector<std::uint32_t> Symbols::callers(std::uint32_t, std::array<std::uint32_t, 32>,
                                            const std::function<std::optional<std::uint32_t>(std::uint32_t)>&) const {
  return {};
}

const Symbols::Lines& Symbols::lines() const {
  static const Lines none;
  return none;
}

std::unique_ptr<Machine> Machine::make(const std::shared_ptr<const Image>&, WordBus&) {
  throw std::logic_error("a machine without an image");  // nobody can have one
}

}  // namespace armature::iss
