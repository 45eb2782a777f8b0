#include "Vround_robin_arbiter.h"

#include "arbiter.h"

struct Arbiter::Rtl {
  VerilatedContext context;
  Vround_robin_arbiter top{&context};
  void edge(bool level) {
    top.clk_i = level;
    top.eval();
  }
};

Arbiter::Arbiter(sc_core::sc_module_name name) : sc_module(name), rtl_(std::make_unique<Rtl>()) {
  rtl_->top.rst_ni = 0;
  rtl_->edge(false);
  rtl_->edge(true);
  rtl_->top.rst_ni = 1;
  rtl_->edge(false);
  SC_HAS_PROCESS(Arbiter);
  SC_THREAD(clock);
}

Arbiter::~Arbiter() = default;

void Arbiter::acquire(unsigned client) {
  requests_ |= 1u << client;
  asked_.notify(sc_core::SC_ZERO_TIME);
  wait(granted_[client]);
  ++grants_[client];
}

void Arbiter::release(unsigned client) {
  requests_ &= ~(1u << client);
  asked_.notify(sc_core::SC_ZERO_TIME);
}

void Arbiter::clock() {
  unsigned before = 0;
  for (;;) {
    wait(asked_);
    // Until nothing changes any more.
    for (bool changes = true; changes;) {
      wait(period_);
      rtl_->top.req_i = requests_;
      rtl_->edge(true);
      rtl_->edge(false);
      const unsigned now = rtl_->top.gnt_o;
      for (unsigned client = 0; client < kClients; ++client)
        if (now & ~before & (1u << client)) granted_[client].notify(sc_core::SC_ZERO_TIME);
      changes = now != before;
      before = now;
    }
  }
}
