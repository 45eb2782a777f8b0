#pragma once

#include "armature/channel/channel_params.h"
#include "armature/channel/retry_ladder.h"
#include "armature/core/random.h"
#include "armature/core/time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace armature::channel {

/// Whether the read of a physical sector succeeds, and how long the decoder works on it.
///
/// A physical sector is one codeword of a low-density parity-check code: 512 bytes with 576 parity bits or 4,096 with
/// 4,608 (HGST Ultrastar C15K600 specification, page 45). Its raw bit errors are binomial; the decoder corrects up to
/// `corrected()` of them and detects when it fails (CRC). The bit error rate is Q(q), for antipodal signals in white
/// noise, with
///
///     q = q0 10^(M/20) s(x) / sqrt(1 + (q0 10^(M/20) i(x))^2),    Q(q0) = (corrected + 1/2) / bits
///     M = nominal + head + sector + attempt + detector's setting, dB
///
/// so that at M = 0, on track, half of the codewords fail. `sector` is normal and fixed for the physical sector,
/// `attempt` is normal and drawn for each read. A reader of width r at distance x from the centre of a track of width w
/// (in tracks) sees its own track with the part s = min(1, ((r + w) / 2 - |x|) / r) and the next track, whose signal is
/// noise here, with the part i = max(0, |x| - (1 - (r + w) / 2)) / r; both within 0 to 1. x is the position error (the
/// servo's, or drawn) plus the ladder's offset less the place where the head reads best.
///
/// A flaw of L bits (of `burst_rate` of the sectors, its length geometric) reads as random: Binomial(L, 1/2) more
/// errors. With the erasure flag each of its bits costs the decoder corrected / erased() of an error instead: the same
/// code fills in 425 erased bits (3,400), the same specification.
///
/// Everything is a function of the seed, the sector, the time of its passage and the arguments: see RandomField.
class ReadProcess {
 public:
  /// @param sector_bytes  512 or 4096. Throws InputError if the parameters do not go together.
  /// @param weak  reads may be told their margin
  ReadProcess(const ChannelParams& params, std::uint32_t sector_bytes, bool weak = false);

  bool fails() const { return params_.fails(); }  ///< otherwise every read succeeds, without an error

  struct Attempt {
    bool ok = true;
    std::uint32_t errors = 0;      ///< raw bits, including the bits of a flaw if the flag is off
    std::uint32_t iterations = 1;  ///< of the decoder
  };
  /// @param sector          number of the physical sector's first 512 bytes (media::PhysicalSector)
  /// @param at              when its leading edge passes, ps: tells one read of it from another
  /// @param position_error  tracks, if it is known; otherwise it is drawn
  /// @param margin_db       in place of the nominal margin; needs `weak`
  Attempt read(std::uint64_t sector, Ps at, std::uint32_t head, std::optional<double> position_error,
               const ReadSetting& setting, std::optional<double> margin_db = std::nullopt) const;
  /// The result for a codeword that no read can recover, such as at a defect.
  Attempt unreadable() const;

  std::uint32_t bits() const { return bits_; }            ///< of a codeword
  std::uint32_t corrected() const { return corrected_; }  ///< of these, at most
  std::uint32_t erased() const { return erased_; }        ///< bits that it fills in if there is no error
  double margin_db() const { return margin_db_; }         ///< nominal, if need be solved from the rate

  /// Bit error rate at a margin (dB), `x` tracks off.
  double bit_error_rate(double margin_db, double x) const;
  /// Probability that a codeword of such a bit error rate fails.
  double failure(double bit_error_rate) const;

 private:
  struct Flaw {
    std::uint32_t bits = 0;
  };
  double solve_margin() const;
  double mean_failure(double margin_db, double sigma_db) const;
  Flaw flaw(std::uint64_t sector) const;
  std::uint32_t draw_errors(double u, std::uint32_t bits, double rate) const;
  std::uint32_t iterations(double cost) const;

  const ChannelParams params_;
  std::uint32_t bits_;
  std::uint32_t corrected_;
  std::uint32_t erased_;
  double q0_ = 0;
  double margin_db_ = 0;
  RandomField random_;
  std::vector<double> log_factorial_;  // 0 to bits_
};

}  // namespace armature::channel
