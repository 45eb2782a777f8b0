#include "bus.h"
#include "conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The meaning of the keys is in DiskSim's src/modules/disk.modspec and ioqueue.modspec.

namespace armature::importer {
namespace {

constexpr double kAny = 1e9;
constexpr std::int64_t kAnySectors = 1'000'000'000;
constexpr std::int64_t kFirmwarePages = 4'096;  // bytes of buffer RAM that firmware keeps
constexpr std::int64_t kLeastKib = 8;
constexpr std::int64_t kMostSegments = 256;
constexpr std::int64_t kMostSegmentSectors = 65'535;
constexpr std::int64_t kLeastLines = 16;  // of a write cache
constexpr std::int64_t kMostLines = 16'384;
constexpr double kMostShare = 0.9;
constexpr std::int64_t kLineSectors = 8;
constexpr std::int64_t kMostTags = 32;
constexpr std::int64_t kWholeTracks = 4;  // Buffer continuous read: tracks of a stream

/// A key whose other values than `ours` are not represented.
struct Fixed {
  const char* key;
  double ours;
  const char* why;
};

constexpr const char* kNoBus = "a Serial ATA link belongs to one drive, which has no bus to give up";
constexpr Fixed kAlways[] = {
    {"Hold bus entire read xfer", 0, kNoBus},
    {"Hold bus entire write xfer", 0, kNoBus},
    {"Never disconnect", 0, kNoBus},
    {"Read disconnect afterread", 0, kNoBus},
    {"Read disconnect afterwrite", 0, kNoBus},
    {"Extradisc disconnect overhead", 0, kNoBus},
    {"Extradisc inter-disconnect delay", 0, kNoBus},
    {"Extradisc 2nd disconnect overhead", 0, kNoBus},
    {"Disconnect write if seek", 0, kNoBus},
    {"Allow write prebuffering", 0,
     "a waiting write's data are fetched when it is granted, or go into the write cache"},
    {"Immediate buffer write", 0, "an access on arrival is for reads and writes alike or for none"},
};
constexpr Fixed kWithCache[] = {
    {"Immed transfer partial hit", 1, "what is there of a read goes to the host at once"},
    {"Stop prefetch in sector", 0, "reading ahead ends at the end of a sector"},
    {"Read directly to buffer", 1, "sectors go from the head into the buffer"},
    {"Combine seq writes", 1, "written data share the cache's lines whatever request brought them"},
};
constexpr Fixed kWithQueue[] = {
    {"Allow almost read hits", 1, "a read whose first sector is on its way from the media waits for it there"},
    {"Allow sneaky full read hits", 1, "hits are answered whatever the arm does"},
    {"Allow sneaky partial read hits", 1, "hits are answered whatever the arm does"},
    {"Allow sneaky intermediate read hits", 1, "hits are answered whatever the arm does"},
    {"Preseeking level", 2, "the arm goes to the next command when it has done with one"},
};

struct Policy {
  const char* name;
  const char* loss;  // nothing: the same
};
constexpr const char* kScan = "C-LOOK stands for a scan in both directions";
constexpr const char* kNoCacheInCost = "what the buffer holds does not count in the positioning time";
constexpr const char* kWeighted = "a positioning time without a weight stands for this one";
constexpr const char* kAged = "ageing has a weight of its own: arbiter.ageing_weight";
constexpr Policy kPolicies[] = {
    {"fcfs", nullptr},                                               // 1 FCFS
    {"clook", kScan},         {"clook", nullptr},                    // ELEVATOR_LBN, CYCLE_LBN
    {"sstf", nullptr},        {"clook", kScan},                      // SSTF_LBN, ELEVATOR_CYL
    {"clook", nullptr},       {"sstf", nullptr},                     // CYCLE_CYL, SSTF_CYL
    {"sptf", nullptr},        {"sptf", kNoCacheInCost},              // SPTF_OPT, SPCTF_OPT
    {"sptf", kNoCacheInCost}, {"asptf", kWeighted},                  // SATF_OPT, WPTF_OPT
    {"asptf", kWeighted},     {"asptf", kWeighted},                  // WPCTF_OPT, WATF_OPT
    {"asptf", kAged},         {"asptf", kAged},                      // ASPTF_OPT, ASPCTF_OPT
    {"asptf", kAged},                                                // ASATF_OPT
    {"sstf", kScan},          {"sstf", kScan},                       // VSCAN_LBN, VSCAN_CYL
    {"sstf", kScan},          {"asptf", kAged},                      // PRI_VSCAN_LBN, PRI_ASPTF_OPT
    {"asptf", kAged},         {"sptf", kWeighted},                   // PRI_ASPCTF_OPT, SDF_APPROX
    {"sptf", kWeighted},      {"sptf", kWeighted},                   // SDF_EXACT, SPTF_ROT_OPT
    {"sptf", kWeighted},      {"sptf", kWeighted},                   // SPTF_ROT_WEIGHT, SPTF_SEEK_WEIGHT
    {"sptf", kWeighted},      {"fcfs", "requests have no batches"},  // TSPS, BATCH_FCFS
};
static_assert(std::size(kPolicies) == 28);

class Converter {
 public:
  Converter(const ParameterFile& file, const ParameterBlock& disk, const Surroundings& surroundings,
            const Layout& layout, Report& report)
      : file_(file),
        way_(bus_times(file, surroundings, report)),
        layout_(layout),
        report_(report),
        reader_(file, disk, report) {}

