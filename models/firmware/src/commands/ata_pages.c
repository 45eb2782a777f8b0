// Pages of 512 bytes that firmware builds in buffer RAM and sends, or takes from the host: IDENTIFY DEVICE, logs, READ
// and WRITE BUFFER. A single page by PIO ends its command without another handler. Several pages, or pages by DMA, are
// built one by one: each when the page before has been sent.
#include "commands/commands.h"

static void put(struct fw_context* ctx, const struct fw_page* page) {
  for (uint32_t i = 0; i < FW_PAGE_DWORDS; ++i) fw_ram_write(ctx, fw_system_address(ctx) + 4u * i, page->dwords[i]);
}

void fw_page_send(struct fw_context* ctx, const struct fw_page* page) {
  put(ctx, page);
  fw_hif_transfer(ctx, fw_system_address(ctx), 0,
                  FW_SET(HIF_DMA_GO_SECTORS, 1u) | HIF_DMA_GO_TO_HOST_MASK | HIF_DMA_GO_PIO_MASK);
  fw_due(ctx, FW_DUE_ENDED);  // except for its data
}

// Orders the transfer of the next page.
static void order(struct fw_context* ctx) {
  const struct fw_pages* const pages = &ctx->commands.pages;
  ctx->link.transfers++;
  fw_hif_transfer(ctx, fw_system_address(ctx), pages->done,
                  FW_SET(HIF_DMA_GO_SECTORS, 1u) | (pages->taker == 0 ? HIF_DMA_GO_TO_HOST_MASK : 0u) |
                      (pages->pio ? HIF_DMA_GO_PIO_MASK : 0u));
}

static void build_and_order(struct fw_context* ctx) {
  struct fw_page page = {{0}};
  ctx->commands.pages.builder(ctx, ctx->commands.pages.what, ctx->commands.pages.first + ctx->commands.pages.done,
                              &page);
  put(ctx, &page);
  order(ctx);
}

void fw_pages_send(struct fw_context* ctx, const struct fw_command* command, fw_page_builder* builder, uint32_t what,
                   uint32_t first, uint32_t count) {
  const bool pio = command->protocol == FW_PIO_IN;
  if (pio && count == 1u) {
    struct fw_page page = {{0}};
    builder(ctx, what, first, &page);
    fw_page_send(ctx, &page);
    return;
  }
  const struct fw_pages pages = {
      .active = true, .pio = pio, .builder = builder, .what = what, .first = first, .count = count};
  ctx->commands.pages = pages;
  if (pio) fw_hif_pio(ctx, 1u, count);
  build_and_order(ctx);
}

void fw_page_take(struct fw_context* ctx, const struct fw_command* command, fw_page_taker* taker) {
  fw_pages_take(ctx, command->protocol == FW_PIO_OUT, 1u, taker, 0);
}

void fw_pages_take(struct fw_context* ctx, bool pio, uint32_t count, fw_page_taker* taker, fw_page_taker* broken) {
  const struct fw_pages pages = {.active = true, .pio = pio, .taker = taker, .broken = broken, .count = count};
  ctx->commands.pages = pages;
  if (pio) fw_hif_pio(ctx, 1u, count);
  order(ctx);
}

void fw_page_next(struct fw_context* ctx) {
  order(ctx);
}

// A page has moved over the link.
void fw_page_moved(struct fw_context* ctx) {
  struct fw_pages* const pages = &ctx->commands.pages;
  if (!pages->active) return;
  if (pages->failed) {
    pages->active = false;
    if (pages->broken != 0) pages->broken(ctx);
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ICRC | ATA_ERROR_ABRT, 0);
    return;
  }
  pages->active = ++pages->done != pages->count;
  if (pages->taker != 0)
    pages->taker(ctx);
  else if (pages->active)
    build_and_order(ctx);
  else if (pages->pio)
    fw_due(ctx, FW_DUE_ENDED);  // the last block has told the host
  else
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
}

static void build_buffer(struct fw_context* ctx, uint32_t what, uint32_t number, struct fw_page* page) {
  (void)what;
  (void)number;
  for (uint32_t i = 0; i < FW_PAGE_DWORDS; ++i) page->dwords[i] = ctx->host.buffer[i];
}

static void take_buffer(struct fw_context* ctx) {
  for (uint32_t i = 0; i < FW_PAGE_DWORDS; ++i) ctx->host.buffer[i] = fw_ram_read(ctx, fw_system_address(ctx) + 4u * i);
  fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
}

void fw_read_buffer(struct fw_context* ctx, const struct fw_command* command) {
  fw_pages_send(ctx, command, build_buffer, 0, 0, 1u);
}

void fw_write_buffer(struct fw_context* ctx, const struct fw_command* command) {
  fw_page_take(ctx, command, take_buffer);
}
