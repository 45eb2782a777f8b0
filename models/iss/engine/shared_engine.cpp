#include "shared_engine.h"

#include "armature/regs/soc.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <map>
#include <new>
#include <stdexcept>
#include <utility>

namespace armature::iss {
namespace {

namespace soc = regs::soc;

/// What a page table of x86-64 covers: pages of a memory that is aligned so are moved by moving one pointer.
constexpr std::size_t kMemoryBytes = 2u << 20;
static_assert(soc::kDataMaxBytes <= kMemoryBytes);
/// What Unicorn 2.0.1 takes for translated code; without it, it ends the process.
constexpr std::size_t kTranslationBytes = std::size_t{1} << 30;

/// Address space that is aligned to its size, without memory yet.
std::uint8_t* reserve(int protection) {
  void* const all = mmap(nullptr, 2 * kMemoryBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::uint8_t*>(all);
  const std::size_t before = (kMemoryBytes - reinterpret_cast<std::uintptr_t>(begin) % kMemoryBytes) % kMemoryBytes;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + kMemoryBytes, kMemoryBytes - before);
  madvise(begin + before, kMemoryBytes, MADV_NOHUGEPAGE);  // firmware uses less than half of one
  return begin + before;
}

/// Takes the pages of one place to another, which must be reserved; the first one has none any more.
void move(std::uint8_t* from, std::uint8_t* to) {
  if (mremap(from, kMemoryBytes, kMemoryBytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) throw std::bad_alloc();
}

}  // namespace

void check(uc_err error, const char* doing) {
  if (error != UC_ERR_OK)
    throw std::runtime_error(fmt::format("instruction-set simulator: {}: {}", doing, uc_strerror(error)));
}

std::shared_ptr<SharedEngine> SharedEngine::of(const std::shared_ptr<const Image>& image) {
  static std::map<const Image*, std::weak_ptr<SharedEngine>> known;
  std::weak_ptr<SharedEngine>& place = known[image.get()];
  std::shared_ptr<SharedEngine> engine = place.lock();
  if (!engine) {
    engine = std::make_shared<SharedEngine>(image);
    place = engine;
  }
  return engine;
}

SharedEngine::SharedEngine(std::shared_ptr<const Image> image) : image_(std::move(image)) {
  void* const room = mmap(nullptr, kTranslationBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, kTranslationBytes);
  window_ = reserve(PROT_READ | PROT_WRITE);
  check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_), "start");
  try {
    start();
  } catch (...) {
    uc_close(engine_);
    munmap(window_, kMemoryBytes);
    throw;
  }
}

SharedEngine::~SharedEngine() {
  uc_context_free(power_on_);
  uc_close(engine_);
  munmap(window_, kMemoryBytes);
}

void SharedEngine::start() {
  for (const Image::Pages& pages : image_->code_pages()) {
    auto* const code = const_cast<std::uint8_t*>(image_->code(pages.address));  // nobody may write to it
    check(uc_mem_map_ptr(engine_, pages.address, pages.bytes, UC_PROT_READ | UC_PROT_EXEC, code), "code memory");
  }
  check(uc_mem_map_ptr(engine_, soc::kDataBase, soc::kDataMaxBytes, UC_PROT_READ | UC_PROT_WRITE, window_),
        "data memory");
  constexpr std::uint64_t kBusBytes = (std::uint64_t{1} << 32) - soc::kHifBase;
  check(uc_mmio_map(engine_, soc::kHifBase, kBusBytes, on_read, this, on_write, this), "bus");
  hook(UC_HOOK_INTR, reinterpret_cast<void*>(on_exception));
  hook(UC_HOOK_MEM_INVALID, reinterpret_cast<void*>(on_bad_access));
  check(uc_context_alloc(engine_, &power_on_), "registers");
  check(uc_context_save(engine_, power_on_), "registers");
}

void SharedEngine::hook(int type, void* function) {
  uc_hook handle;
  check(uc_hook_add(engine_, &handle, type, function, this, 1, 0), "hook");
}

std::uint64_t SharedEngine::on_read(uc_engine*, std::uint64_t offset, unsigned bytes, void* self) {
  const auto address = static_cast<std::uint32_t>(soc::kHifBase + offset);
  return static_cast<SharedEngine*>(self)->current_->guest_.bus_read(address, bytes);
}

void SharedEngine::on_write(uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t word, void* self) {
  const auto address = static_cast<std::uint32_t>(soc::kHifBase + offset);
  static_cast<SharedEngine*>(self)->current_->guest_.bus_write(address, bytes, static_cast<std::uint32_t>(word));
}

void SharedEngine::on_exception(uc_engine*, std::uint32_t cause, void* self) {
  static_cast<SharedEngine*>(self)->current_->guest_.exception(cause);
}

bool SharedEngine::on_bad_access(uc_engine*, uc_mem_type type, std::uint64_t address, int bytes, std::int64_t,
                                 void* self) {
  static_cast<SharedEngine*>(self)->current_->guest_.bad_access(type, static_cast<std::uint32_t>(address), bytes);
  return false;
}

uc_engine* SharedEngine::take_turn(Seat& seat) {
  if (current_ == &seat) return engine_;
  if (current_) end_turn();
  move(seat.memory_, window_);
  // Or something else might lie there when the memory comes back.
  if (mmap(seat.memory_, kMemoryBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
      MAP_FAILED)
    throw std::bad_alloc();
  check(uc_context_restore(engine_, seat.registers_), "registers");
  current_ = &seat;
  return engine_;
}

void SharedEngine::end_turn() {
  check(uc_context_save(engine_, current_->registers_), "registers");
  move(window_, current_->memory_);
  current_ = nullptr;
  if (mmap(window_, kMemoryBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
      MAP_FAILED)
    throw std::bad_alloc();
}

/// Of a machine that is no more.
void SharedEngine::leave(const Seat& seat) {
  if (current_ == &seat) end_turn();
  munmap(seat.memory_, kMemoryBytes);
}

SharedEngine::Seat::Seat(SharedEngine& engine, Guest& guest)
    : engine_(engine), guest_(guest), memory_(reserve(PROT_READ | PROT_WRITE)) {
  if (uc_context_alloc(engine_.engine_, &registers_) != UC_ERR_OK) {
    munmap(memory_, kMemoryBytes);
    throw std::bad_alloc();
  }
  // The simulator has no way to copy a context: whoever has the turn goes, and comes back.
  if (engine_.current_) engine_.end_turn();
  check(uc_context_restore(engine_.engine_, engine_.power_on_), "registers");
  check(uc_context_save(engine_.engine_, registers_), "registers");
}

SharedEngine::Seat::~Seat() {
  engine_.leave(*this);
  uc_context_free(registers_);
}

}  // namespace armature::iss
