#include "armature/channel/channel_params.h"

#include "armature/core/typed_keys.h"

namespace armature::channel {

void ChannelParams::keys(KeyVisitor& visitor) {
  choice(
      visitor, "errors", errors, {"none", "margin", "rate"},
      "Whether reads can fail: never (but at defects of [[faults]]), by `margin_db`, or by `sector_error_rate`, from "
      "which the margin is solved");
  visitor.key("margin_db", margin_db, "dB", {-20, 100},
              "Signal-to-noise ratio of a read in the middle of its track, beyond the one at which half of the reads "
              "fail");
  visitor.key(
      "sector_error_rate", sector_error_rate, "", {1e-15, 0.999},
      "Probability that a read of a physical sector fails, with a head of no margin of its own, without a "
      "position error, a flaw or a retry. Seagate's manuals (Cheetah 10K.7, 5.0) have less than 10 errors that are "
      "recovered in 10^12 bits: 4.1e-8 of 512 bytes, 3.3e-7 of 4,096");
  visitor.list("head_margin_db", head_margin_db, "dB", {-20, 20}, "What each head adds to the margin, from head 0 on");
  visitor.key("sector_sigma_db", sector_sigma_db, "dB", {0, 10},
              "Standard deviation of the margin from sector to sector, which a sector keeps");
  visitor.key("attempt_sigma_db", attempt_sigma_db, "dB", {0, 10},
              "Standard deviation of the margin from one read of a sector to the next");
  visitor.key(
      "position_error_rms", position_error_rms, "tracks", {0, 1},
      "Position error of a read where no model of the servo tells it, root mean square, from the middle of the track");
  visitor.list("head_offset", head_offset, "tracks", {-1, 1},
               "Where on the track each head reads best, from the middle, from head 0 on");
  visitor.key("reader_width", reader_width, "tracks", {0.01, 1}, "Width of the reading element");
  visitor.key("writer_width", writer_width, "tracks", {0.01, 1}, "Width of the track that the writing element writes");
  visitor.key("corrected_bits", corrected_bits, "", {0, 4'608},
              "Bit errors of a sector that the decoder corrects; 0: an eighth of the parity bits, 72 of 576 (512-byte "
              "sectors) or 576 of 4,608");
  visitor.key("burst_rate", burst_rate, "", {0, 1}, "Part of the physical sectors with a flaw, whose bits are random");
  visitor.key("burst_bits", burst_bits, "", {1, 10'000}, "Mean length of a flaw in bits; the lengths are geometric");
  visitor.list("detector_gain_db", detector_gain_db, "dB", {-10, 10},
               "What the detector's settings 1, 2, ... (up to 15) add to the margin; setting 0 is the normal one");
  rows(visitor, "ladder", ladder,
       {{"repeats", "", &LadderRow::repeats, {0, 255}},
        {"head offset, 1/256 track", "", &LadderRow::head_offset, {-256, 255}},
        {"detector setting", "", &LadderRow::detector, {0, 15}},
        {"erasure", "", &LadderRow::erasure, {0, 1}}},
       "Retry ladder, up to 16 steps: a sector that cannot be read is read again, a revolution later each "
       "time, so often as the step says, with the head so far off the middle, that setting of the detector, "
       "and flaws flagged as erasures or not. Without steps nothing is read again. Fujitsu's MBA3 has 63 repeats; "
       "makers do not publish "
       "what their steps are");
  visitor.key(
      "retry_limit_ms", retry_limit_ms, "ms", {0, 65'535},
      "No retry of a sector begins later than so long after its first read has failed; 0: no limit. 30,000 ms in "
      "Fujitsu's MBA3, 40 to 65,500 ms as the host chooses in HGST's Ultrastar C15K600");
  visitor.key("latency_us", latency_us, "us", {0, 1'000},
              "Between a sector's trailing edge and its decoding: detector and equaliser");
  visitor.key("iteration_us", iteration_us, "us", {0, 1'000},
              "Time of one iteration of the channel's decoder, of which there is one");
  visitor.key("max_iterations", max_iterations, "", {1, 1'000},
              "Iterations after which the decoder gives up; a failed read takes so many");
  visitor.key("select_us", select_us, "us", {0, 1'000},
              "Preamplifier: before a channel can read or write with another arm or head than before");
  visitor.key("write_to_read_us", write_to_read_us, "us", {0, 1'000},
              "Preamplifier: from the end of a channel's write to its next read");
  visitor.key("seed", seed, "", {0, 9e15}, "Seed of everything random in reading");
}

}  // namespace armature::channel
