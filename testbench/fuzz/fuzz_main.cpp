// SystemC's library owns main() and calls this.
#include <systemc>

#include <cstddef>
#include <cstdint>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*test_one)(const std::uint8_t*, std::size_t));
}

int sc_main(int argc, char** argv) {
  return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
}
