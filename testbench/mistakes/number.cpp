// Which mistake the program has: planted.c has the numbers.
#include <cstdint>
#include <cstdlib>

namespace {

std::uint32_t planted() {
  const char* const number = std::getenv("ARMATURE_PLANTED");
  return number ? static_cast<std::uint32_t>(std::strtoul(number, nullptr, 10)) : 0;
}

}  // namespace

extern "C" std::uint32_t fw_planted;
std::uint32_t fw_planted = planted();
