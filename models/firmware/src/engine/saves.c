// Data that must survive a loss of power are kept in the flash as one record, in two copies that are written in turn. A
// save erases a copy, programs its pages, and last its header, with a sequence number and checksums. An interrupted
// save leaves the older copy intact, and its own is detectably invalid.
//
//   page 0    journal: a word each time that power has come, or the heads have left the ramp or come onto it, since the
//             copy was saved
//   page 1    header
//   page 2 on the record
//
// With the journal a power-on programs only one word, while the stack comes to speed, and no command waits for it.
#include "engine/engine.h"

#define COPY_BYTES (4u * FW_NVM_SECTOR_BYTES)
#define COPIES 2u
#define HEADER_PAGE 1u
#define FIRST_PAGE 2u
#define MAGIC 0x44564153u  // "SAVD"
#define ERASED 0xFFFFFFFFu
#define POWER_CAME 0x00000000u
#define HEADS_CAME 0x0000FFFFu  // its lower half stays erased even if interrupted
#define HEADS_GONE 0x00FFFFFFu  // as does the byte above
#define SOON_US 1000000u        // errors come in bursts

enum { HEADER_MAGIC, HEADER_SEQUENCE, HEADER_LAYOUT, HEADER_WORDS, HEADER_SUM, HEADER_SUM_OF_SUMS, HEADER_LENGTH };

static uint32_t page_address(uint32_t copy, uint32_t page) {
  return copy * COPY_BYTES + page * FW_NVM_PAGE_BYTES;
}

static uint32_t pages_of(uint32_t words) {
  return (words + FW_NVM_PAGE_WORDS - 1u) / FW_NVM_PAGE_WORDS;
}

static uint32_t sectors_of(uint32_t words) {
  return ((FIRST_PAGE + pages_of(words)) * FW_NVM_PAGE_BYTES + FW_NVM_SECTOR_BYTES - 1u) / FW_NVM_SECTOR_BYTES;
}

// Fletcher checksums over 32-bit words.
static void sum_up(uint32_t* sums, uint32_t word) {
  sums[0] += word;
  sums[1] += sums[0];
}

// `layout`: words of struct fw_saved; the number depends on the firmware version.
static void fill_header(const struct fw_saves* saves, uint32_t sequence, uint32_t layout, uint32_t words,
                        uint32_t* header) {
  uint32_t sums[2] = {sequence, words};
  sum_up(sums, layout);
  for (uint32_t i = 0; i < words; ++i) sum_up(sums, saves->image[i]);
  header[HEADER_MAGIC] = MAGIC;
  header[HEADER_SEQUENCE] = sequence;
  header[HEADER_LAYOUT] = layout;
  header[HEADER_WORDS] = words;
  header[HEADER_SUM] = sums[0];
  header[HEADER_SUM_OF_SUMS] = sums[1];
}

// --- At power-on -----------------------------------------------------------------------------------------------------

struct header {
  uint32_t word[HEADER_LENGTH];
};

static struct header read_header(struct fw_context* ctx, uint32_t copy) {
  struct header header;
  fw_nvm_read_from(ctx, page_address(copy, HEADER_PAGE));
  for (uint32_t i = 0; i < HEADER_LENGTH; ++i) header.word[i] = fw_nvm_next(ctx);
  return header;
}

// False: the copy is not valid.
static bool read_copy(struct fw_context* ctx, uint32_t copy, const struct header* header) {
  struct fw_saves* const saves = &ctx->saves;
  const uint32_t words = header->word[HEADER_WORDS], layout = header->word[HEADER_LAYOUT];
  if (header->word[HEADER_MAGIC] != MAGIC || words < layout || words > FW_MOST_SAVED_WORDS) return false;
  fw_nvm_read_from(ctx, page_address(copy, FIRST_PAGE));
  for (uint32_t i = 0; i < words; ++i) saves->image[i] = fw_nvm_next(ctx);
  struct header right;
  fill_header(saves, header->word[HEADER_SEQUENCE], layout, words, right.word);
  for (uint32_t i = 0; i < HEADER_LENGTH; ++i)
    if (right.word[i] != header->word[i]) return false;
  return true;
}

// From another firmware's record takes the common fields: new ones are at the end of struct fw_saved, and are 0.
static void take_record(struct fw_context* ctx, uint32_t layout, uint32_t words) {
  const uint32_t* const image = ctx->saves.image;
  uint32_t* const saved = (uint32_t*)(void*)&ctx->saved;
  for (uint32_t i = 0; i < FW_SAVED_WORDS && i < layout; ++i) saved[i] = image[i];
  uint32_t pending = (words - layout) / 2u;
  if (pending > ctx->saved.pending) pending = ctx->saved.pending;
  if (pending > FW_MAX_PENDING) pending = FW_MAX_PENDING;
  for (uint32_t i = 0; i < pending; ++i) {
    const uint32_t* const words_of = &image[layout + 2u * i];
    ctx->defects.pending[i] = words_of[0] | (uint64_t)words_of[1] << 32;
  }
  ctx->defects.pending_count = pending;
  fw_count(ctx, FW_COUNTER_PENDING, pending);
}

