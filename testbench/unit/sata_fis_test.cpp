#include "armature/sata/fis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

// Layouts: Serial ATA transport layer as Linux' include/linux/ata.h, libata and QEMU's hw/ide/ahci.c use them.

namespace armature::sata {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const Frame& frame) {
  Bytes bytes;
  for (std::uint32_t i = 0; i < frame.header_dwords(); ++i)
    for (unsigned b = 0; b < 4; ++b) bytes.push_back(static_cast<std::uint8_t>(frame.dwords[i] >> 8 * b));
  return bytes;
}

TEST(Fis, AReadFpdmaCommandHasItsCountInTheFeaturesAndItsTagInTheCount) {
  Frame frame;
  build(frame, fpdma(Command::read_fpdma_queued, 3, HostLba(0x123456789ABC), 8, false));
  EXPECT_THAT(bytes_of(frame), ElementsAre(0x27, 0x80, 0x60, 0x08,  // type, C, command, features 7:0
                                           0xBC, 0x9A, 0x78, 0x40,  // LBA 23:0, device: LBA
                                           0x56, 0x34, 0x12, 0x00,  // LBA 47:24, features 15:8
                                           0x18, 0x00, 0x00, 0x00,  // count: tag in 7:3
                                           0x00, 0x00, 0x00, 0x00));
}

TEST(Fis, TheBackgroundPriorityIsThreeInCountBitsFifteenAndFourteen) {
  Frame frame;
  build(frame, fpdma(Command::read_fpdma_queued, 3, HostLba(0), 8, false, Priority::background));
  EXPECT_EQ(bytes_of(frame)[12], 0x18);
  EXPECT_EQ(bytes_of(frame)[13], 0xC0);
  EXPECT_EQ(fpdma_tag(parse_register_h2d(frame)), 3u);
}