  DriveText convert() {
    reader_.ignore("Model");
    for (const char* const key : {"Print stats", "Avg sectors per cylinder", "Calc sector by sector"}) {
      reader_.number(key, {-kAny, kAny});  // of the simulator, not of the drive
    }
    queue();
    overheads();
    bus();
    buffer();
    for (const Fixed& fixed : kAlways) reader_.expect(fixed.key, fixed.ours, fixed.why);
    for (const Fixed& fixed : kWithCache) fixed_if(caching_, fixed);
    for (const Fixed& fixed : kWithQueue) fixed_if(queue_ != 1, fixed);
    water_marks();
    reader_.finish();
    return std::move(text_);
  }

 private:
  double number(const char* key, Range range, double otherwise) {
    return reader_.number_or_none(key, range, otherwise);
  }
  std::int64_t whole(const char* key, Range range, std::int64_t otherwise) {
    return reader_.whole_or_none(key, range, otherwise);
  }

  std::int64_t longest_track() const {
    std::int64_t sectors = 0;
    for (const media::ZoneParams& zone : layout_.params.zones) sectors = std::max(sectors, zone.sectors_per_track);
    return sectors;
  }
  std::int64_t shortest_track() const {
    std::int64_t sectors = kAnySectors;
    for (const media::ZoneParams& zone : layout_.params.zones) sectors = std::min(sectors, zone.sectors_per_track);
    return sectors;
  }

  void fixed_if(bool matters, const Fixed& fixed) {
    if (matters) {
      reader_.expect(fixed.key, fixed.ours, fixed.why);
    } else {
      reader_.number(fixed.key, {-kAny, kAny});
    }
  }

  // ---- Queue -------------------------------------------------------------------------------------------------------