// Loads the newest valid copy.
static void load(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  struct header header[COPIES];
  for (uint32_t copy = 0; copy < COPIES; ++copy) header[copy] = read_header(ctx, copy);
  const uint32_t ahead = header[1].word[HEADER_SEQUENCE] - header[0].word[HEADER_SEQUENCE];
  const bool one_is_newer =
      header[1].word[HEADER_MAGIC] == MAGIC && (header[0].word[HEADER_MAGIC] != MAGIC || ahead - 1u < 0x7FFFFFFFu);
  for (uint32_t i = 0; i < COPIES && !saves->valid; ++i) {
    const uint32_t copy = one_is_newer ? 1u - i : i;
    if (read_copy(ctx, copy, &header[copy])) {
      saves->valid = true;
      saves->newest = (uint8_t)copy;
      saves->sequence = header[copy].word[HEADER_SEQUENCE];
      take_record(ctx, header[copy].word[HEADER_LAYOUT], header[copy].word[HEADER_WORDS]);
    } else if (header[copy].word[HEADER_MAGIC] != ERASED) {
      fw_printf(ctx, "nvm: copy %u is not whole", copy);
    }
  }
}

// The heads are now on the ramp or on their way to it, wherever they were; without a ramp they rest on the disk.
static void power_came(struct fw_context* ctx) {
  if (ctx->saved.over_disk != 0) ctx->saved.life[FW_LIFE_RETRACTS]++;
  ctx->saved.life[FW_LIFE_POWER_CYCLES]++;
  ctx->saved.over_disk = ctx->drive.ramp ? 0 : 1;
}

// Applies the events since the copy was saved.
static void read_journal(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  fw_nvm_read_from(ctx, page_address(saves->newest, 0));
  for (saves->journal = 0; saves->journal < FW_NVM_PAGE_WORDS; ++saves->journal) {
    const uint32_t word = fw_nvm_next(ctx);
    if (word == ERASED) return;
    if ((word & 0xFFFFu) != 0xFFFFu)
      power_came(ctx);
    else
      ctx->saved.over_disk = (word >> 16 & 0xFFu) != 0xFFu ? 1 : 0;
  }
}

static void note(struct fw_context* ctx, uint32_t word) {
  struct fw_saves* const saves = &ctx->saves;
  if (saves->journal == FW_NVM_PAGE_WORDS) {  // the next record includes it
    saves->fold = true;
    return;
  }
  fw_nvm_program(ctx, page_address(saves->newest, 0), saves->journal, &word, 1u);
  saves->journal++;
}

// Notes in the journal where the heads are. A save records that too; while a journal word is being programmed, this
// waits.
static void note_heads(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  if (saves->noted == ctx->saved.over_disk || saves->saving || saves->flash == FW_FLASH_LENT) return;
  if (fw_nvm_busy(ctx)) {
    fw_nvm_enable(ctx, true);
  } else if (saves->journal == FW_NVM_PAGE_WORDS) {
    fw_save(ctx);
  } else {
    saves->noted = ctx->saved.over_disk;
    note(ctx, saves->noted != 0 ? HEADS_CAME : HEADS_GONE);
  }
}

void fw_saves_reset(struct fw_context* ctx, uint32_t autosave_s) {
  struct fw_saves* const saves = &ctx->saves;
  saves->known = fw_nvm_sectors(ctx) * FW_NVM_SECTOR_BYTES >= COPIES * COPY_BYTES;
  if (!saves->known) return;
  saves->autosave_s = autosave_s;
  ctx->drive.ramp = (fw_servo_parking(ctx, 0) & SRV_PARKING_RAMP_MASK) != 0;
  load(ctx);
  read_journal(ctx);
  if (!ctx->host.microcode.restarted) power_came(ctx);
  saves->noted = ctx->saved.over_disk;
  if (!ctx->host.microcode.restarted) note(ctx, POWER_CAME);
}

// Interrupts are enabled from now on.
void fw_saves_start(struct fw_context* ctx) {
  if (ctx->saves.fold) fw_save(ctx);
}

// --- A save ----------------------------------------------------------------------------------------------------------

static void take_image(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  struct fw_saved* const image = &saves->record;
  *image = ctx->saved;
  saves->noted = image->over_disk;
  for (uint32_t i = 0; i < FW_LIFE_COUNT; ++i) image->life[i] = fw_life(ctx, (enum fw_life)i);
  image->pending = ctx->defects.pending_count;
  for (uint32_t i = 0; i < ctx->defects.pending_count; ++i) {
    saves->image[FW_SAVED_WORDS + 2u * i] = (uint32_t)ctx->defects.pending[i];
    saves->image[FW_SAVED_WORDS + 2u * i + 1u] = (uint32_t)(ctx->defects.pending[i] >> 32);
  }
  saves->words = FW_SAVED_WORDS + 2u * ctx->defects.pending_count;
}