TEST(Fis, AWriteFpdmaCommandWithForcedUnitAccessSetsBitSevenOfTheDevice) {
  Frame frame;
  build(frame, fpdma(Command::write_fpdma_queued, 31, HostLba(0), 0x1234, true));
  EXPECT_THAT(bytes_of(frame),
              ElementsAre(0x27, 0x80, 0x61, 0x34, 0, 0, 0, 0xC0, 0, 0, 0, 0x12, 0xF8, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Fis, SixtyFiveThousandSectorsAreACountOfZero) {
  const RegisterH2D queued = fpdma(Command::read_fpdma_queued, 0, HostLba(0), 65'536, false);
  EXPECT_EQ(queued.features, 0);
  EXPECT_EQ(fpdma_sectors(queued), 65'536u);
  RegisterH2D unqueued;
  unqueued.count = 0;
  EXPECT_EQ(dma_ext_sectors(unqueued), 65'536u);
  unqueued.count = 1;
  EXPECT_EQ(dma_ext_sectors(unqueued), 1u);
}

TEST(Fis, AStudyTagUsesCountBitsTwelveToThree) {
  Frame frame;
  build(frame, fpdma(Command::read_fpdma_queued, 1'023, HostLba(0), 1, false));
  EXPECT_EQ(bytes_of(frame)[12], 0xF8);
  EXPECT_EQ(bytes_of(frame)[13], 0x1F);
  for (std::uint32_t tag = 0; tag < kStudyTags; ++tag) {
    build(frame, fpdma(Command::write_fpdma_queued, tag, HostLba(0), 1, false));
    ASSERT_EQ(fpdma_tag(parse_register_h2d(frame)), tag);
  }
}

TEST(Fis, EveryFieldOfACommandHasItsByte) {
  RegisterH2D r;
  r.command = 0x11;
  r.features = 0x3322;
  r.lba = HostLba(0x998877665544);
  r.device = 0xAA;
  r.count = 0xCCBB;
  r.icc = 0xDD;
  r.control = 0xEE;
  r.auxiliary = 0x04030201;
  Frame frame;
  build(frame, r);
  EXPECT_THAT(bytes_of(frame), ElementsAre(0x27, 0x80, 0x11, 0x22, 0x44, 0x55, 0x66, 0xAA, 0x77, 0x88, 0x99, 0x33, 0xBB,
                                           0xCC, 0xDD, 0xEE, 0x01, 0x02, 0x03, 0x04));
  r.is_command = false;
  build(frame, r);
  EXPECT_EQ(bytes_of(frame)[1], 0x00) << "a change of device control";
}

TEST(Fis, ARegisterFrameOfTheDriveHasStatusAndErrorInItsFirstDword) {
  Frame frame;
  build(frame, RegisterD2H{true, 0x51, 0x10, HostLba(0x665544332211), 0x40, 0x0908});
  EXPECT_THAT(bytes_of(frame), ElementsAre(0x34, 0x40, 0x51, 0x10, 0x11, 0x22, 0x33, 0x40, 0x44, 0x55, 0x66, 0x00, 0x08,
                                           0x09, 0, 0, 0, 0, 0, 0));
  const RegisterD2H accept{false, 0x40, 0, {}, 0, 0};
  build(frame, accept);
  EXPECT_EQ(bytes_of(frame)[1], 0x00) << "accepting a queued command interrupts nobody";
}

TEST(Fis, DmaSetupNamesTagDirectionOffsetAndCount) {
  Frame frame;
  build(frame, DmaSetup{5, true, false, false, 0x2000, 0x1000});
  EXPECT_THAT(bytes_of(frame), ElementsAre(0x41, 0x20, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x20, 0, 0, 0x00,
                                           0x10, 0, 0, 0, 0, 0, 0));
  build(frame, DmaSetup{5, false, true, true, 0, 4});
  EXPECT_EQ(bytes_of(frame)[1], 0xC0) << "A in bit 7, I in bit 6, D clear";
  build(frame, DmaSetup{1'000, false, false, false, 0, 4});
  EXPECT_EQ(bytes_of(frame)[4], 1'000 % 256);
  EXPECT_EQ(bytes_of(frame)[5], 1'000 / 256) << "study tag";
}

TEST(Fis, DmaActivateIsOneDword) {
  Frame frame;
  build(frame, DmaActivate{});
  EXPECT_THAT(bytes_of(frame), ElementsAre(0x39, 0, 0, 0));
}

TEST(Fis, PioSetupHasTheEndingStatusInByteFifteenAndTheTransferCountBehindIt) {
  PioSetup s;
  s.status = 0x58;
  s.error = 0x01;
  s.lba = HostLba(0x060504030201);
  s.device = 0x40;
  s.count = 0x0201;
  s.end_status = 0x50;
  s.transfer_bytes = 512;
  Frame frame;
  build(frame, s);
  EXPECT_THAT(bytes_of(frame),
              ElementsAre(0x5F, 0x60, 0x58, 0x01, 1, 2, 3, 0x40, 4, 5, 6, 0, 0x01, 0x02, 0, 0x50, 0x00, 0x02, 0, 0));
}

TEST(Fis, SetDeviceBitsCarriesActiveBitsAndNeitherBusyNorDataRequest) {
  Frame frame;
  build(frame, SetDeviceBits{true, false, 0x40, 0, 0, 0x80000001});
  EXPECT_THAT(bytes_of(frame), ElementsAre(0xA1, 0x40, 0x40, 0x00, 0x01, 0, 0, 0x80));
  build(frame, SetDeviceBits{true, true, 0xFF, 0x10, 31, 2});
  EXPECT_THAT(bytes_of(frame), ElementsAre(0xA1, 0xDF, 0x77, 0x10, 0x02, 0, 0, 0)) << "bank 31 is a study's";
}

TEST(Fis, ADataFrameIsOneDwordAndItsBytes) {
  const Bytes data(4'096, 0xA5);
  Frame frame;
  build_data(frame, data.data(), 4'096);
  EXPECT_THAT(bytes_of(frame), ElementsAre(0x46, 0, 0, 0));
  EXPECT_EQ(frame.payload_dwords(), 1'025u);
  EXPECT_EQ(frame.data, data.data());
}

TEST(Fis, HeadersHaveTheStandardsLengths) {
  Frame frame;
  build(frame, RegisterH2D{});
  EXPECT_EQ(frame.payload_dwords(), 5u);
  build(frame, RegisterD2H{});
  EXPECT_EQ(frame.payload_dwords(), 5u);
  build(frame, DmaActivate{});
  EXPECT_EQ(frame.payload_dwords(), 1u);
  build(frame, DmaSetup{});
  EXPECT_EQ(frame.payload_dwords(), 7u);
  build(frame, PioSetup{});
  EXPECT_EQ(frame.payload_dwords(), 5u);
  build(frame, SetDeviceBits{});
  EXPECT_EQ(frame.payload_dwords(), 2u);
  build_data(frame, nullptr, kMaxDataBytes);
  EXPECT_EQ(frame.payload_dwords(), 2'049u);
}

TEST(Fis, WhatIsBuiltIsParsedBack) {
  std::mt19937_64 random(7);
  const auto u8 = [&] { return static_cast<std::uint8_t>(random()); };
  const auto u16 = [&] { return static_cast<std::uint16_t>(random()); };
  const auto flag = [&] { return random() % 2 == 0; };
  const auto lba = [&] { return HostLba(random() >> 16); };
  for (int i = 0; i < 1'000; ++i) {
    Frame frame;
    const RegisterH2D h{flag(), u8(), u16(), lba(), u8(), u16(), u8(), u8(), static_cast<std::uint32_t>(random())};
    build(frame, h);
    const RegisterH2D h2 = parse_register_h2d(frame);
    ASSERT_EQ(std::tie(h.is_command, h.command, h.features, h.lba, h.device, h.count, h.icc, h.control, h.auxiliary),
              std::tie(h2.is_command, h2.command, h2.features, h2.lba, h2.device, h2.count, h2.icc, h2.control,
                       h2.auxiliary));
    const RegisterD2H d{flag(), u8(), u8(), lba(), u8(), u16()};
    build(frame, d);
    const RegisterD2H d2 = parse_register_d2h(frame);
    ASSERT_EQ(std::tie(d.interrupt, d.status, d.error, d.lba, d.device, d.count),
              std::tie(d2.interrupt, d2.status, d2.error, d2.lba, d2.device, d2.count));
    const DmaSetup s{
        static_cast<std::uint32_t>(random() % 1'024), flag(), flag(), flag(), static_cast<std::uint32_t>(random()),
        static_cast<std::uint32_t>(random())};
    build(frame, s);
    const DmaSetup s2 = parse_dma_setup(frame);
    ASSERT_EQ(std::tie(s.tag, s.to_host, s.interrupt, s.auto_activate, s.offset_bytes, s.count_bytes),
              std::tie(s2.tag, s2.to_host, s2.interrupt, s2.auto_activate, s2.offset_bytes, s2.count_bytes));
    const PioSetup p{flag(), flag(), u8(), u8(), lba(), u8(), u16(), u8(), u16()};
    build(frame, p);
    const PioSetup p2 = parse_pio_setup(frame);
    ASSERT_EQ(
        std::tie(p.to_host, p.interrupt, p.status, p.error, p.lba, p.device, p.count, p.end_status, p.transfer_bytes),
        std::tie(p2.to_host, p2.interrupt, p2.status, p2.error, p2.lba, p2.device, p2.count, p2.end_status,
                 p2.transfer_bytes));
    const SetDeviceBits b{flag(),
                          flag(),
                          static_cast<std::uint8_t>(random() & 0x77),
                          u8(),
                          static_cast<std::uint32_t>(random() % 32),
                          static_cast<std::uint32_t>(random())};
    build(frame, b);
    const SetDeviceBits b2 = parse_set_device_bits(frame);
    ASSERT_EQ(std::tie(b.interrupt, b.notification, b.status, b.error, b.bank, b.sactive),
              std::tie(b2.interrupt, b2.notification, b2.status, b2.error, b2.bank, b2.sactive));
  }
}

TEST(Fis, FramesAreDescribedByCommandAndTag) {
  Frame frame;
  build(frame, fpdma(Command::read_fpdma_queued, 3, HostLba(0), 8, false));
  frame.trace_tag = 3;
  EXPECT_EQ(describe(frame), "H2D READ FPDMA tag 3");
  build_data(frame, nullptr, 4'096);
  EXPECT_EQ(describe(frame), "DATA 4096 tag 3");
  build(frame, SetDeviceBits{true, false, 0x40, 0, 0, 8});
  EXPECT_EQ(describe(frame), "SDB 00000008");
  RegisterH2D unknown;
  unknown.command = 0xB0;
  build(frame, unknown);
  frame.trace_tag = -1;
  EXPECT_EQ(describe(frame), "H2D B0h");
}

TEST(FramePool, ReusesFramesAndHandsThemOutCleared) {
  FramePool pool;
  Frame* const first = pool.acquire(FrameType::dma_setup);
  build(*first, DmaSetup{7, true, true, true, 1, 2});
  first->trace_tag = 9;
  first->end_on_arrival = true;
  pool.release(first);
  Frame* const again = pool.acquire(FrameType::data);
  EXPECT_EQ(again, first);
  EXPECT_EQ(again->trace_tag, -1);
  EXPECT_FALSE(again->end_on_arrival);
  EXPECT_THAT(again->dwords, ElementsAre(0x46, 0, 0, 0, 0, 0, 0));
  for (int i = 0; i < 1'000; ++i) pool.release(pool.acquire(FrameType::data));
  EXPECT_EQ(pool.allocated(), 2u);
}

TEST(NcqErrorLog, HasTheLayoutThatLinuxReads) {
  // drivers/ata/libata-sata.c, ata_eh_read_log_10h: tag in byte 0, taskfile in bytes 2 to 13, all bytes add up to zero.
  Bytes page(512);
  build(NcqErrorPage{false, 17, 0x41, 0x10, HostLba(0x665544332211), 0x40, 0x0807}, page.data());
  EXPECT_THAT(Bytes(page.begin(), page.begin() + 14),
              ElementsAre(17, 0, 0x41, 0x10, 0x11, 0x22, 0x33, 0x40, 0x44, 0x55, 0x66, 0, 0x07, 0x08));
  unsigned sum = 0;
  for (const std::uint8_t b : page) sum += b;
  EXPECT_EQ(sum % 256, 0u);

  NcqErrorPage read;
  ASSERT_TRUE(parse(page.data(), read));
  EXPECT_FALSE(read.not_queued);
  EXPECT_EQ(read.tag, 17u);
  EXPECT_EQ(read.status, 0x41);
  EXPECT_EQ(read.error, 0x10);
  EXPECT_EQ(read.lba, HostLba(0x665544332211));
  EXPECT_EQ(read.count, 0x0807);
  page[100] ^= 1;
  EXPECT_FALSE(parse(page.data(), read)) << "a wrong sum";
}

TEST(NcqErrorLog, KnowsCommandsThatWereNotQueuedAndStudyTags) {
  Bytes page(512);
  NcqErrorPage read;
  build(NcqErrorPage{true, 0, 0x41, 0x04, {}, 0, 0}, page.data());
  EXPECT_EQ(page[0], 0x80);
  ASSERT_TRUE(parse(page.data(), read));
  EXPECT_TRUE(read.not_queued);
  build(NcqErrorPage{false, 1'000, 0x41, 0x04, {}, 0, 0}, page.data());
  EXPECT_EQ(page[0], 1'000 % 32);
  EXPECT_EQ(page[1], 1'000 / 32);
  ASSERT_TRUE(parse(page.data(), read));
  EXPECT_EQ(read.tag, 1'000u);
}

TEST(Identify, StringsAreSwappedInPairsAndTheCapacityIsInWords100To103) {
  Bytes page(512);
  const auto put = [&](unsigned word, unsigned value) {
    page[2 * word] = static_cast<std::uint8_t>(value);
    page[2 * word + 1] = static_cast<std::uint8_t>(value >> 8);
  };
  const auto put_text = [&](unsigned first, unsigned last, std::string text) {
    text.resize(2 * (last - first + 1), ' ');
    for (unsigned i = 0; i < text.size(); ++i) page[2 * first + (i ^ 1)] = static_cast<std::uint8_t>(text[i]);
  };
  put_text(10, 19, "  SERIAL1");
  put_text(23, 26, "3.AAE");
  put_text(27, 46, "ST3750640NS");
  put(75, 31);
  put(76, 1 << 8);
  put(85, 1 << 5);
  put(86, 1 << 13);
  put(100, 0x66F0);  // 1,465,149,168 sectors, a drive of 750 GB, are 575466F0h
  put(101, 0x5754);
  IdentifyData data;
  ASSERT_TRUE(parse(page.data(), data));
  EXPECT_EQ(data.serial, "SERIAL1");
  EXPECT_EQ(data.firmware, "3.AAE");
  EXPECT_EQ(data.model, "ST3750640NS");
  EXPECT_EQ(data.sectors, 1'465'149'168u);
  EXPECT_TRUE(data.queued);
  EXPECT_EQ(data.queue_depth, 32u);
  EXPECT_TRUE(data.volatile_write_cache);
  EXPECT_TRUE(data.flush_cache_ext);
  page[510] = 0xA5;
  EXPECT_FALSE(parse(page.data(), data)) << "word 255 promises a checksum, and it is wrong";
  unsigned sum = 0;
  for (const std::uint8_t b : page) sum += b;
  page[511] = static_cast<std::uint8_t>(256 - sum % 256);
  EXPECT_TRUE(parse(page.data(), data));
}

}  // namespace
}  // namespace armature::sata