  void queue() {
    queue_ = whole("Max queue length", {0, kAny}, 1);
    std::string source = reader_.source("Max queue length");
    if (way_.depth > 0 && (queue_ == 0 || way_.depth < static_cast<double>(queue_))) {
      queue_ = static_cast<std::int64_t>(way_.depth);
      source = way_.depth_source;
    }
    text_.section("host");
    if (queue_ >= 1 && queue_ <= kMostTags) {
      text_.key("depth", fmt::format("{}", queue_), source);
    } else {
      text_.key("depth", "0", fmt::format("as many as there are tags; {}", source));
      if (queue_ > kMostTags) reader_.lose("Max queue length", "a link carries 32 commands");
    }
    const auto scheduler = reader_.block("Scheduler");
    if (!scheduler) {
      report_.note(reader_.read().place, "there is no Scheduler: requests are served as they come");
      return;
    }
    if (scheduler->type != "disksim_ioqueue") {
      reader_.lose("Scheduler", fmt::format("a Scheduler is a disksim_ioqueue, not a {}", printable(scheduler->type)));
      return;
    }
    BlockReader reader(file_, *scheduler, report_);
    const auto number_of_policy = reader.whole_or_none("Scheduling policy", {1, std::size(kPolicies)}, 1);
    const Policy& policy = kPolicies[number_of_policy - 1];
    if (policy.loss) reader.lose("Scheduling policy", policy.loss);
    text_.section("arbiter");
    text_.key("policy", toml_string(policy.name), reader.source("Scheduling policy"));
    reader.number("Cylinder mapping strategy", {0, 6});  // the drive knows its own layout
    constexpr const char* kExact = "the unit knows the times themselves";
    reader.expect("Write initiation delay", 0, kExact);
    reader.expect("Read initiation delay", 0, kExact);
    constexpr const char* kEachAlone = "the drive's queue takes each command for itself";
    for (const char* const key : {"Sequential stream scheme", "Overlapping request scheme", "Scheduling timeout scheme",
                                  "Scheduling priority scheme"})
      reader.expect(key, 0, kEachAlone);
    for (const char* const key : {"Maximum concat size", "Sequential stream diff maximum", "Timeout time/weight",
                                  "Timeout scheduling", "Priority scheduling"})
      reader.number(key, {-kAny, kAny});  // of the schemes above
    reader.finish();
  }

  // ---- Times -------------------------------------------------------------------------------------------------------

  struct Start {
    const char* name;
    const char* key;
  };
  static constexpr Start kStarts[] = {
      {"read_hit_us", "Read hit over. after read"},     {"read_hit_after_write_us", "Read hit over. after write"},
      {"read_miss_us", "Read miss over. after read"},   {"read_miss_after_write_us", "Read miss over. after write"},
      {"write_hit_us", "Write hit over. after read"},   {"write_hit_after_write_us", "Write hit over. after write"},
      {"write_miss_us", "Write miss over. after read"}, {"write_miss_after_write_us", "Write miss over. after write"},
  };

