// DOWNLOAD MICROCODE and DOWNLOAD MICROCODE DMA (ACS-3, 7.7 and 7.8). The image goes into a slot of the flash as it
// comes, block by block, and never into the slot whose image runs. After the last block the boot loader checks the
// whole image; if it is good the slot's own page is programmed, which makes the image valid for the loader. Then the
// drive comes to rest, saves its counters, and the core starts the image; with sub-command 0Eh it starts at the next
// power-on or with sub-command 0Fh.
#include "commands/commands.h"

enum { SEGMENT = 0x03, WHOLE = 0x07, SEGMENT_DEFERRED = 0x0E, ACTIVATE = 0x0F };  // sub-commands

// Values of the count at the command's end.
#define MORE_SEGMENTS 1u
#define APPLIED 2u
#define DEFERRED 3u

#define BLOCK_BYTES 512u
#define PAGES_OF_BLOCK (BLOCK_BYTES / FW_NVM_PAGE_BYTES)
#define PAGES_OF_SECTOR (FW_NVM_SECTOR_BYTES / FW_NVM_PAGE_BYTES)
#define IMAGE_PAGE 1u  // of the slot: the image begins there
enum { SLOT_MAGIC, SLOT_SEQUENCE, SLOT_LENGTH };

static uint32_t slot_address(const struct fw_microcode* microcode, uint32_t slot) {
  return (microcode->first + (slot - 1u) * microcode->slot_sectors) * FW_NVM_SECTOR_BYTES;
}

void fw_microcode_reset(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  const uint32_t image = fw_nvm_image(ctx);
  if ((image & NVM_IMAGE_CHANGEABLE_MASK) == 0) return;
  const uint32_t slots = fw_nvm_slots(ctx);
  microcode->first = FW_GET(slots, NVM_SLOTS_FIRST);
  microcode->slot_sectors = FW_GET(slots, NVM_SLOTS_SECTORS);
  microcode->known = microcode->slot_sectors != 0;
  microcode->restarted = (image & NVM_IMAGE_RESTARTED_MASK) != 0;
  microcode->slot = (uint8_t)FW_GET(image, NVM_IMAGE_SLOT);
  if (microcode->slot == 0) return;
  fw_nvm_read_from(ctx, slot_address(microcode, microcode->slot) + IMAGE_PAGE * FW_NVM_PAGE_BYTES);
  const uint32_t at = (uint32_t)offsetof(struct fw_image_header, revision) / 4u;
  for (uint32_t word = 0; word < at; ++word) fw_nvm_next(ctx);
  for (uint32_t word = 0; word < 2u; ++word) microcode->revision[word] = fw_nvm_next(ctx);
}

uint32_t fw_microcode_blocks(const struct fw_context* ctx) {
  if (!ctx->host.microcode.known) return 0;
  return (ctx->host.microcode.slot_sectors * PAGES_OF_SECTOR - IMAGE_PAGE) / PAGES_OF_BLOCK;
}

// Discards the image: without its own page, the slot is not valid.
static void discard(struct fw_microcode* microcode) {
  microcode->mode = 0;
  microcode->step = FW_MICROCODE_NONE;
}

static void refuse(struct fw_context* ctx) {
  discard(&ctx->host.microcode);
  ctx->commands.pages.active = false;
  fw_flash_return(ctx);
  fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
}

static void answer(struct fw_context* ctx, uint32_t count) {
  fw_unqueued_answer(ctx, 0, count, 0);
}

// The host has reset the drive, or broken off a transfer: discards an incomplete image.
void fw_microcode_dropped(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  (void)fw_save_over(ctx);  // no command waits for the end of a save any more
  if (!microcode->known) return;
  discard(microcode);
  fw_flash_let_go(ctx);
}

static void activate(struct fw_context* ctx) {
  ctx->host.microcode.step = FW_MICROCODE_ACTIVATES;
  ctx->host.microcode.mode = 0;
  fw_power_restart(ctx);
}

// The drive is at rest, and what it has counted is in the flash.
void fw_microcode_start(struct fw_context* ctx) {
  answer(ctx, APPLIED);
  fw_hif_control(ctx, 0);  // what the host sends now is kept for the next firmware
  fw_nvm_restart(ctx);
}

// --- A segment -------------------------------------------------------------------------------------------------------

static uint32_t ram_word(struct fw_context* ctx, uint32_t word) {
  return fw_ram_read(ctx, fw_system_address(ctx) + 4u * word);
}

static bool header_fits(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  const uint32_t bytes = ram_word(ctx, (uint32_t)offsetof(struct fw_image_header, elf_bytes) / 4u);
  const uint32_t most = fw_microcode_blocks(ctx);
  if (ram_word(ctx, 0) != FW_IMAGE_MAGIC || bytes == 0 || bytes / BLOCK_BYTES >= most) return false;
  microcode->blocks = 1u + (bytes + BLOCK_BYTES - 1u) / BLOCK_BYTES;
  return microcode->blocks <= most;
}

