// SMART (ACS-3, 7.48): attributes, error logs, self-tests, and parts that go out of service before they fail.
#ifndef ARMATURE_FIRMWARE_SMART_SMART_H
#define ARMATURE_FIRMWARE_SMART_SMART_H

#include "core/page.h"
#include "jobs/jobs.h"

// attributes.c
fw_page_builder fw_smart_data, fw_smart_thresholds;
bool fw_smart_failing(struct fw_context* ctx);     // a pre-failure attribute is at its threshold
void fw_smart_keep_worst(struct fw_context* ctx);  // values are looked at: the lowest are kept

// error_log.c
#define FW_ERROR_PAGES_EXT 5u               // of log 03h
#define FW_ERROR_PAGES 4u                   // of log 02h
void fw_error_log(struct fw_context* ctx);  // the command that has failed (ctx->errors.last)
fw_page_builder fw_error_summary, fw_error_comprehensive, fw_error_extended;

// self_test.c: numbers as SMART EXECUTE OFF-LINE IMMEDIATE codes them
#define FW_TEST_OFFLINE 0u
#define FW_TEST_SHORT 1u
#define FW_TEST_EXTENDED 2u
#define FW_TEST_SELECTIVE 4u
#define FW_TEST_ABORT 127u
#define FW_TEST_CAPTIVE 128u
// Of a self-test, upper half of the status byte.
enum fw_test_end { FW_TEST_PASSED = 0, FW_TEST_ABORTED = 1, FW_TEST_RESET = 2, FW_TEST_READ_FAILURE = 7 };
#define FW_TEST_IN_PROGRESS 15u
bool fw_test_begin(struct fw_context* ctx, uint32_t number);  // false: the drive has no such test
void fw_test_end(struct fw_context* ctx, enum fw_test_end how);
void fw_test_goes_on(struct fw_context* ctx);  // FW_DUE_READING
void fw_test_after_power_on(struct fw_context* ctx);
uint32_t fw_test_status(struct fw_context* ctx);  // as SMART READ DATA codes it
uint32_t fw_test_offline_status(const struct fw_context* ctx);
uint32_t fw_test_extended_s(struct fw_context* ctx);  // that it takes on an idle drive
void fw_auto_offline(struct fw_context* ctx, bool on);
void fw_auto_offline_due(struct fw_context* ctx);

// test_log.c
fw_page_builder fw_test_log, fw_test_log_extended, fw_selective_log;
void fw_test_log_add(struct fw_context* ctx, uint32_t number, uint32_t status, uint64_t lba);
bool fw_selective_log_take(struct fw_context* ctx, const struct fw_page* page);  // false: it is not one

#endif
