#include "armature/mems/params.h"

#include "armature/core/error.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace armature::mems {

void IdentityParams::keys(KeyVisitor& v) {
  v.key("model", model, "Name of the store");
}

void SledParams::keys(KeyVisitor& v) {
  v.key("count", count, "", {1, 64}, "Sleds, each with its own tips; blocks are dealt out to them in equal ranges");
  v.key("move_x_um", move_x_um, "um", {0.001, 10'000}, "Range of movement in X, from edge to edge");
  v.key("move_y_um", move_y_um, "um", {0.001, 10'000}, "Range of movement in Y, the direction in which tips read");
  v.key("bit_nm", bit_nm, "nm", {1, 10'000}, "Edge of a bit's cell, the same in X and Y");
  v.key("acceleration_x_m_s2", acceleration_x_m_s2, "m/s2", {0.001, 1e6}, "Acceleration by the actuators in X");
  v.key("acceleration_y_m_s2", acceleration_y_m_s2, "m/s2", {0.001, 1e6}, "Acceleration by the actuators in Y");
  v.key("spring_factor", spring_factor, "", {0, 0.99},
        "Pull of the springs at the edge of the range of movement, as a share of the actuators'");
  v.key("access_kb_s", access_kb_s, "kb/s", {0.001, 1e6},
        "Rate of one tip; times bit_nm it is the sled's access speed");
  v.key("resonance_hz", resonance_hz, "Hz", {0.001, 1e6}, "Resonant frequency of the sled, for the settling time");
  v.key("settle_time_constants", settle_time_constants, "", {0, 1000},
        "Settling behind a movement in X: so many times 1 / (2 pi resonance_hz)");
  choice(v, "seek_model", seek_model, {"disksim", "piecewise", "exact"},
         "Seek times: disksim, pieces of constant acceleration as DiskSim 4.0 sums them up; piecewise, the same with "
         "each piece's own acceleration and the exact switch; exact, the solution of the spring-mass-damper");
  v.key("pieces", pieces, "", {1, 1024}, "Pieces of a seek's accelerating phase, and of its braking phase");
  v.key("damping_ratio", damping_ratio, "", {0, 0.99}, "Damping of the exact solution, as a share of the critical one");
  v.key("startup_ms", startup_ms, "ms", {0, 1e6}, "Time in which an inactive sled starts");
  v.key("idle_ms", idle_ms, "ms", {0, 1e9}, "Time without a request after which the sled becomes inactive");
}

void TipParams::keys(KeyVisitor& v) {
  v.key("usable", usable, "", {1, 10'000'000}, "Tips of a sled that hold data");
  v.key("active", active, "", {0, 10'000'000},
        "Tips of a sled that read or write at the same time; 0: as many as power.budget_mw allows");
  v.key("per_block", per_block, "", {1, 4096}, "Tips over which a block of 512 bytes is spread");
  v.key("sector_bits", sector_bits, "", {1, 1'000'000}, "Encoded bits of one tip's share of a block, the tip sector");
  v.key("servo_bits", servo_bits, "", {0, 1'000'000}, "Servo burst before a tip sector and behind the last, in bits");
  v.key("bidirectional", bidirectional, "Tips read and write in both directions of Y");
  choice(v, "rows", rows, {"serpentine", "straight"},
         "Order of a track's rows: serpentine turns round from track to track; straight begins each at the lowest");
  choice(
      v, "spread", spread, {"together", "die"},
      "Tips of a block on the die: together, neighbours; die, spread over all of it, so that neighbours belong to the "
      "same cell of different tracks");
  v.key("shared", shared, "", {1, 4096},
        "Neighbouring tips that share a part, such as an amplifier: only one of them works at a time. Above 1 it needs "
        "spread = die, and divides the tracks of a cylinder");
  v.key("reach_bits", reach_bits, "", {0, 10'000},
        "Bits in X by which each tip can be moved against the others: one pass serves blocks of so many cylinders on "
        "either side");
  v.key("deflect_bits", deflect_bits, "", {0, 10'000},
        "Bits in X to either side by which the tips are deflected together: X positions of so many cylinders on either "
        "side of a place of the sled are reached without moving it");
  v.key("deflect_us", deflect_us, "us", {0, 1e6}, "Time of such a deflection, the tips' settling included");
  v.key(
      "warmer_k", warmer_k, "K", {-200, 200},
      "Medium warmer than the tips' die, against when tracks and tips were aligned: tips at the edge of the die use a "
      "part of reach_bits and deflect_bits to follow their tracks");
  v.key("expansion_ppm_k", expansion_ppm_k, "ppm/K", {0, 100}, "Thermal expansion of the dies; 2.6: silicon");
  v.key("die_mm", die_mm, "mm", {0.01, 1'000}, "Width of the array of tips in X; its middle is where it is aligned");
  v.key("ride_along", ride_along,
        "A drive serves waiting reads whose blocks the pass for a granted read can serve too together with that; such "
        "passes do not read ahead");
  v.key("spare", spare, "", {0, 10'000'000},
        "Spare tips of a sled: the first tips that fail are replaced, and what lay under them is restored");
  v.key("correctable", correctable, "", {0, 4096},
        "Tip sectors of a block that its parity restores; 0: a tip that fails in service takes its blocks with it");
  armature::rows(v, "failures", failures,
                 {{"time_s", "s", &TipFailure::time_s, {0, 1e9}}, {"tip", "", &TipFailure::tip, {0, 1e9}}},
                 "Tips that fail, and when; tips are counted over all sleds");
  choice(
      v, "free_reads", free_reads, {"none", "scan", "list"},
      "What a drive reads with tips that a read's pass leaves unused: scan, all blocks of the store, again and again; "
      "list, the blocks of free_list, once");
  armature::rows(v, "free_list", free_list,
                 {{"lbn", "", &BlockRange::lbn, {0, 1e15}}, {"sectors", "", &BlockRange::sectors, {1, 1e15}}},
                 "Blocks that free_reads = list reads: first LBN of 512 bytes, sectors");
}

std::int64_t TipParams::drift_bits(double bit_nm) const {
  const double nm = expansion_ppm_k * 1e-6 * std::abs(warmer_k) * die_mm * 1e6 / 2;
  return static_cast<std::int64_t>(std::ceil(nm / bit_nm));
}

std::int64_t TipParams::reach_left(const char* key, std::int64_t reach, double bit_nm) const {
  if (reach == 0) return 0;
  const std::int64_t drift = drift_bits(bit_nm);
  if (drift > reach)
    throw InputError(
        fmt::format("tips.{}: with {} K between the dies the tips at the edge are {} bits off their tracks, "
                    "and reach {}",
                    key, warmer_k, drift, reach));
  return reach - drift;
}

void RefreshParams::keys(KeyVisitor& v) {
  v.key("period_h", period_h, "h", {0, 1e6},
        "A drive reads and writes back every row of the medium within this time; 0: never");
  v.key("idle_ms", idle_ms, "ms", {0.1, 1e6}, "Time without a request before a sled refreshes rows in idle time");
  v.key("early_share", early_share, "", {0, 0.99},
        "Age of a row, as a share of the period, from which it is refreshed in idle time");
  v.key("forced_share", forced_share, "", {0.001, 1},
        "Rows that would be late are refreshed before requests, in this share of the time, or in more if the period "
        "needs "
        "it");
  v.key("rows", rows, "", {1, 1'000},
        "Rows that are refreshed together, at most to the end of a track; a request waits for their end");
}

void ElectronicsParams::keys(KeyVisitor& v) {
  v.key("command_us", command_us, "us", {0, 1e6}, "Time that each command takes before it waits for the sled");
  v.key("transfer_us_per_sector", transfer_us_per_sector, "us", {0, 1e6}, "Time of a sector of 512 bytes to the host");
  choice(v, "write_start", write_start, {"first_sector", "all"},
         "What of a write has arrived when the sled starts: first_sector, then a pass writes what is there when the "
         "sled starts for it; all");
}

void PowerParams::keys(KeyVisitor& v) {
  v.key("sled_mw", sled_mw, "mW", {0, 1e6}, "Power of a sled that is active");
  v.key("inactive_mw", inactive_mw, "mW", {0, 1e6}, "Power of a sled that is inactive");
  v.key("tip_mw", tip_mw, "mW", {0, 1e6}, "Power of a tip that reads or writes");
  v.key("budget_mw", budget_mw, "mW", {0, 1e9}, "Most that sled and tips may draw; 0: no limit");
  v.key("electronics_mw", electronics_mw, "mW", {0, 1e6}, "Power of the electronics while a command is under way");
  v.key("electronics_idle_mw", electronics_idle_mw, "mW", {0, 1e6}, "Power of the electronics without a command");
  v.key("electronics_standby_mw", electronics_standby_mw, "mW", {0, 1e6},
        "Power of the electronics in standby, when the sled rests too");
  v.key("interface_mw", interface_mw, "mW", {0, 1e6}, "Power of the interface while a frame is on the link");
}

void ThrottleParams::keys(KeyVisitor& v) {
  v.key("at_c", at_c, "C", {0, 120},
        "Case temperature above which a drive's passes move half as many blocks, so that fewer tips are active, and "
        "half as many again as long as it stays as warm; 0: never. Needs the drive's temperatures (thermal.case_k_w)");
  v.key("hysteresis_c", hysteresis_c, "C", {0, 60}, "So far below at_c this is taken back, step by step");
  v.key("every_s", every_s, "s", {0.1, 1e5}, "Least time between two of these steps");
}

void MemsParams::keys(KeyVisitor& v) {
  v.section("identity", identity, "The store as a whole");
  v.section("sled", sled, "The sled: movement, forces, seek times");
  v.section("tips", tips, "The tips and what lies under them");
  v.section("refresh", refresh, "Refresh of the medium, by a drive");
  v.section("electronics", electronics, "Commands and the way to the host");
  v.section("power", power, "What sled and tips draw");
  v.section("throttle", throttle, "What a drive does when it is warm");
}

}  // namespace armature::mems
