#include "armature/platform/ahci_controller.h"

#include "armature/ahci/controller.h"
#include "armature/app/ported_drive.h"
#include "drive_parts.h"

#include <cmath>
#include <string>

namespace armature {
namespace {

ahci::AhciParams params_of(const AhciOptions& options) {
  ahci::AhciParams params;
  params.read_latency_ns = options.read_latency_ns;
  params.write_latency_ns = options.write_latency_ns;
  params.bandwidth_mb_s = options.bandwidth_mb_s;
  if (!(params.read_latency_ns >= 0 && params.write_latency_ns >= 0 && params.bandwidth_mb_s > 0))
    throw InputError("AhciOptions: latencies are 0 or more, and the bandwidth is more than 0");
  return params;
}

unsigned ports_of(const std::vector<DriveOptions>& drives) {
  if (drives.empty() || drives.size() > ahci::kMostPorts)
    throw InputError("AhciController: a controller has 1 to 8 drives, not " + std::to_string(drives.size()));
  return static_cast<unsigned>(drives.size());
}

}  // namespace

class AhciController::Port final : public AnyDrive {
 public:
  Port(const std::string& path, unsigned number, const DriveOptions& options, ahci::Controller& controller)
      : AnyDrive(std::make_unique<Ported>(path, number, options, controller)) {
    parts_->signals.check();
  }

  app::PortedDrive& ported() { return static_cast<Ported&>(*parts_).drive; }

 private:
  struct Ported : Parts {
    Ported(const std::string& path, unsigned number, const DriveOptions& options, ahci::Controller& controller)
        : Parts(path, options, "probes" + std::to_string(number)),
          drive(path.substr(path.rfind('.') + 1).c_str(), setup(), controller.port(number), tracker, context,
                [&controller, number](unsigned slot) { return controller.frame_of(number, slot); }, {}) {}
    drive::Drive& disk() override { return drive.disk(); }
    void power_off() override { drive.power_off(/*returns=*/true); }
    void power_on() override { drive.power_on(); }

    app::PortedDrive drive;
  };
};

/// Made in this order, as children of the controller's module.
struct AhciController::Parts final : ahci::CommandObserver {
  Parts(AhciController& owner, const std::vector<DriveOptions>& drives, const AhciOptions& options)
      : controller("ahci", ports_of(drives), params_of(options), {nullptr, nullptr, nullptr}) {
    controller.set_observer(this);
    controller.on_message = [&owner] {
      if (owner.on_message) owner.on_message();
    };
    controller.on_level = [&owner](bool high) {
      if (owner.on_level) owner.on_level(high);
    };
    for (unsigned i = 0; i < drives.size(); ++i)
      ports.push_back(
          std::make_unique<Port>(std::string(owner.name()) + ".drive" + std::to_string(i), i, drives[i], controller));
  }

  void issued(unsigned port, unsigned slot, Ps at) override { ports[port]->ported().issued(slot, at); }
  void sent(unsigned port, unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at) override {
    ports[port]->ported().sent(slot, queued, registers, at);
  }
  void ended(unsigned port, unsigned slot, const Ending& ending) override { ports[port]->ported().ended(slot, ending); }
  void dropped(unsigned port, unsigned slot, Ps at) override { ports[port]->ported().dropped(slot, at); }

  ahci::Controller controller;
  std::vector<std::unique_ptr<Port>> ports;
};

AhciController::AhciController(sc_core::sc_module_name name, const std::vector<DriveOptions>& drives,
                               const AhciOptions& options)
    : sc_module(name), parts_(std::make_unique<Parts>(*this, drives, options)) {}

AhciController::~AhciController() = default;

tlm::tlm_target_socket<>& AhciController::registers() {
  return parts_->controller.registers;
}

tlm::tlm_initiator_socket<>& AhciController::memory() {
  return parts_->controller.memory;
}

unsigned AhciController::ports() const {
  return parts_->controller.ports();
}

AnyDrive& AhciController::drive(unsigned port) {
  return *parts_->ports.at(port);
}

}  // namespace armature