  void overheads() {
    const Range ms{0, 1'000};
    const double scale = number("Time scale for overheads", {0, 1e6}, 1);
    const double each = number("Per-request overhead time", ms, 0);
    const bool through = whole("Enable caching in buffer", {0, 2}, 0) == 0 || whole("Fast write level", {0, 2}, 0) == 0;
    text_.section("overheads");
    if (each != 0 || scale != 1)
      text_.comment(fmt::format("Before a command starts: its own time and {} ({} ms), both times {} ({}).",
                                reader_.source("Per-request overhead time"), shortest(each),
                                reader_.source("Time scale for overheads"), shortest(scale)));
    // The parts of a parallel bus's protocol that a request waits for. What runs beside the seek costs it nothing.
    const double preparation = number("Data preparation overhead", ms, 0),
                 reselect = number("First reselect overhead", ms, 0);
    const bool extra = whole("Extra write disconnect", {0, 1}, 0) == 1;
    // Only a write behind a write that does not go on where that one ends loses the bus once more; its arm starts later
    // then.
    const double delta = number("Extradisc seek delta", ms, 0);
    // To take a write's command; what Write miss over. has beyond it is the way to the data, beside the seek.
    const double extra_command = number("Extradisc command overhead", ms, 0);
    if (!extra && delta != 0) reader_.lose("Extradisc seek delta", "no write loses the bus once more");
    for (const Start& start : kStarts) {
      const std::string_view name = start.name;
      const bool write = name.substr(0, 5) == "write", miss = name.find("miss") != std::string_view::npos;
      double own = number(start.key, ms, 0);
      const bool behind_write = name.find("after_write") != std::string_view::npos;
      const bool gives_up = write && extra && (behind_write || (through && extra_command < own));
      if (gives_up) own = extra_command + (behind_write ? delta : 0);
      if (write && !miss) own += preparation;
      text_.key(start.name, microseconds((own + each) * scale + messages_before(write, miss)),
                reader_.source(gives_up ? "Extradisc command overhead" : start.key));
    }
    const double answer = way_.message_ms;
    if (through && extra)
      text_.key("write_sequential_us",
                microseconds((number("Write miss over. after write", ms, 0) + preparation + each) * scale +
                             messages_before(true, true)),
                reader_.source("Write miss over. after write"));
    const double data = number("Minimum seek delay", ms, 0);
    begins_early_ = data > 0;
    // It holds the time in which the drive gives up the bus; in the midst of the data it does not.
    const double release = number("Write disconnect overhead", ms, 0);
    if (through && data > 0) {
      text_.key("write_data_us", microseconds((data - std::min(release, data)) * scale),
                reader_.source("Minimum seek delay"));
      text_.key("write_last_data_us", microseconds(data * scale), reader_.source("Minimum seek delay"));
    }
    text_.key("read_completion_us",
              microseconds((number("Read completion overhead", ms, 0) + preparation) * scale + answer),
              reader_.source("Read completion overhead"));
    const double other = number("Other reselect overhead", ms, 0);
    const double again = through && whole("Never disconnect", {0, 1}, 0) == 0 ? reselect : 0;
    text_.key("write_completion_us",
              microseconds((number("Write completion overhead", ms, 0) + again) * scale + answer),
              reader_.source("Write completion overhead"));
    note_overheads({preparation, reselect, again, other, data, release, extra, through});
  }

  /// Times in ms, and how the drive gives up the bus.
  struct OverheadTimes {
    double preparation, reselect, again, other, data, release;
    bool extra, through;
  };

  void note_overheads(const OverheadTimes& t) {
    const auto note = [this](const char* key, const std::string& text) {
      if (const Parameter* const parameter = reader_.find(key)) report_.note(parameter->place, text);
    };
    if (t.preparation > 0)
      note("Data preparation overhead", "is in the times of a read's completion and of a write's start in the cache");
    if (t.other != 0) reader_.lose("Other reselect overhead", kNoBus);
    if (t.again > 0)
      note("First reselect overhead", "is in the time of a write's completion; that of a read runs beside the media");
    else if (t.reselect > 0)
      note("First reselect overhead", "that of a read runs beside the media");
    if (t.extra)
      note("Extra write disconnect",
           "a write behind a write starts after Extradisc command overhead and Extradisc seek delta, unless it goes on "
           "where that one ends");
    if (t.data > 0 && t.through)
      note("Minimum seek delay", "counts from the arrival of a write's data on, which the media wait for");
    else if (t.data > 0)
      reader_.lose("Minimum seek delay", "written data go into the cache, which delays nothing");
    if (t.release > 0 && t.through && t.data > 0)
      note("Write disconnect overhead",
           "is part of Minimum seek delay; data behind which more follow do not wait for it");
    else if (t.release > 0)
      reader_.lose("Write disconnect overhead", kNoBus);
  }

  /// Of milliseconds: 0.34492 gives 344.92, not what binary fractions make of it.
  static std::string microseconds(double ms) { return shortest(std::min(std::round(ms * 1e9) / 1e6, 1e6)); }

  /// The command comes by way of the bus. Who does not hold the bus comes back to it with a message and its answer;
  /// DiskSim counts what that takes beside the media, here a read that waits for the media waits for it before.
  double messages_before(bool write, bool miss) const {
    const double command = way_.arbitration_ms + way_.message_ms;
    return command + (!write && miss ? way_.arbitration_ms + 2 * way_.message_ms : 0);
  }

  /// Of disk, bus and controller the slowest counts (DiskSim's ctlr.modspec); the latter two are there in a file that
  /// describes a whole simulation.
  void bus() {
    const double own = number("Bulk sector transfer time", {0, 100}, 0);
    const double reads = std::max(own, way_.read_ms), writes = std::max(own, way_.write_ms);
    const std::string of_disk = reader_.source("Bulk sector transfer time");
    text_.section("link");
    text_.key("bus_us_per_sector", microseconds(reads), way_.read_ms > own ? way_.read_source : of_disk);
    if (writes != reads)
      text_.key("bus_us_per_written_sector", microseconds(std::max(writes, 1e-6)),
                way_.write_ms > own ? way_.write_source : of_disk);
    if (way_.message_ms > 0 || way_.arbitration_ms > 0)
      report_.note(reader_.read().place,
                   fmt::format("the way of each command holds {} ms for the bus and {} ms for controllers: they are in "
                               "overheads",
                               shortest(way_.arbitration_ms), shortest(way_.message_ms)));
    if (reads == 0 && !way_.known)
      report_.note(reader_.read().place,
                   "the disk's own time on the bus is 0: then the bus's and the controller's count in DiskSim, which "
                   "stand in the .parv file of a simulation; without them data move as fast as Serial ATA");
  }

  // ---- Buffer ------------------------------------------------------------------------------------------------------

  /// The keys of the buffer, as the file has them.
  struct BufferKeys {
    std::int64_t given;
    std::int64_t of_writes;
    std::int64_t sectors;
    bool own;
    std::int64_t fast;
    std::int64_t ahead;
    std::int64_t most_ahead;
    std::int64_t least_ahead;
    std::int64_t on_arrival;
    std::int64_t over;
    bool any_free;
    double mark;
    bool of_request;
    bool write_stops;
    bool ahead_on_hit;
    bool hits_written;
    bool write_cache;
    bool tracks;        ///< the drive reads ahead by tracks
    std::int64_t size;  ///< of a segment
  };

  BufferKeys read_buffer() {
    BufferKeys b{};
    caching_ = whole("Enable caching in buffer", {0, 2}, 0) > 0;
    b.given = whole("Number of buffer segments", {0, kAny}, 1);
    b.of_writes = whole("Maximum number of write segments", {0, kAny}, 1);
    b.sectors = whole("Segment size (in blks)", {1, kAny}, 1);
    b.own = whole("Use separate write segment", {0, 1}, 0) == 1;
    b.fast = whole("Fast write level", {0, 2}, 0);
    b.ahead = whole("Buffer continuous read", {0, 4}, 0);
    b.most_ahead = whole("Maximum read-ahead (blks)", {0, kAny}, 0);
    b.least_ahead = whole("Minimum read-ahead (blks)", {0, kAny}, 0);
    b.on_arrival = whole("Immediate buffer read", {0, 2}, 0);
    b.over = whole("Read-ahead over requested", {-1, 1}, 1);
    b.any_free = whole("Read any free blocks", {0, 1}, 0) == 1;
    b.mark = number("High (read) water mark", {0, 1}, 0);
    b.of_request = whole("Set watermark by reqsize", {0, 1}, 1) == 1;
    b.write_stops = whole("Write hit stop prefetch", {0, 1}, 0) == 1;
    b.ahead_on_hit = whole("Read-ahead on idle hit", {0, 1}, 0) == 1;
    b.hits_written = whole("Allow read hits on write data", {0, 1}, 0) == 1;
    b.write_cache = write_cache_ = caching_ && b.fast > 0;
    b.tracks = caching_ && b.ahead == kWholeTracks;
    b.size = std::min(b.tracks ? std::max(b.sectors, longest_track()) : b.sectors, kMostSegmentSectors);
    minimum_read_ahead(b);
    return b;
  }

  /// As in DiskSim: it counts only if the drive reads ahead, and the maximum is no less. Not more than a segment.
  void minimum_read_ahead(BufferKeys& b) {
    const Parameter* const least = reader_.find("Minimum read-ahead (blks)");
    if (!caching_ || b.ahead == 0 || b.least_ahead == 0 || !least) {
      b.least_ahead = 0;
      return;
    }
    if (b.least_ahead > b.size) {
      report_.note(least->place, fmt::format("the segment has {} sectors: so many are read ahead at least", b.size));
      b.least_ahead = b.size;
    }
    if (b.most_ahead >= b.least_ahead) return;
    report_.note(least->place, fmt::format("Maximum read-ahead (blks) is less, {}: as in DiskSim it is taken as {}",
                                           b.most_ahead, b.least_ahead));
    b.most_ahead = b.least_ahead;
  }

  void buffer() {
    const BufferKeys b = read_buffer();
    buffer_keys(b);
    cache_keys(b);
  }

  void buffer_keys(const BufferKeys& b) {
    // Written data are in lines if they are cached, else they pass through a segment for each of a write's tracks.
    const std::int64_t segments = std::clamp<std::int64_t>(b.given - (b.own && b.write_cache && b.given > 1 ? 1 : 0),
                                                           b.write_cache ? 1 : 2, kMostSegments);
    if (b.given > kMostSegments) reader_.lose("Number of buffer segments", "there are at most 256");
    if (const Parameter* const given = reader_.find("Number of buffer segments"); given && segments > b.given)
      report_.note(given->place, "a write takes a segment for each of two tracks that it goes to: there are two");
    const Parameter* const segment_size = reader_.find("Segment size (in blks)");
    if (b.size > b.sectors && segment_size)
      report_.note(segment_size->place,
                   fmt::format("is less than a track, and the drive reads ahead by tracks (Buffer continuous read = "
                               "4): segments have {} sectors, as its longest track",
                               b.size));
    if (b.size < b.sectors) reader_.lose("Segment size (in blks)", "a segment has at most 65535 sectors");
    std::int64_t lines = 0;
    if (b.write_cache)
      lines = std::clamp(
          (std::clamp<std::int64_t>(b.of_writes, 1, std::clamp<std::int64_t>(b.given, 1, kMostSegments)) * b.sectors +
           kLineSectors - 1) /
              kLineSectors,
          kLeastLines, kMostLines);
    const std::int64_t bytes = segments * b.size * 512 + lines * kLineSectors * 512 + kFirmwarePages;
    // In a very small buffer the lines would be more than their key allows.
    const auto for_share = static_cast<std::int64_t>(std::ceil((static_cast<double>(lines) + 0.5) * 4 / kMostShare));
    const std::int64_t kib = std::max({kLeastKib, (bytes + 1023) / 1024, lines > 0 ? for_share : 0});
    // A share in the middle between this number of lines and the next.
    const double share = lines == 0 ? 0 : (static_cast<double>(lines) + 0.5) * 4 / static_cast<double>(kib);

    text_.section("buffer");
    text_.key("size", fmt::format("{}", kib),
              "KiB: room for the segments, written data, and 4 for the firmware's own pages");
    text_.key("segments", fmt::format("{}", segments),
              fmt::format("of {} blocks; {}{}", b.size, reader_.source("Number of buffer segments"),
                          b.own && b.write_cache ? " (one for writes)" : ""));
    if (lines > 0)
      text_.key("write_share", fmt::format("{:.6g}", share),
                fmt::format("{} lines of 8 sectors; {}", lines, reader_.source("Maximum number of write segments")));
  }

  void cache_keys(const BufferKeys& b) {
    text_.section("cache");
    const bool look_ahead = caching_ && b.ahead > 0 && b.most_ahead > 0;
    text_.key("write", b.write_cache ? "true" : "false", reader_.source("Fast write level"));
    text_.key("look_ahead", look_ahead ? "true" : "false", reader_.source("Buffer continuous read"));
    text_.key("read_on_arrival", b.on_arrival > 0 ? "true" : "false", reader_.source("Immediate buffer read"));
    if (b.write_cache) {
      // A write segment holds sectors that follow each other, and passes on what is longer than itself.
      text_.key("write_extents", fmt::format("{}", std::clamp<std::int64_t>(b.of_writes, 1, kMostSegments)),
                reader_.source("Maximum number of write segments"));
      text_.key("write_bypass", "1", "as in DiskSim: a long write completes when the last of it is in the buffer, too");
      text_.key("write_bypass_kib", "0", "the same");
    }
    if (b.write_cache)
      reader_.lose("Fast write level",
                   "what is written waits while commands come; DiskSim puts it on the media before it serves "
                   "anything that does not go on where it ends");
    if (b.write_cache && !b.hits_written)
      reader_.lose("Allow read hits on write data", "written data that wait for the media answer reads");
    if (!look_ahead) {
      if (caching_ && b.hits_written)
        reader_.lose("Allow read hits on write data", "without look-ahead nothing is kept that is on the media");
      return;
    }
    look_ahead_keys(b);
  }

  void look_ahead_keys(const BufferKeys& b) {
    if (b.over == -1)
      reader_.lose("Read-ahead over requested", "what was requested stays in the segment until it is overwritten");
    // Without a read on arrival DiskSim's access begins with the first requested block: nothing is free then.
    const bool free_reads = b.any_free && b.on_arrival > 0;
    if (b.tracks) {
      track_keys(b, free_reads);
    } else {
      constexpr const char* kEnds[] = {"track", "track", "cylinder", "segment"};
      text_.key("read_ahead", toml_string(kEnds[b.ahead]), reader_.source("Buffer continuous read"));
      text_.key("read_ahead_sectors", fmt::format("{}", std::min(b.most_ahead, kMostSegmentSectors)),
                reader_.source("Maximum read-ahead (blks)"));
    }
    text_.key("minimum_read_ahead_sectors", fmt::format("{}", b.least_ahead),
              reader_.source("Minimum read-ahead (blks)"));
    text_.key("written_segment", toml_string(b.tracks ? "larger" : "nothing"),
              b.tracks ? "[A] what a track's segment holds beside a write stays" : "as in DiskSim");
    if (b.write_cache)
      text_.key("write_stops_read_ahead", b.write_stops ? "true" : "false", reader_.source("Write hit stop prefetch"));
    text_.key("read_ahead_on_hit", b.ahead_on_hit ? "true" : "false", reader_.source("Read-ahead on idle hit"));
    text_.key("keep_written", b.hits_written ? "true" : "false", reader_.source("Allow read hits on write data"));
    text_.key("keep_requested", b.over != 0 ? "false" : "true", reader_.source("Read-ahead over requested"));
    text_.key("free_reads", free_reads ? "true" : "false", reader_.source("Read any free blocks"));
    const bool of_segment = !b.of_request && b.mark > 0;
    text_.key("read_watermark", shortest(of_segment ? 1 : b.mark), reader_.source("High (read) water mark"));
    if (of_segment)
      reader_.lose("Set watermark by reqsize",
                   "the mark is a part of a request, not of a segment: a read's data go when all are there");
  }

  /// Buffer continuous read = 4, "up to the end of the track following the one that contains the last sector", as
  /// DiskSim 4.0 computes it (disksim_diskcache.c): to the end of the track behind any read, and a track further where
  /// the segment began on an earlier track. Neither Maximum read-ahead nor the segment ends it: a longer run overwrites
  /// its own beginning.
  void track_keys(const BufferKeys& b, bool free_reads) {
    const bool holds_a_track = b.sectors >= shortest_track();
    const std::string source = reader_.source("Buffer continuous read");
    // With the sectors that pass before the request, and in whatever order they pass, that is the whole track.
    text_.key("read_ahead", toml_string(free_reads ? "whole_track" : "stream"), source);
    // A ring shorter than the track ends with the track's last sectors, not with those that a next read wants: what is
    // read behind a first read is of no use.
    text_.key("read_ahead_from", toml_string(holds_a_track ? "first" : "second"),
              holds_a_track ? source : reader_.source("Segment size (in blks)"));
    text_.key("read_ahead_sectors", fmt::format("{}", b.size),
              "the segment: as in DiskSim the scheme has no other limit");
  }

  /// Which part of a write's data are there when it begins. The one key that says when a write may go to the media is
  /// Minimum seek delay; where it is 0, the mark at which the drive asks for data.
  void water_marks() {
    const double mark = number("Low (write) water mark", {0, 1}, 0);
    if (caching_ && write_cache_) return;
    const bool of_segment = whole("Set watermark by reqsize", {0, 1}, 1) == 0 && mark > 0;
    if (begins_early_)
      text_.key("write_watermark", "0", reader_.source("Minimum seek delay") + ": it counts from the first data on");
    else
      text_.key("write_watermark", shortest(of_segment ? 1 : mark), reader_.source("Low (write) water mark"));
    if (begins_early_ && mark > 0)
      report_.note(reader_.find("Low (write) water mark")->place,
                   "Minimum seek delay says when a write goes to the media, this mark does not");
  }

  const ParameterFile& file_;
  const BusTimes way_;  // to the disk
  const Layout& layout_;
  Report& report_;
  BlockReader reader_;
  DriveText text_;
  std::int64_t queue_ = 1;
  bool caching_ = false;
  bool write_cache_ = false;
  bool begins_early_ = false;
};

}  // namespace

DriveText controller_of(const ParameterFile& file, const ParameterBlock& disk, const Surroundings& surroundings,
                        const Layout& layout, Report& report) {
  return Converter(file, disk, surroundings, layout, report).convert();
}

}  // namespace armature::importer
