// The policy of docs/guide/extending.md: up over the addresses, and down again; of equal addresses the first that came.
#include "armature/host/dispatch_policy.h"

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

using armature::host::DispatchPolicy;
using armature::workload::Request;

namespace {

int failures = 0;

void add(DispatchPolicy& policy, std::initializer_list<std::uint64_t> lbns) {
  static std::uint64_t id = 0;
  for (const std::uint64_t lbn : lbns) {
    Request request{};
    request.id = id++;
    request.lbn = lbn;
    policy.add(request);
  }
}

void expect(DispatchPolicy& policy, std::initializer_list<std::uint64_t> order) {
  std::uint64_t last_id = 0, last_lbn = ~0ull;
  for (const std::uint64_t lbn : order) {
    const Request request = policy.take(0);
    if (request.lbn != lbn || (request.lbn == last_lbn && request.id < last_id)) {
      std::printf("%llu is taken, %llu is expected\n", static_cast<unsigned long long>(request.lbn),
                  static_cast<unsigned long long>(lbn));
      ++failures;
    }
    last_id = request.id;
    last_lbn = request.lbn;
  }
}

}  // namespace

int sc_main(int, char**) {
  armature::host::HostParams params;
  params.policy = armature::host::Policy::look;
  const auto policy = make_policy(params, {});
  add(*policy, {50, 20, 80, 50});
  expect(*policy, {20, 50});
  add(*policy, {40, 60, 50});
  expect(*policy, {50, 50, 60, 80, 40});
  add(*policy, {90, 10, 30});
  policy->take_along([](const Request& request) { return request.lbn == 10; });
  expect(*policy, {30, 90});
  return failures == 0 && policy->size() == 0 ? 0 : 1;
}
