// Queue, cache, overheads and bus of a disksim_disk in our keys, the text of the drive file, and what is refused as a
// whole.
#include "support/disksim_files.h"

#include "armature/core/config.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace armature::importer::importer_drive_test {
namespace {

using testing::DiskSimFiles;

/// The value of a key in a drive file's text, as it stands there.
std::string value(const ImportedDrive& drive, const std::string& section, const std::string& key) {
  std::size_t at = drive.text.find("\n[" + section + "]\n");
  if (at == std::string::npos) return "no section";
  const std::size_t end = std::min(drive.text.find("\n[", at + 1), drive.text.size());
  at = drive.text.find("\n" + key + " = ", at);
  if (at == std::string::npos || at >= end) return "no key";
  at += key.size() + 4;
  const std::string line = drive.text.substr(at, drive.text.find('\n', at) - at);
  return line.substr(0, line.find_last_not_of(' ', line.find('#') - 1) + 1);
}

bool lost(const ImportedDrive& drive, const std::string& line) {
  for (const std::string& given : drive.not_represented)
    if (given.find(line) != std::string::npos) return true;
  return false;
}

bool noted(const ImportedDrive& drive, const std::string& line) {
  for (const std::string& note : drive.notes)
    if (note.find(line) != std::string::npos) return true;
  return false;
}

TEST(ImportedDrive, OverheadsAreTheirOwnTimeAndThatOfEachRequestScaled) {
  // 0.25 ms a request, everything times 2.
  const ImportedDrive drive = DiskSimFiles().import();
  EXPECT_EQ(value(drive, "overheads", "read_hit_us"), "700");
  EXPECT_EQ(value(drive, "overheads", "read_hit_after_write_us"), "900");
  EXPECT_EQ(value(drive, "overheads", "read_miss_us"), "1100");
  EXPECT_EQ(value(drive, "overheads", "read_miss_after_write_us"), "1300");
  EXPECT_EQ(value(drive, "overheads", "write_hit_us"), "1500");
  EXPECT_EQ(value(drive, "overheads", "write_hit_after_write_us"), "1700");
  EXPECT_EQ(value(drive, "overheads", "write_miss_us"), "1900");
  EXPECT_EQ(value(drive, "overheads", "write_miss_after_write_us"), "2100");
  EXPECT_EQ(value(drive, "overheads", "read_completion_us"), "22");
  EXPECT_EQ(value(drive, "overheads", "write_completion_us"), "24");
  EXPECT_EQ(value(DiskSimFiles().change("Time scale for overheads = 2.0", "Time scale for overheads = 1").import(),
                  "overheads", "read_hit_us"),
            "350");
  EXPECT_EQ(
      value(DiskSimFiles().change("Read hit over. after read = 0.1", "Read hit over. after read = 0.09492").import(),
            "overheads", "read_hit_us"),
      "689.84");
}

TEST(ImportedDrive, WhatARequestWaitsForOnAParallelBusIsInItsOverheads) {
  const ImportedDrive prepared =
      DiskSimFiles().change("Data preparation overhead = 0.0", "Data preparation overhead = 0.01").import();
  EXPECT_EQ(value(prepared, "overheads", "read_completion_us"), "42");
  EXPECT_EQ(value(prepared, "overheads", "write_hit_us"), "1520");
  EXPECT_EQ(value(prepared, "overheads", "write_miss_us"), "1900") << "beside the seek";
  EXPECT_EQ(value(prepared, "overheads", "read_hit_us"), "700");
  EXPECT_EQ(value(prepared, "overheads", "write_completion_us"), "24");
  const ImportedDrive reselects =
      DiskSimFiles().change("First reselect overhead = 0.0", "First reselect overhead = 0.01").import();
  EXPECT_EQ(value(reselects, "overheads", "read_miss_us"), "1100") << "beside the media";
  EXPECT_EQ(value(reselects, "overheads", "write_completion_us"), "24") << "from the cache";
  DiskSimFiles through;
  through.change("Fast write level = 2", "Fast write level = 0")
      .change("First reselect overhead = 0.0", "First reselect overhead = 0.01")
      .change("Other reselect overhead = 0.0", "Other reselect overhead = 0.02");
  EXPECT_EQ(value(through.import(), "overheads", "write_completion_us"), "44");
  EXPECT_EQ(value(through.import(), "overheads", "write_sequential_us"), "no key");
  through.change("Extra write disconnect = 0", "Extra write disconnect = 1");
  EXPECT_EQ(value(through.import(), "overheads", "write_completion_us"), "44") << "most writes lose the bus once";
  EXPECT_EQ(value(through.import(), "overheads", "write_sequential_us"), "2100") << "as Write miss over. after write";
  through.change("Never disconnect = 0", "Never disconnect = 1");
  EXPECT_EQ(value(through.import(), "overheads", "write_completion_us"), "24");
  const ImportedDrive extra = DiskSimFiles()
                                  .change("Extra write disconnect = 0", "Extra write disconnect = 1")
                                  .change("Extradisc command overhead = 0.0", "Extradisc command overhead = 0.7")
                                  .change("Extradisc seek delta = 0.0", "Extradisc seek delta = 0.05")
                                  .import();
  for (const char* const key : {"write_hit_after_write_us", "write_miss_after_write_us"})
    EXPECT_EQ(value(extra, "overheads", key), "2000") << key;
  EXPECT_EQ(value(extra, "overheads", "write_hit_us"), "1500");
  EXPECT_EQ(value(extra, "overheads", "write_miss_us"), "1900");
  EXPECT_EQ(value(extra, "overheads", "read_miss_us"), "1100");
  EXPECT_EQ(prepared.not_represented.size(), DiskSimFiles().import().not_represented.size());
}

TEST(ImportedDrive, AWriteToTheMediaWaitsForTheMinimumSeekDelayBehindItsData) {
  DiskSimFiles cached;
  cached.change("Minimum seek delay = 0.0", "Minimum seek delay = 0.3");
  EXPECT_EQ(value(cached.import(), "overheads", "write_data_us"), "no key");
  EXPECT_EQ(value(cached.import(), "cache", "write_watermark"), "no key");
  EXPECT_EQ(value(cached.import(), "cache", "write_extents"), "2");
  EXPECT_EQ(value(cached.import(), "cache", "write_bypass"), "1");
  EXPECT_TRUE(lost(cached.import(), "Minimum seek delay"));
  cached.change("Fast write level = 2", "Fast write level = 0");
  EXPECT_EQ(value(cached.import(), "overheads", "write_data_us"), "600") << "scaled by 2";
  EXPECT_EQ(value(cached.import(), "overheads", "write_last_data_us"), "600");
  EXPECT_EQ(value(cached.import(), "cache", "write_watermark"), "0");
  cached.change("Write disconnect overhead = 0.0", "Write disconnect overhead = 0.1");
  EXPECT_EQ(value(cached.import(), "overheads", "write_data_us"), "400") << "the bus is not given up in their midst";
  EXPECT_EQ(value(cached.import(), "overheads", "write_last_data_us"), "600");
  EXPECT_FALSE(lost(cached.import(), "Minimum seek delay"));
}

TEST(ImportedDrive, AWriteToTheMediaBeginsAtTheLowWaterMark) {
  DiskSimFiles files;
  files.change("Fast write level = 2", "Fast write level = 0")
      .change("Set watermark by reqsize = 0", "Set watermark by reqsize = 1");
  EXPECT_EQ(value(files.import(), "cache", "write_watermark"), "0.5");
  for (const char* const mark : {"0.0", "0.75", "1.0"}) {
    DiskSimFiles other = files;
    other.change("Low (write) water mark = 0.5", std::string("Low (write) water mark = ") + mark);
    EXPECT_EQ(std::stod(value(other.import(), "cache", "write_watermark")), std::stod(mark));
    EXPECT_FALSE(lost(other.import(), "water mark"));
  }
  DiskSimFiles silent = files;
  silent.change("Low (write) water mark = 0.5,", "");
  EXPECT_EQ(value(silent.import(), "cache", "write_watermark"), "0") << "as in DiskSim";
  EXPECT_TRUE(noted(silent.import(), "Low (write) water mark"));
  DiskSimFiles delayed = files;
  delayed.change("Minimum seek delay = 0.0", "Minimum seek delay = 0.3");
  EXPECT_EQ(value(delayed.import(), "cache", "write_watermark"), "0") << "that says when";
  EXPECT_TRUE(noted(delayed.import(), "Minimum seek delay says when a write goes to the media"));
  EXPECT_EQ(value(DiskSimFiles().import(), "cache", "write_watermark"), "no key") << "data go into the cache";
  // A mark of a segment is more than most requests have.
  DiskSimFiles of_segment = files;
  of_segment.change("Set watermark by reqsize = 1", "Set watermark by reqsize = 0");
  EXPECT_EQ(value(of_segment.import(), "cache", "write_watermark"), "1");
  of_segment.change("Low (write) water mark = 0.5", "Low (write) water mark = 0.0");
  EXPECT_EQ(value(of_segment.import(), "cache", "write_watermark"), "0");
}

TEST(ImportedDrive, AReadGoesToTheHostAtTheHighWaterMark) {
  DiskSimFiles files;
  EXPECT_EQ(value(files.import(), "cache", "read_watermark"), "1") << "a mark of a segment";
  EXPECT_TRUE(lost(files.import(), "Set watermark by reqsize"));
  files.change("High (read) water mark = 0.5", "High (read) water mark = 0.0");
  EXPECT_EQ(value(files.import(), "cache", "read_watermark"), "0") << "nothing of whatever it is";
  EXPECT_FALSE(lost(files.import(), "Set watermark by reqsize"));
  files.change("High (read) water mark = 0.0,", "");
  EXPECT_EQ(value(files.import(), "cache", "read_watermark"), "0") << "as in DiskSim";
}

TEST(ImportedDrive, AWriteHasASegmentForEachOfTwoTracks) {
  DiskSimFiles files;
  files.change("Number of buffer segments = 4", "Number of buffer segments = 1")
      .change("Maximum number of write segments = 2", "Maximum number of write segments = 1")
      .change("Segment size (in blks) = 20", "Segment size (in blks) = 60");
  EXPECT_EQ(value(files.import(), "buffer", "segments"), "1") << "written data have lines";
  EXPECT_FALSE(noted(files.import(), "a write takes a segment"));
  files.change("Fast write level = 2", "Fast write level = 0");
  EXPECT_EQ(value(files.import(), "buffer", "segments"), "2");
  EXPECT_TRUE(noted(files.import(), "a write takes a segment for each of two tracks"));
}

TEST(ImportedDrive, TheBusIsATimeOfASectorTheSlowestOfDiskBusAndController) {
  EXPECT_EQ(value(DiskSimFiles().import(), "link", "bus_us_per_sector"), "51.2");
  DiskSimFiles files;
  files.set("all.parv",
            "disksim_bus BUS { Read block transfer time = 0.1, Write block transfer time = 0.3 }\n"
            "disksim_ctlr CTLR { Bulk sector transfer time = 0.2 }\n"
            "source small.diskspecs\n");
  const ImportedDrive drive = files.import({}, "all.parv");
  EXPECT_EQ(value(drive, "link", "bus_us_per_sector"), "200");
  EXPECT_NE(drive.text.find("# Bulk sector transfer time, all.parv:2 of disksim_ctlr CTLR\n"), std::string::npos);
  EXPECT_EQ(value(drive, "link", "bus_us_per_written_sector"), "300");
  EXPECT_NE(drive.text.find("# Write block transfer time, all.parv:1 of disksim_bus BUS\n"), std::string::npos);
  EXPECT_EQ(value(DiskSimFiles().import(), "link", "bus_us_per_written_sector"), "no key");
  const ImportedDrive none =
      DiskSimFiles().change("sector transfer time = 0.0512", "sector transfer time = 0").import();
  EXPECT_EQ(value(none, "link", "bus_us_per_sector"), "0");
  EXPECT_NE(none.notes.back().find("stand in the .parv file"), std::string::npos);
}

TEST(ImportedDrive, QueueAndPolicy) {
  const ImportedDrive drive = DiskSimFiles().import();
  EXPECT_EQ(value(drive, "host", "depth"), "8");
  EXPECT_EQ(value(drive, "arbiter", "policy"), "\"sstf\"");
  EXPECT_FALSE(lost(drive, "Scheduling policy"));
  const auto with = [](const char* policy) {
    return DiskSimFiles().change("Scheduling policy = 7", std::string("Scheduling policy = ") + policy).import();
  };
  EXPECT_EQ(value(with("1"), "arbiter", "policy"), "\"fcfs\"");
  EXPECT_EQ(value(with("3"), "arbiter", "policy"), "\"clook\"");
  EXPECT_FALSE(lost(with("3"), "Scheduling policy"));
  EXPECT_EQ(value(with("5"), "arbiter", "policy"), "\"clook\"");
  EXPECT_TRUE(lost(with("5"), "Scheduling policy = 5: C-LOOK stands for"));
  EXPECT_EQ(value(with("8"), "arbiter", "policy"), "\"sptf\"");
  EXPECT_FALSE(lost(with("8"), "Scheduling policy"));
  EXPECT_EQ(value(with("14"), "arbiter", "policy"), "\"asptf\"");
  EXPECT_EQ(value(with("28"), "arbiter", "policy"), "\"fcfs\"");
  EXPECT_EQ(value(with("29"), "arbiter", "policy"), "\"fcfs\"");
  EXPECT_NE(with("29").notes.back().find("small.diskspecs:5: Scheduling policy = 29: is not in 1 to 28, taken as 28"),
            std::string::npos);
  const ImportedDrive many = DiskSimFiles().change("Max queue length = 8", "Max queue length = 100").import();
  EXPECT_EQ(value(many, "host", "depth"), "0");
  EXPECT_TRUE(lost(many, "Max queue length = 100: a link carries 32"));
}

TEST(ImportedDrive, SegmentsAndLinesOfWrittenDataAreRoomInTheBuffer) {
  // 4 segments of 20 sectors, one of them for writes; 2 x 20 written sectors would be 5 lines of 8, but there are at
  // least 16: 30 + 64 + 4 KiB.
  const ImportedDrive drive = DiskSimFiles().import();
  EXPECT_EQ(value(drive, "buffer", "segments"), "3");
  EXPECT_EQ(value(drive, "buffer", "size"), "98");
  EXPECT_EQ(static_cast<int>(std::stod(value(drive, "buffer", "write_share")) * 98 / 4), 16);
  DiskSimFiles larger;
  larger.change("Segment size (in blks) = 20", "Segment size (in blks) = 80");
  EXPECT_EQ(value(larger.import(), "buffer", "size"), "204") << "3 x 40, 20 lines of 4, and 4 KiB";
  EXPECT_EQ(static_cast<int>(std::stod(value(larger.import(), "buffer", "write_share")) * 204 / 4), 20);
  EXPECT_EQ(value(drive, "cache", "write"), "true");
  EXPECT_EQ(value(drive, "cache", "look_ahead"), "true");
  EXPECT_EQ(value(drive, "cache", "read_on_arrival"), "true");
  const ImportedDrive through = DiskSimFiles()
                                    .change("Fast write level = 2", "Fast write level = 0")
                                    .change("Immediate buffer read = 1", "Immediate buffer read = 0")
                                    .change("Buffer continuous read = 4", "Buffer continuous read = 0")
                                    .import();
  EXPECT_EQ(value(through, "buffer", "segments"), "4") << "written data pass through one of them";
  EXPECT_EQ(value(through, "buffer", "size"), "44");
  EXPECT_EQ(value(through, "buffer", "write_share"), "no key");
  EXPECT_EQ(value(through, "cache", "write"), "false");
  EXPECT_EQ(value(through, "cache", "look_ahead"), "false");
  EXPECT_EQ(value(through, "cache", "read_on_arrival"), "false");
  const ImportedDrive off =
      DiskSimFiles().change("Enable caching in buffer = 1", "Enable caching in buffer = 0").import();
  EXPECT_EQ(value(off, "cache", "write"), "false");
  EXPECT_EQ(value(off, "cache", "look_ahead"), "false");
  EXPECT_FALSE(lost(off, "Fast write level"));
}

TEST(ImportedDrive, EachKeyWithAnotherValueThanOursIsListedAndNoOther) {
  const ImportedDrive plain = DiskSimFiles().import();
  EXPECT_EQ(plain.not_represented.size(), 3u) << "a defect, the way of fast writes, and a water mark of segments";
  struct Changed {
    const char* from;
    const char* to;
  };
  const Changed changes[] = {
      {"Hold bus entire read xfer = 0", "Hold bus entire read xfer = 1"},
      {"Never disconnect = 0", "Never disconnect = 1"},
      {"Other reselect overhead = 0.0", "Other reselect overhead = 0.5"},
      {"Extradisc seek delta = 0.0", "Extradisc seek delta = 0.5"},
      {"Allow write prebuffering = 0", "Allow write prebuffering = 1"},
      {"Immediate buffer write = 0", "Immediate buffer write = 1"},
      {"Allow read hits on write data = 1", "Allow read hits on write data = 0"},
      {"Stop prefetch in sector = 0", "Stop prefetch in sector = 1"},
      {"Preseeking level = 2", "Preseeking level = 0"},
      {"Write initiation delay = 0.0", "Write initiation delay = 0.5"},
      {"Sequential stream scheme = 0", "Sequential stream scheme = 3"},
  };
  for (const Changed& change : changes) {
    const ImportedDrive drive = DiskSimFiles().change(change.from, change.to).import();
    EXPECT_TRUE(lost(drive, std::string(": ") + change.to + ": ")) << change.to;
    EXPECT_EQ(drive.not_represented.size(), 4u) << change.to;
  }
  const ImportedDrive alone = DiskSimFiles()
                                  .change("Max queue length = 8", "Max queue length = 1")
                                  .change("Preseeking level = 2", "Preseeking level = 0")
                                  .import();
  EXPECT_FALSE(lost(alone, "Preseeking level")) << "without a queue there is no next command";
}

TEST(ImportedDrive, WhatIsReadBesideTheRequestIsTheDrives) {
  const ImportedDrive plain = DiskSimFiles().import();
  EXPECT_EQ(value(plain, "cache", "read_ahead"), "\"stream\"") << "to the end of the track, and on in a stream";
  EXPECT_EQ(value(plain, "cache", "read_ahead_from"), "\"first\"");
  EXPECT_EQ(value(plain, "cache", "read_ahead_sectors"), "20") << "the segment";
  EXPECT_EQ(value(plain, "cache", "written_segment"), "\"larger\"");
  EXPECT_EQ(value(plain, "cache", "write_stops_read_ahead"), "false");
  EXPECT_EQ(value(plain, "cache", "keep_requested"), "false");
  EXPECT_EQ(value(plain, "cache", "free_reads"), "false");
  const char* const ends[] = {"track", "cylinder", "segment"};
  for (int scheme = 1; scheme <= 3; ++scheme) {
    const ImportedDrive drive =
        DiskSimFiles()
            .change("Buffer continuous read = 4", "Buffer continuous read = " + std::to_string(scheme))
            .change("Maximum read-ahead (blks) = 20", "Maximum read-ahead (blks) = 10")
            .change("Read-ahead over requested = 1", "Read-ahead over requested = 0")
            .change("Read any free blocks = 0", "Read any free blocks = 1")
            .import();
    EXPECT_EQ(value(drive, "cache", "read_ahead"), "\"" + std::string(ends[scheme - 1]) + "\"");
    EXPECT_EQ(value(drive, "cache", "read_ahead_sectors"), "10");
    EXPECT_EQ(value(drive, "cache", "read_ahead_from"), "no key");
    EXPECT_EQ(value(drive, "cache", "written_segment"), "\"nothing\"");
    EXPECT_EQ(value(drive, "cache", "keep_requested"), "true");
    EXPECT_EQ(value(drive, "cache", "free_reads"), "true");
  }
  const ImportedDrive ordered = DiskSimFiles()
                                    .change("Read any free blocks = 0", "Read any free blocks = 1")
                                    .change("Immediate buffer read = 1", "Immediate buffer read = 0")
                                    .import();
  EXPECT_EQ(value(ordered, "cache", "free_reads"), "false") << "an access begins with the first requested block";
  const ImportedDrive stops =
      DiskSimFiles().change("Write hit stop prefetch = 0", "Write hit stop prefetch = 1").import();
  EXPECT_EQ(value(stops, "cache", "write_stops_read_ahead"), "true");
}

/// Of the small disk, with segments of 20 blocks, with these values of Minimum and Maximum read-ahead.
ImportedDrive reads_ahead(const std::string& least, const std::string& most, const std::string& scheme = "3") {
  return DiskSimFiles()
      .change("Buffer continuous read = 4", "Buffer continuous read = " + scheme)
      .change("Minimum read-ahead (blks) = 0", "Minimum read-ahead (blks) = " + least)
      .change("Maximum read-ahead (blks) = 20", "Maximum read-ahead (blks) = " + most)
      .import();
}

TEST(ImportedDrive, AtLeastSoManySectorsAreReadAheadAsInDiskSim) {
  const char* const key = "minimum_read_ahead_sectors";
  const std::size_t notes = reads_ahead("0", "10").notes.size();
  EXPECT_EQ(value(reads_ahead("0", "10"), "cache", key), "0");
  const ImportedDrive some = reads_ahead("4", "10");
  EXPECT_EQ(value(some, "cache", key), "4");
  EXPECT_EQ(value(some, "cache", "read_ahead_sectors"), "10");
  EXPECT_EQ(some.notes.size(), notes) << "nothing is changed";
  EXPECT_FALSE(lost(some, "Minimum read-ahead"));
  // DiskSim takes a maximum that is less as the minimum, though it be 0.
  for (const char* const most : {"3", "0"}) {
    const ImportedDrive raised = reads_ahead("4", most);
    EXPECT_EQ(value(raised, "cache", "look_ahead"), "true") << most;
    EXPECT_EQ(value(raised, "cache", key), "4") << most;
    EXPECT_EQ(value(raised, "cache", "read_ahead_sectors"), "4") << most;
    EXPECT_EQ(raised.notes.size(), notes + 1) << most;
  }
  const ImportedDrive longer = reads_ahead("30", "40");
  EXPECT_EQ(value(longer, "cache", key), "20") << "a segment";
  EXPECT_EQ(longer.notes.size(), notes + 1);
  const ImportedDrive none = reads_ahead("4", "10", "0");
  EXPECT_EQ(value(none, "cache", "look_ahead"), "false");
  EXPECT_EQ(value(none, "cache", key), "no key") << "a drive that does not read ahead has no minimum";
}

TEST(ImportedDrive, ADriveThatTakesWhatPassesReadsWholeTracks) {
  const ImportedDrive drive = DiskSimFiles().change("Read any free blocks = 0", "Read any free blocks = 1").import();
  EXPECT_EQ(value(drive, "cache", "read_ahead"), "\"whole_track\"");
  EXPECT_EQ(value(drive, "cache", "read_ahead_from"), "\"first\"");
  const ImportedDrive ordered = DiskSimFiles()
                                    .change("Read any free blocks = 0", "Read any free blocks = 1")
                                    .change("Immediate buffer read = 1", "Immediate buffer read = 0")
                                    .import();
  EXPECT_EQ(value(ordered, "cache", "read_ahead"), "\"stream\"") << "nothing passes that is taken";
  EXPECT_EQ(value(ordered, "cache", "read_ahead_from"), "\"first\"");
}

TEST(ImportedDrive, ReadingAheadByTracksBeginsWithTheFirstReadIfASegmentHoldsATrack) {
  // Tracks of 19 and 20 blocks. In DiskSim a shorter ring ends with the track's last blocks, of no use for a next read.
  const auto with = [](const std::string& blocks) {
    return DiskSimFiles().change("Segment size (in blks) = 20", "Segment size (in blks) = " + blocks).import();
  };
  EXPECT_EQ(value(with("18"), "cache", "read_ahead_from"), "\"second\"");
  EXPECT_EQ(value(with("19"), "cache", "read_ahead_from"), "\"first\"") << "some tracks";
  const ImportedDrive grown = with("12");
  EXPECT_EQ(value(grown, "cache", "read_ahead_from"), "\"second\"");
  EXPECT_EQ(value(grown, "cache", "read_ahead"), "\"stream\"");
  EXPECT_EQ(value(grown, "cache", "read_ahead_sectors"), "20");
  EXPECT_TRUE(noted(grown, "segments have 20 sectors, as its longest track"));
  EXPECT_EQ(value(with("50"), "cache", "read_ahead_sectors"), "50");
}

TEST(ImportedDrive, AnArmAtRestSettlesForHalfOfTheShortestSeek) {
  EXPECT_EQ(value(DiskSimFiles().import(), "seek", "reposition_ms"), "0.5") << "one cylinder: 1 ms, small.seek";
}

TEST(ImportedDrive, AVerySmallBufferAndMoreWriteSegmentsThanSegmentsStayInTheRangeOfTheirKeys) {
  DiskSimFiles files;
  files.change("Number of buffer segments = 4", "Number of buffer segments = 1")
      .change("Segment size (in blks) = 20", "Segment size (in blks) = 1")
      .change("Maximum number of write segments = 2", "Maximum number of write segments = 200")
      .change("Buffer continuous read = 4", "Buffer continuous read = 3");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(value(drive, "buffer", "size"), "74") << "16 lines of 4 and a half, at most 0.9 of the whole";
  EXPECT_LT(std::stod(value(drive, "buffer", "write_share")), 0.9);
  EXPECT_EQ(static_cast<int>(std::stod(value(drive, "buffer", "write_share")) * 74 / 4), 16);
  files.change("Fast write level = 2", "Fast write level = 0");
  EXPECT_EQ(value(files.import(), "buffer", "size"), "8") << "the least that a buffer has";
}

TEST(ImportedDrive, WhatWasRequestedMayBeDroppedInDiskSim) {
  const ImportedDrive drive =
      DiskSimFiles().change("Read-ahead over requested = 1", "Read-ahead over requested = -1").import();
  EXPECT_TRUE(lost(drive, "Read-ahead over requested = -1: what was requested stays"));
}

TEST(ImportedDrive, UnknownKeysAreListedAndMissingOnesNoted) {
  const ImportedDrive drive = DiskSimFiles()
                                  .change("Print stats = 1,", "Print stats = 1,\n   Power of mind = 3,")
                                  .change("Number of spares = 4,", "Number of spares = 4, Colour = red,")
                                  .change("   Read completion overhead = 0.011,\n", "")
                                  .import();
  EXPECT_TRUE(lost(drive, "small.diskspecs:24: Power of mind = 3: DiskSim 4.0 has no such key in a disksim_disk"));
  EXPECT_TRUE(lost(drive, "small.model:33: Colour = red: DiskSim 4.0 has no such key in a dm_layout_g1_zone"));
  EXPECT_EQ(value(drive, "overheads", "read_completion_us"), "0");
  EXPECT_NE(drive.notes.back().find("taken as none: Read completion overhead"), std::string::npos);
}

TEST(ImportedDrive, AModelAloneAndAWholeSimulation) {
  const ImportedDrive bare = DiskSimFiles().import({"", "my disk"}, "small.model");
  EXPECT_EQ(value(bare, "identity", "model"), "\"my disk\"");
  EXPECT_EQ(value(bare, "overheads", "read_hit_us"), "no section");
  EXPECT_NE(bare.notes.back().find("buffer, cache and overheads are defaults"), std::string::npos);

  DiskSimFiles files;
  files.set("all.parv",
            "disksim_global Global { Init Seed = 42 }\n"
            "disksim_bus BUS0 { type = 1 }\n"
            "source small.diskspecs\n"
            "SMALL OTHER { Max queue length = 2 }\n");
  EXPECT_EQ(files.message("all.parv"),
            "d/all.parv: 2 drives are described here (SMALL, OTHER): --device says which is meant");
  const ImportedDrive other = files.import({"OTHER", ""}, "all.parv");
  EXPECT_EQ(other.model, "OTHER");
  EXPECT_EQ(value(other, "host", "depth"), "2");
  EXPECT_EQ(value(other, "overheads", "read_hit_us"), "700") << "what it does not say itself is SMALL's";
  std::string notes;
  for (const std::string& note : other.notes) notes += note + "\n";
  EXPECT_NE(notes.find("all.parv:1: disksim_global Global is no part of this drive"), std::string::npos);
  EXPECT_THROW(files.import({"THIRD", ""}, "all.parv"), InputError);
}

std::string notes_of(const ImportedDrive& drive) {
  std::string all;
  for (const std::string& note : drive.notes) all += note + "\n";
  return all;
}

TEST(ImportedDrive, TheDiskThatIsInstantiatedIsMeant) {
  const std::string disks = "source small.diskspecs\nSMALL OTHER { Max queue length = 2 }\n";
  DiskSimFiles files;
  files.set("all.parv", disks +
                            "instantiate [ disk0 .. disk17 ] as OTHER\n"
                            "disksim_logorg org0 { devices = [ disk0 .. disk17 ] }\n");
  const ImportedDrive used = files.import({}, "all.parv");
  EXPECT_EQ(used.model, "OTHER");
  EXPECT_NE(notes_of(used).find("18 drives of this kind are in the simulation"), std::string::npos);
  files.set("all.parv", disks + "instantiate [ disk0 ] as OTHER\ninstantiate [ disk1, disk2 ] as SMALL\n");
  EXPECT_EQ(files.message("all.parv"),
            "d/all.parv: 2 drives are described here (SMALL, OTHER): --device says which is meant");
  EXPECT_EQ(files.import({"disk2", ""}, "all.parv").model, "SMALL");
  EXPECT_EQ(files.import({"disk0", ""}, "all.parv").model, "OTHER");
}

TEST(ImportedDrive, OnlyTheBusesOnTheWayToTheDiskCount) {
  const std::string parts =
      "disksim_bus NEAR { Read block transfer time = 0.1, Write block transfer time = 0.1 }\n"
      "disksim_bus FAR { Read block transfer time = 0.9, Write block transfer time = 0.9 }\n"
      "disksim_ctlr CTLR { Bulk sector transfer time = 0.2 }\n"
      "source small.diskspecs\n"
      "instantiate [ bus0 ] as NEAR instantiate [ bus1 ] as FAR instantiate [ c0 ] as CTLR\n"
      "instantiate [ disk0 .. disk1 ] as SMALL\n";
  const auto us = [&parts](const std::string& topology, const std::string& device) {
    DiskSimFiles files;
    files.set("all.parv", parts + topology);
    return value(files.import({device, ""}, "all.parv"), "link", "bus_us_per_sector");
  };
  EXPECT_EQ(us("", ""), "900") << "without a topology all of them";
  EXPECT_EQ(
      us("topology disksim_iodriver d0 [ disksim_bus bus0 [ disksim_disk disk0 [ ] ], disksim_bus bus1 [ ] ]", ""),
      "100");
  const std::string both =
      "topology disksim_iodriver d0 [ disksim_bus bus0 [ disksim_ctlr c0 [ disksim_disk disk0 [ ] ] ],\n"
      "  disksim_bus bus1 [ disksim_disk disk1 [ ] ] ]";
  EXPECT_EQ(us(both, "disk0"), "200");
  EXPECT_EQ(us(both, "disk1"), "900");
}

TEST(ImportedDrive, InstancesAndTopologiesOfNothingAreSaid) {
  DiskSimFiles files;
  files.set("all.parv",
            "disksim_bus B { Arbitration time = 0.01 }\nsource small.diskspecs\ninstantiate [ d0 ] as SMALL\n"
            "instantiate [ d1 ] as Q\ntopology disksim_iodriver d [ disksim_bus B [ disksim_disk d7 [ ] ] ]\n");
  const std::string notes = notes_of(files.import({}, "all.parv"));
  EXPECT_NE(notes.find("all.parv:4: d1 is to be a Q, and no block has that name"), std::string::npos) << notes;
  EXPECT_NE(notes.find("all.parv:5: the topology does not have this drive"), std::string::npos) << notes;
}

/// The small disk below a bus and a controller.
ImportedDrive below(const std::string& bus, const std::string& controller) {
  DiskSimFiles files;
  files.set("all.parv", "disksim_bus BUS { " + bus + " }\ndisksim_ctlr CTLR { " + controller +
                            " }\nsource small.diskspecs\ninstantiate [ b0, b1 ] as BUS instantiate [ c0 ] as CTLR\n"
                            "instantiate [ disk0 ] as SMALL\ntopology disksim_iodriver d0 [ disksim_bus b0 [\n"
                            "  disksim_ctlr c0 [ disksim_bus b1 [ disksim_disk disk0 [ ] ] ] ] ]\n");
  return files.import({}, "all.parv");
}

TEST(ImportedDrive, DelaysOfBusesAndControllersAreInTheOverheads) {
  // Two buses of 0.01 ms each, and a controller that passes messages on in 0.1 ms; a read that is not in the buffer
  // comes back to the bus with a message and its answer.
  const ImportedDrive drive = below("Arbitration time = 0.01", "type = 1, Scale for delays = 0.1");
  EXPECT_EQ(value(drive, "overheads", "read_hit_us"), "820") << "700 and 20 + 100";
  EXPECT_EQ(value(drive, "overheads", "read_miss_us"), "1440") << "1100, 20 + 100 and 20 + 2 x 100";
  EXPECT_EQ(value(drive, "overheads", "write_miss_us"), "2020");
  EXPECT_EQ(value(drive, "overheads", "read_completion_us"), "122");
  EXPECT_EQ(value(drive, "overheads", "write_completion_us"), "124");
  EXPECT_NE(notes_of(drive).find("holds 0.02 ms for the bus and 0.1 ms for controllers"), std::string::npos);
  EXPECT_FALSE(lost(drive, "Scale"));
  const ImportedDrive managed = below("Arbitration time = 0", "type = 2, Scale for delays = 1.0");
  EXPECT_EQ(value(managed, "overheads", "read_hit_us"), "700");
  EXPECT_TRUE(lost(managed, "Scale for delays = 1: the times that it scales stand in DiskSim's code"));
}

TEST(ImportedDrive, AControllerWithAQueueLimitsTheDrives) {
  EXPECT_EQ(value(below("", "type = 3, Max per-disk pending count = 4"), "host", "depth"), "4");
  EXPECT_EQ(value(below("", "type = 3, Maximum queue length = 2"), "host", "depth"), "3");
  EXPECT_EQ(value(below("", "type = 3, Max per-disk pending count = 40"), "host", "depth"), "8");
  EXPECT_EQ(value(below("", "type = 1, Maximum queue length = 2"), "host", "depth"), "8") << "it has none";
  const ImportedDrive smart = below("type = 2", "type = 3, Cache = disksim_cachemem { }, Colour = red");
  EXPECT_TRUE(lost(smart, "Cache = a block: a controller between"));
  EXPECT_TRUE(lost(smart, "all.parv:2: Colour = red: DiskSim 4.0 has no such key in a disksim_ctlr"));
  EXPECT_TRUE(lost(smart, "all.parv:1: type = 2: a link belongs to one drive"));
}

TEST(ImportedDrive, WhatASimulationSaysOfTheLoadIsSaidInKeysOfAScenario) {
  const auto notes = [](const std::string& scale) {
    DiskSimFiles files;
    files.set("all.parv", "disksim_iosim IO { I/O Trace Time Scale = " + scale +
                              ",\n  I/O Mappings = [ disksim_iomap { tracedev = 3, simdev = disk0, locScale = 512,\n"
                              "    sizeScale = 1, offset = 64 } ] }\nsource small.diskspecs\n");
    return notes_of(files.import({}, "all.parv"));
  };
  EXPECT_NE(notes("0.5").find("all.parv:1: I/O Trace Time Scale = 0.5 is of the load: workload.time_scale = 0.5"),
            std::string::npos);
  EXPECT_NE(notes("-0.25").find("requests arrive every 4 ms"), std::string::npos);
  EXPECT_NE(notes("-8.0").find("a closed load of 8 requests"), std::string::npos);
  EXPECT_EQ(notes("1.0").find("Time Scale"), std::string::npos);
  EXPECT_NE(notes("1").find("all.parv:2: is of the load: device 3 of the trace, with addresses times 512 and sizes "
                            "times 1 bytes, 64 added"),
            std::string::npos);
}

TEST(ImportedDrive, NumbersThatCannotBeAreTakenAsTheNearestAndSaid) {
  const ImportedDrive drive = DiskSimFiles()
                                  .change("Bulk sector transfer time = 0.0512", "Bulk sector transfer time = -0.0512")
                                  .change("Read hit over. after read = 0.1", "Read hit over. after read = -0.2")
                                  .change("Segment size (in blks) = 20", "Segment size (in blks) = 19.6")
                                  .change("Fast write level = 2", "Fast write level = 7")
                                  .import();
  EXPECT_EQ(value(drive, "link", "bus_us_per_sector"), "0");
  EXPECT_EQ(value(drive, "overheads", "read_hit_us"), "500");
  EXPECT_EQ(value(drive, "cache", "write"), "true");
  for (const char* const note :
       {"small.diskspecs:20: Bulk sector transfer time = -0.0512: is not in 0 to 100, taken as 0\n",
        "Read hit over. after read = -0.2: is not in 0 to 1000, taken as 0\n",
        "Segment size (in blks) = 19.6: should be a whole number, taken as 20\n",
        "Fast write level = 7: is not in 0 to 2, taken as 2\n"})
    EXPECT_NE(notes_of(drive).find(note), std::string::npos) << note;
}

TEST(ImportedDrive, WhatADriveCanDoWithoutMayBeMissingOrOfAnotherKind) {
  const ImportedDrive other =
      DiskSimFiles().change("Scheduler = disksim_ioqueue {", "Scheduler = disksim_bus {").import();
  EXPECT_TRUE(lost(other, "Scheduler = a block: a Scheduler is a disksim_ioqueue, not a disksim_bus"));
  EXPECT_EQ(value(other, "arbiter", "policy"), "no section");
  EXPECT_NE(notes_of(DiskSimFiles().change("Scheduling policy = 7,", "").import())
                .find("small.diskspecs:4: keys that DiskSim requires and this block lacks, taken as none: Scheduling"),
            std::string::npos);
  DiskSimFiles strange;
  strange.set("all.parv", "somebodys_block B { a = 1 }\nsource small.diskspecs\n");
  EXPECT_NE(notes_of(strange.import({}, "all.parv"))
                .find("all.parv:1: unknown type: somebodys_block B is no part of this drive"),
            std::string::npos);
}

TEST(ImportedDrive, TheTextIsADriveFileThatSaysTheSame) {
  const ImportedDrive drive = DiskSimFiles().change("100, 418", "100, 419").import();
  EXPECT_EQ(drive.text, DiskSimFiles().change("100, 418", "100, 419").import().text);
  const std::string path = ::testing::TempDir() + "imported.toml";
  std::ofstream(path) << drive.text;
  config::Node file = config::load(path);
  std::remove(path.c_str());
  media::GeometryParams geometry;
  actuator::SeekParams seek;
  config::read(file.take("geometry"), geometry);
  config::read(file.take("seek"), seek);
  EXPECT_EQ(geometry.heads, drive.geometry.heads);
  EXPECT_EQ(geometry.mapping, drive.geometry.mapping);
  EXPECT_EQ(geometry.zones, drive.geometry.zones);
  EXPECT_EQ(geometry.zone_fronts, drive.geometry.zone_fronts);
  EXPECT_EQ(geometry.slips, drive.geometry.slips);
  EXPECT_EQ(geometry.remaps, drive.geometry.remaps);
  EXPECT_EQ(geometry.blocks, drive.geometry.blocks);
  EXPECT_EQ(geometry.cylinder_gaps, drive.geometry.cylinder_gaps);
  EXPECT_EQ(seek.table, drive.seek.table);
  EXPECT_EQ(seek.head_switch_ms, drive.seek.head_switch_ms);
  EXPECT_EQ(seek.write_settle_ms, drive.seek.write_settle_ms);
  EXPECT_NE(drive.text.find("rpm = 6000                # Rotation speed (in rpms), small.model:15\n"),
            std::string::npos);
  EXPECT_NE(drive.text.find("#   small.diskspecs, small.model, small.seek\n"), std::string::npos);
  std::size_t longest = 0, begin = 0;
  for (std::size_t i = 0; i < drive.text.size(); ++i) {
    if (drive.text[i] != '\n') continue;
    longest = std::max(longest, i - begin);
    begin = i + 1;
  }
  EXPECT_LE(longest, 130u);
}

TEST(ImportedDrive, EachSchemesKeysAreReadBackFromTheText) {
  for (int scheme = 0; scheme <= 10; ++scheme) {
    DiskSimFiles files;
    files.change("Sparing scheme used = 9", "Sparing scheme used = " + std::to_string(scheme));
    files.change("100, 418", "");
    if (scheme % 2 == 0)
      files.change("Rangesize", "Skew units = revolutions, Rangesize")
          .change("of first block = 2.0", "of first block = 0.2");
    const ImportedDrive drive = files.import();
    const std::string path = ::testing::TempDir() + "imported-scheme.toml";
    std::ofstream(path) << drive.text;
    config::Node file = config::load(path);
    std::remove(path.c_str());
    media::GeometryParams geometry;
    config::read(file.take("geometry"), geometry);
    const media::Geometry read(geometry), given(drive.geometry);
    ASSERT_EQ(read.sectors(), given.sectors()) << scheme;
    for (std::uint64_t lbn = 0; lbn < given.sectors(); ++lbn) {
      ASSERT_EQ(read.physical(lbn), given.physical(lbn)) << scheme << ' ' << lbn;
      ASSERT_EQ(read.locate(lbn).angle.numerator, given.locate(lbn).angle.numerator) << scheme << ' ' << lbn;
    }
  }
}

TEST(ImportedDrive, WhatIsNoDiskIsRefused) {
  DiskSimFiles files;
  files.set("ssd", "ssdmodel_ssd s { }");
  EXPECT_EQ(files.message("ssd"), "d/ssd: only devices without mechanics are described here (ssdmodel_ssd s)");
  files.set("nothing", "# nothing\n");
  EXPECT_EQ(files.message("nothing"), "d/nothing: no disk is described here");
  EXPECT_EQ(files.message("none"), "d/none: cannot be read");
  const auto message = [](const std::string& from, const std::string& to) {
    return DiskSimFiles().change(from, to).message();
  };
  EXPECT_EQ(message("= dm_layout_g1 {", "= dm_layout_h1 {"),
            "d/small.model:20:19: unknown type of block \"dm_layout_h1\"; did you mean dm_layout_g1?");
  EXPECT_EQ(message("= dm_mech_g1 {", "= dm_layout_g1 {"),
            "d/small.model:5:23: a Mechanical Model is a dm_mech_g1, not a dm_layout_g1");
  EXPECT_EQ(message("disksim_disk SMALL", "disksim_dsik SMALL"),
            "d/small.diskspecs:2:1: unknown type of block \"disksim_dsik\"; did you mean disksim_disk?");
  EXPECT_NE(message("source small.model", "nobody").find("there is no block nobody"), std::string::npos);
  EXPECT_NE(message("source small.model", "7").find("Model: a block is expected, not 7"), std::string::npos);
  EXPECT_NE(message("} # end of SMALL", "").find("d/small.diskspecs:2:1: this disksim_disk has no \"}\""),
            std::string::npos);
  EXPECT_NE(message("Number of data surfaces = 3", "Number of data surfaces = 0").find("allowed: 1 to 256"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::importer::importer_drive_test
