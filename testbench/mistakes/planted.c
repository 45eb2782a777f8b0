// Mistakes planted into the firmware, one a number: each happens in the handler of grants, at the 300th one. The linker
// puts these functions before the firmware's own (--wrap). The lines are named in testbench/study/mistakes_test.py by
// the comments.
#include "engine/engine.h"

#ifdef __riscv
extern const uint32_t fw_planted_number;
const uint32_t fw_planted_number = 0;  // the test writes the number into the ELF
#define fw_planted (*(const volatile uint32_t*)&fw_planted_number)
#else
extern uint32_t fw_planted;     // number.cpp: by the environment
#endif

void __real_fw_granted(struct fw_context* ctx);
void __real_fw_aau_take_grant(struct fw_context* ctx);
void __real_fw_hif_complete(struct fw_context* ctx, uint32_t complete);
void __real_fw_hif_transfer(struct fw_context* ctx, uint32_t address, uint32_t offset, uint32_t go);
void __real_fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags);
void __wrap_fw_granted(struct fw_context* ctx);
void __wrap_fw_aau_take_grant(struct fw_context* ctx);
void __wrap_fw_hif_complete(struct fw_context* ctx, uint32_t complete);
void __wrap_fw_hif_transfer(struct fw_context* ctx, uint32_t address, uint32_t offset, uint32_t go);
void __wrap_fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags);

#define AT 300u
static uint32_t grants;
static bool due(uint32_t mistake) {
  return fw_planted == mistake && grants == AT;
}

// What the compiler must not see through, or it would refuse or drop the mistake.
static volatile uint32_t number;
static void (*volatile function)(void);
static volatile uint32_t* volatile pointer;
static const uint32_t kConstant[4] = {1, 2, 3, 4};

static uint32_t recursion(volatile uint32_t* depth) {
  volatile uint32_t here[16];
  here[0] = *depth + 1u;
  return here[0] == 0 ? 0 : recursion(here) + here[0];  // recursion
}

static void big_array(struct fw_context* ctx) {
  volatile char big[40000];
  big[0] = 1;  // big_array_elf
  big[sizeof big - 1] = big[0];
  number = fw_aau_grant(ctx);  // big_array
}

// Writes over its return address.
__attribute__((noinline)) static void smash(uint32_t words) {
  volatile uint32_t here[4];
  for (uint32_t i = 0; i < words; ++i) here[i] = 0xA5A5A5A4u;  // smash
  number = here[0];
}

static uint32_t unreachable(uint32_t value) {
  switch (value & 1u) {
    case 0:
      return 7;
    case 1:
      return 8;
  }
  __builtin_unreachable();
}

