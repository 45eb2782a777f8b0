// The arbiter's RTL as a SystemC module. It is clocked only while somebody asks for the bus.
#pragma once

#include <systemc>

#include <array>
#include <memory>

constexpr unsigned kClients = 4;

class Arbiter : public sc_core::sc_module {
 public:
  explicit Arbiter(sc_core::sc_module_name name);
  ~Arbiter() override;

  /// From a thread: returns when the client has the bus.
  void acquire(unsigned client);
  void release(unsigned client);
  /// Times that each client was granted the bus.
  const std::array<unsigned, kClients>& grants() const { return grants_; }

 private:
  void clock();

  struct Rtl;  // Verilator's headers stay out of this one
  const std::unique_ptr<Rtl> rtl_;
  const sc_core::sc_time period_{10, sc_core::SC_NS};
  unsigned requests_ = 0;
  std::array<sc_core::sc_event, kClients> granted_;
  std::array<unsigned, kClients> grants_{};
  sc_core::sc_event asked_;
};