static void make_valid(struct fw_context* ctx) {
  const struct fw_microcode* const microcode = &ctx->host.microcode;
  uint32_t newest = 0;
  for (uint32_t slot = 1; slot <= 2u; ++slot) {
    fw_nvm_read_from(ctx, slot_address(microcode, slot));
    const uint32_t magic = fw_nvm_next(ctx), sequence = fw_nvm_next(ctx);
    if (magic == FW_SLOT_MAGIC && (newest == 0 || sequence - newest - 1u < 0x7FFFFFFFu)) newest = sequence;
  }
  const uint32_t page[SLOT_LENGTH] = {FW_SLOT_MAGIC, newest + 1u};
  fw_nvm_program(ctx, slot_address(microcode, microcode->to), 0, page, SLOT_LENGTH);
}

// The boot loader now takes the image.
static void image_over(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  const bool waits = microcode->mode == SEGMENT_DEFERRED;
  microcode->deferred = microcode->to;
  discard(microcode);
  fw_flash_return(ctx);
  if (waits)
    answer(ctx, DEFERRED);
  else
    activate(ctx);
}

static void segment_over(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  if (microcode->next < microcode->blocks) {
    microcode->step = FW_MICROCODE_NONE;
    fw_flash_return(ctx);
    if (microcode->mode == WHOLE)
      refuse(ctx);
    else
      answer(ctx, MORE_SEGMENTS);
  } else if (fw_nvm_fits(ctx, slot_address(microcode, microcode->to))) {
    microcode->step = FW_MICROCODE_CHECKED;
    make_valid(ctx);
  } else {
    refuse(ctx);
  }
}

// The flash is ready: the next page of the block that has come goes into it.
static void store(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  const uint32_t slot = slot_address(microcode, microcode->to);
  if (microcode->page / PAGES_OF_SECTOR >= microcode->erased && microcode->page != microcode->page_end) {
    fw_nvm_erase(ctx, slot + microcode->erased++ * FW_NVM_SECTOR_BYTES);
  } else if (microcode->page != microcode->page_end) {
    const uint32_t from = (PAGES_OF_BLOCK - (microcode->page_end - microcode->page)) * FW_NVM_PAGE_WORDS;
    uint32_t words[FW_NVM_PAGE_WORDS];
    for (uint32_t i = 0; i < FW_NVM_PAGE_WORDS; ++i) words[i] = ram_word(ctx, from + i);
    fw_nvm_program(ctx, slot + microcode->page++ * FW_NVM_PAGE_BYTES, 0, words, FW_NVM_PAGE_WORDS);
  } else {
    microcode->next++;
    if (ctx->commands.pages.active)
      fw_page_next(ctx);
    else
      segment_over(ctx);
  }
}

static void block_came(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  if (microcode->next == 0 ? !header_fits(ctx) : microcode->next >= microcode->blocks) {
    refuse(ctx);
    return;
  }
  microcode->page = IMAGE_PAGE + microcode->next * PAGES_OF_BLOCK;
  microcode->page_end = microcode->page + PAGES_OF_BLOCK;
  store(ctx);
}

static void begin_segment(struct fw_context* ctx) {
  fw_pages_take(ctx, ctx->host.microcode.by_pio, ctx->host.microcode.segment, block_came, fw_microcode_dropped);
}

void fw_microcode_flash(struct fw_context* ctx) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  if (microcode->step != FW_MICROCODE_SEGMENT && microcode->step != FW_MICROCODE_CHECKED) {
    if (ctx->saves.flash == FW_FLASH_LENT) fw_flash_return(ctx);
  } else if (ctx->saves.flash != FW_FLASH_LENT) {
    if (fw_flash_lend(ctx)) begin_segment(ctx);
  } else if (microcode->step == FW_MICROCODE_CHECKED) {
    image_over(ctx);
  } else {
    store(ctx);
  }
}

// --- The command -----------------------------------------------------------------------------------------------------

static void begin_image(struct fw_microcode* microcode, uint32_t mode) {
  microcode->mode = (uint8_t)mode;
  microcode->to = microcode->slot == 1u ? 2u : 1u;
  microcode->blocks = 0;
  microcode->next = 0;
  microcode->erased = 0;
  microcode->deferred = 0;  // its slot is needed
}

// The segment goes on where the one before has ended, or begins an image.
static bool continues(struct fw_microcode* microcode, uint32_t mode, uint32_t offset) {
  if (mode == WHOLE || offset == 0) {
    begin_image(microcode, mode);
    return true;
  }
  return mode == microcode->mode && offset == microcode->next;
}

void fw_download(struct fw_context* ctx, const struct fw_command* command) {
  struct fw_microcode* const microcode = &ctx->host.microcode;
  const uint32_t mode = command->features & 0xFFu;
  const uint32_t blocks = (command->count & 0xFFu) | ((uint32_t)command->lba & 0xFFu) << 8;
  const uint32_t offset = (uint32_t)(command->lba >> 8) & 0xFFFFu;
  if (microcode->known && mode == ACTIVATE && microcode->deferred != 0) {
    activate(ctx);
    return;
  }
  const bool takes = mode == SEGMENT || mode == WHOLE || mode == SEGMENT_DEFERRED;
  if (!microcode->known || !takes || blocks == 0) {
    fw_abort(ctx, command);
    return;
  }
  if (!continues(microcode, mode, offset)) {
    discard(microcode);
    fw_abort(ctx, command);
    return;
  }
  microcode->step = FW_MICROCODE_SEGMENT;
  microcode->by_pio = command->protocol == FW_PIO_OUT;
  microcode->segment = blocks;
  if (fw_flash_lend(ctx)) begin_segment(ctx);
}