static void plant(struct fw_context* ctx) {
  volatile int32_t signed_number = INT32_MAX;
  switch (grants == AT ? fw_planted : 0u) {
    case 1:
      *pointer = 1u;  // null_write
      break;
    case 2:
      number = *pointer;  // null_read
      break;
    case 3:
      function();  // null_call
      break;
    case 4:
      number = 40;
      ctx->arm[number].state = 7;  // index_high
      break;
    case 5:
      signed_number = -3;
      ctx->arm[signed_number].state = 7;  // index_low
      break;
    case 6:
      number = 40000000;
      ctx->requests[number].lba = 7;  // index_far
      break;
    case 7:
      number = 0;
      number = 5u / number;  // division
      break;
    case 8:
      big_array(ctx);
      break;
    case 9:
      number = 0;
      number = recursion(&number);
      break;
    case 10:
      for (number = 0;;) number = number + 1u;  // endless
      break;
    case 11:
      while ((fw_aau_grant(ctx) & AAU_GRANT_VALID_MASK) != 0) number = 1;  // polling
      break;
    case 12:
      number = *(volatile uint16_t*)(uintptr_t)0x40080000u;  // halfword
      break;
    case 13:
      number = mmio_read32(ctx, 0x40080002u);  // misaligned_register
      break;
    case 14:
      mmio_write32(ctx, 0x400803F0u, 1u);  // unmapped
      break;
    case 15:
      pointer = (volatile uint32_t*)(uintptr_t)&plant;
      *pointer = 3u;  // write_to_code
      break;
    case 16:
      function = (void (*)(void))(uintptr_t)&number;
      function();  // jump_to_data
      break;
    case 17:
      function = (void (*)(void))(uintptr_t)0xA5A5A5A4u;
      function();  // wild_call
      break;
    case 18:
      number = 3;
      if (number == 3u) __builtin_unreachable();  // unreachable
      number = unreachable(number);
      break;
    case 19:
      number = 40;
      number = 1u << number;  // shift
      break;
    case 20:
      signed_number = signed_number + 1;  // overflow
      break;
    case 21:  // lost_interrupt: see fw_aau_take_grant
    case 22:  // lost_grant: see fw_granted
    case 23:  // completed_twice: see fw_hif_complete
    case 24:  // wrong_tag: the same
    case 25:  // wrong_lba: see fw_channel_access
    case 26:  // dma_out_of_range: see fw_hif_transfer
      break;
    case 27:
      mmio_write32(ctx, SOC_AAU_BASE + AAU_GRANT, 1u);  // read_only_register
      break;
    case 28:
      for (uint32_t i = 0; i < 3000u; ++i) number = fw_aau_grant(ctx);  // too_many
      break;
    case 29:
#ifdef __riscv
      __asm__ volatile("unimp");  // illegal_riscv
#elif defined(__x86_64__)
      __asm__ volatile("ud2");  // illegal_x86
#else
      __asm__ volatile("udf #0");
#endif
      break;
    case 30:
      FW_STOP(ctx);  // stop
      break;
    case 31:
      pointer = (volatile uint32_t*)(uintptr_t)kConstant;
      *pointer = 2u;  // write_to_constant
      break;
    case 32:
      pointer = (volatile uint32_t*)(uintptr_t)((uintptr_t)&ctx->arm[0] + 1u);
      number = *pointer;  // misaligned_memory
      break;
    case 33:
      number = 1;
      mmio_write32(ctx + number, SOC_DBG_BASE + DBG_STATE, 0);  // wrong_context
      break;
    case 34:
      signed_number = -1;
      number = 0x80000000u;
      signed_number = (int32_t)number / signed_number;  // division_overflow
      break;
    case 35:
      pointer = (volatile uint32_t*)(uintptr_t)ctx;
      for (number = 0; number != 100000000u; number = number + 1u) *pointer++ = number;  // past_the_context
      break;
    case 36:
      mmio_write32(ctx, SOC_SRV_BASE(3) + SRV_TARGET, 0);  // absent_arm
      break;
    case 37:
      mmio_write32(ctx, SOC_SRV_BASE(0) + SRV_INTEN, 0);  // masked_interrupt
      break;
    case 38:  // the request that was granted, before anything of it is done
      number = (fw_aau_grant(ctx) & AAU_GRANT_SLOT_MASK) >> AAU_GRANT_SLOT_SHIFT;
      number = number << HIF_COMPLETE_TAG_SHIFT | HIF_COMPLETE_QUEUED_MASK;
      __real_fw_hif_complete(ctx, number);  // completed_early
      break;
    case 39:  // wrong_buffer: see fw_hif_transfer
      break;
    case 40:
      number = 20;
      smash(number);
      break;
#ifdef __riscv
    case 41:
      __asm__ volatile("wfi");  // wait_in_a_handler
      break;
#endif
    default:
      break;
  }
}

void __wrap_fw_granted(struct fw_context* ctx) {
  ++grants;
  plant(ctx);
  if (due(22)) {
    fw_aau_take_grant(ctx);  // and nothing is done with it
    return;
  }
  __real_fw_granted(ctx);
}

void __wrap_fw_aau_take_grant(struct fw_context* ctx) {
  if (!due(21)) __real_fw_aau_take_grant(ctx);
}

// Only commands of the queue: the first one after the grant.
static bool done;
void __wrap_fw_hif_complete(struct fw_context* ctx, uint32_t complete) {
  const bool now =
      grants >= AT && !done && (complete & HIF_COMPLETE_QUEUED_MASK) != 0 && (fw_planted == 23u || fw_planted == 24u);
  if (now) done = true;
  if (now && fw_planted == 24u) complete ^= 16u << HIF_COMPLETE_TAG_SHIFT;
  __real_fw_hif_complete(ctx, complete);                                // wrong_tag
  if (now && fw_planted == 23u) __real_fw_hif_complete(ctx, complete);  // completed_twice
}

void __wrap_fw_hif_transfer(struct fw_context* ctx, uint32_t address, uint32_t offset, uint32_t go) {
  if (grants >= AT && !done && fw_planted == 26u) {
    done = true;
    address = 0x3FFFFE00u;
  }
  if (grants >= AT && fw_planted == 39u) address ^= 0x1000u;  // wrong_buffer
  __real_fw_hif_transfer(ctx, address, offset, go);           // dma_out_of_range
}

void __wrap_fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags) {
  if (due(25)) lba += 8u;
  __real_fw_channel_access(ctx, n, lba, sectors, flags);  // wrong_lba
}