static void over(struct fw_context* ctx, uint32_t copy) {
  struct fw_saves* const saves = &ctx->saves;
  saves->saving = false;
  saves->valid = true;
  saves->newest = (uint8_t)copy;
  saves->sequence++;
  saves->journal = 0;
  fw_nvm_enable(ctx, false);
  if (saves->again) {
    fw_save(ctx);
    return;
  }
  if (saves->then != FW_AFTER_SAVE_NOTHING) fw_due(ctx, FW_DUE_SAVED);
  if (saves->flash == FW_FLASH_WANTED)
    fw_due(ctx, FW_DUE_FLASH);
  else
    note_heads(ctx);
}

// Erases the sectors, then programs the record's pages, then its header.
static void next_step(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  const uint32_t copy = saves->valid ? 1u - saves->newest : 1u;
  const uint32_t sectors = sectors_of(saves->words), pages = pages_of(saves->words);
  const uint32_t step = saves->step++;
  if (step < sectors) {
    fw_nvm_erase(ctx, copy * COPY_BYTES + step * FW_NVM_SECTOR_BYTES);
  } else if (step < sectors + pages) {
    const uint32_t first = (step - sectors) * FW_NVM_PAGE_WORDS;
    const uint32_t left = saves->words - first;
    fw_nvm_program(ctx, page_address(copy, FIRST_PAGE + step - sectors), 0, &saves->image[first],
                   left < FW_NVM_PAGE_WORDS ? left : FW_NVM_PAGE_WORDS);
  } else if (step == sectors + pages) {
    uint32_t header[HEADER_LENGTH];
    fill_header(saves, saves->sequence + 1u, FW_SAVED_WORDS, saves->words, header);
    fw_nvm_program(ctx, page_address(copy, HEADER_PAGE), 0, header, HEADER_LENGTH);
  } else {
    over(ctx, copy);
  }
}

void fw_save(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  if (!saves->known) return;
  fw_timer_cancel(ctx, FW_TIMER_SAVE);
  saves->again = saves->saving || saves->flash == FW_FLASH_LENT;
  if (saves->again) return;
  saves->saving = true;
  saves->fold = false;
  saves->step = 0;
  take_image(ctx);
  fw_nvm_acknowledge(ctx);
  fw_nvm_enable(ctx, true);
  if (!fw_nvm_busy(ctx)) next_step(ctx);
}

void fw_save_then(struct fw_context* ctx, enum fw_after_save then) {
  ctx->saves.then = (uint8_t)then;
  if (ctx->saves.known)
    fw_save(ctx);
  else
    fw_due(ctx, FW_DUE_SAVED);
}

void fw_saves_event(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  fw_nvm_acknowledge(ctx);
  if (saves->saving) {
    next_step(ctx);
    return;
  }
  if (saves->flash != FW_FLASH_SAVES) {
    fw_due(ctx, FW_DUE_FLASH);
    return;
  }
  fw_nvm_enable(ctx, false);
  note_heads(ctx);
}

bool fw_flash_lend(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  saves->flash = saves->saving || fw_nvm_busy(ctx) ? FW_FLASH_WANTED : FW_FLASH_LENT;
  if (saves->flash == FW_FLASH_LENT) fw_nvm_acknowledge(ctx);
  fw_nvm_enable(ctx, true);
  return saves->flash == FW_FLASH_LENT;
}

void fw_flash_return(struct fw_context* ctx) {
  struct fw_saves* const saves = &ctx->saves;
  saves->flash = FW_FLASH_SAVES;
  fw_nvm_enable(ctx, false);
  if (saves->again) fw_save(ctx);
  note_heads(ctx);
}

void fw_flash_let_go(struct fw_context* ctx) {
  if (ctx->saves.flash == FW_FLASH_WANTED) ctx->saves.flash = FW_FLASH_SAVES;
  if (ctx->saves.flash == FW_FLASH_LENT && !fw_nvm_busy(ctx)) fw_flash_return(ctx);
}

enum fw_after_save fw_save_over(struct fw_context* ctx) {
  const enum fw_after_save then = (enum fw_after_save)ctx->saves.then;
  ctx->saves.then = FW_AFTER_SAVE_NOTHING;
  return then;
}

// --- When ------------------------------------------------------------------------------------------------------------

void fw_save_soon(struct fw_context* ctx) {
  if (!ctx->saves.known) return;
  const uint64_t deadline = ctx->timers.deadline[FW_TIMER_SAVE];
  if (deadline == 0 || deadline > fw_timer_now(ctx) + SOON_US) fw_timer_start(ctx, FW_TIMER_SAVE, SOON_US);
}

void fw_saves_activity(struct fw_context* ctx) {
  const struct fw_saves* const saves = &ctx->saves;
  if (saves->autosave_s == 0 || fw_timer_armed(ctx, FW_TIMER_SAVE) || ctx->saved.autosave_off != 0) return;
  fw_timer_start(ctx, FW_TIMER_SAVE, (uint64_t)saves->autosave_s * 1000000u);
}

void fw_saves_parked(struct fw_context* ctx) {
  ctx->saved.over_disk = 0;
  fw_save(ctx);
}

void fw_saves_heads(struct fw_context* ctx, bool over_disk) {
  if (!ctx->saves.known) return;
  ctx->saved.over_disk = over_disk ? 1 : 0;
  note_heads(ctx);
}
