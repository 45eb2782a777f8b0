#include "armature/controller/native_guard.h"

#include "armature/controller/processor.h"
#include "native_frames.h"

#include <execinfo.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace armature::controller {
namespace {

constexpr int kTicksOfACall = 2;  // seconds of processor time; a handler takes microseconds
constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr std::uintptr_t kNoLimit = 0;
constexpr std::uintptr_t kLeave = UINTPTR_MAX;
constexpr std::uintptr_t kFirstPage = 4096;
constexpr std::size_t kSignalStackBytes = 256 * 1024;
// Handlers use less than 3 KiB (-O2), as an ELF they have 16 KiB. Sanitizers make frames some ten times larger.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uintptr_t kStackBytes = 1024 * 1024;
#else
constexpr std::uintptr_t kStackBytes = 32 * 1024;
#endif

enum class End { none, left, crash, endless, stack, context };

/// What a signal's handler must reach: one thread simulates, and calls do not nest.
struct Current {
  volatile std::uintptr_t lowest = kNoLimit;  ///< an access from a frame below it does not come about
  volatile bool in_firmware = false;          ///< C code of firmware is at work
  volatile bool leaving = false;
  std::uintptr_t base = 0;  ///< frame of the call; 0: none is under way
  const fw_context* context = nullptr;
  volatile bool unwinding = false;  ///< a crash now is one of the unwinder's, on a stack that is spoilt
  sigjmp_buf back;
  volatile std::uint64_t number = 0;
  End end = End::none;
  int signal = 0;
  std::uintptr_t address = 0;  ///< of the access that failed
  bool address_known = false;  ///< the processor does not tell one that cannot be
  bool write = false, fetch = false;
  bool place_known = false;  ///< frames[] are those of the end
  std::array<void*, 48> frames{};
  int frame_count = 0;
};
thread_local Current current;

std::uint64_t seen_call = 0;
int ticks_of_call = 0;

/// From the instruction at `pc` on outwards: what the unwinder finds above the signal's frame.
/// @param returns  `pc` is a return address; those are looked up one byte before
void keep_frames(std::uintptr_t pc, bool returns) {
  current.frames[0] = reinterpret_cast<void*>(returns ? pc : pc + 1);
  current.frame_count = 1;
  current.place_known = true;
  std::array<void*, 64> all;
  current.unwinding = true;
  const int count = backtrace(all.data(), static_cast<int>(all.size()));
  current.unwinding = false;
  void** const end = all.data() + count;
  void** frame = std::find(all.data(), end, reinterpret_cast<void*>(pc));
  while (frame != end && ++frame != end && current.frame_count < static_cast<int>(current.frames.size()))
    current.frames[static_cast<std::size_t>(current.frame_count++)] = *frame;
}

struct Registers {
  std::uintptr_t pc = 0, sp = 0;
  bool write = false;
};

Registers registers_of(const ucontext_t& context) {
  Registers found;
#if defined(__x86_64__)
  const greg_t* const regs = context.uc_mcontext.gregs;
  found.pc = static_cast<std::uintptr_t>(regs[REG_RIP]);
  found.sp = static_cast<std::uintptr_t>(regs[REG_RSP]);
  found.write = (regs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
  found.pc = context.uc_mcontext.pc;
  found.sp = context.uc_mcontext.sp;
#else
  (void)context;
#endif
  return found;
}

/// A jump has led to where no code is. Makes it as if what was jumped to had returned at once: then the unwinder finds
/// who jumped. Returns the address behind the jump.
std::uintptr_t return_from_nowhere(ucontext_t& context, const Registers& at) {
#if defined(__x86_64__)
  greg_t* const regs = context.uc_mcontext.gregs;
  if (at.sp >= current.base || current.base - at.sp > kStackBytes) return at.pc;
  std::memcpy(&regs[REG_RIP], reinterpret_cast<const void*>(at.sp), sizeof regs[REG_RIP]);
  regs[REG_RSP] += static_cast<greg_t>(sizeof(void*));
  return static_cast<std::uintptr_t>(regs[REG_RIP]);
#elif defined(__aarch64__)
  context.uc_mcontext.pc = context.uc_mcontext.regs[30];
  return context.uc_mcontext.pc;
#else
  (void)context;
  return at.pc;
#endif
}

[[noreturn]] void jump_back(End end) {
  current.end = end;
  current.in_firmware = false;
  siglongjmp(current.back, 1);
}

std::array<struct sigaction, kCrashes.size()> before;

/// Somebody else's crash: what was there before gets it, at the same instruction again.
void hand_on(int signal) {
  for (std::size_t i = 0; i < kCrashes.size(); ++i)
    if (kCrashes[i] == signal) sigaction(signal, &before[i], nullptr);
}

void crashed(int signal, siginfo_t* info, void* context) {
  if (current.unwinding) {
    current.unwinding = false;
    jump_back(current.end);
  }
  if (!current.in_firmware || info->si_code == SI_USER || info->si_code == SI_TKILL) {
    hand_on(signal);
    if (info->si_code == SI_USER || info->si_code == SI_TKILL) raise(signal);
    return;
  }
  current.in_firmware = false;  // whatever fails from here on is no mistake of firmware's
  auto& registers = *static_cast<ucontext_t*>(context);
  const Registers at = registers_of(registers);
  current.signal = signal;
  current.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  current.address_known = info->si_code > 0 && info->si_code != SI_KERNEL;
  current.write = at.write;
  current.fetch = signal == SIGSEGV && current.address_known && current.address == at.pc;
  const bool near = current.address + 65'536 > at.sp && current.address < at.sp + 65'536;
  const bool overflow = (signal == SIGSEGV || signal == SIGBUS) && near && at.sp + kStackBytes < current.base;
  current.end = overflow ? End::stack : End::crash;
  keep_frames(current.fetch ? return_from_nowhere(registers, at) : at.pc, current.fetch);
  jump_back(current.end);
}

/// Each second of processor time.
void tick(int, siginfo_t*, void* context) {
  if (current.base == 0 || current.number != seen_call) {
    seen_call = current.number;
    ticks_of_call = 0;
    return;
  }
  if (++ticks_of_call < kTicksOfACall) return;
  current.end = End::endless;
  if (!current.in_firmware) {  // inside of a model: at the next access
    current.lowest = kLeave;
    return;
  }
  const Registers at = registers_of(*static_cast<const ucontext_t*>(context));
  current.in_firmware = false;
  keep_frames(at.pc, false);
  jump_back(End::endless);
}

std::string what_crashed() {
  const bool null = current.address < kFirstPage;
  switch (current.signal) {
    case SIGFPE:
      return "a division by zero, or one whose result is too large";
    case SIGILL:
    case SIGTRAP:
      return "an illegal instruction; builds for debugging stop so at undefined behaviour (an index out of bounds, an "
             "overflow, a wrong shift, a null pointer, a division by zero)";
    default:
      break;
  }
  if (current.fetch)
    return fmt::format("a jump to {:#x}, {}", current.address, null ? "a null pointer" : "where there is no code");
  if (!current.address_known) return "an access to an address that cannot be";
  return fmt::format("{} at {:#x}, {}", current.write ? "a write" : "a read", current.address,
                     null ? "a null pointer" : "which is not firmware's memory, or must not be written");
}

std::string text_of_end() {
  switch (current.end) {
    case End::none:
    case End::left:
      return {};
    case End::crash:
      return what_crashed();
    case End::endless:
      return fmt::format("it does not return within {} seconds of processor time", kTicksOfACall);
    case End::stack:
      return "its stack overflows: it calls itself without an end, or its arrays are too large";
    case End::context:
      return "an access to a register with a context that is not the drive's";
  }
  return {};
}

/// An access from too far below, with a wrong context, or one that must not come about any more.
[[gnu::noinline, gnu::cold]] void refuse_access(bool wrong_context) {
  current.in_firmware = false;
  if (wrong_context) {
    current.end = End::context;
  } else if (current.lowest != kLeave) {
    current.end = End::stack;
  } else if (current.end == End::none) {
    jump_back(End::left);  // its place was told when it was ordered
  }
  current.frame_count = backtrace(current.frames.data(), static_cast<int>(current.frames.size()));
  current.place_known = true;
  jump_back(current.end);
}

void call(fw_context* context, unsigned cause) {
  switch (cause) {
    case HandlerObserver::kReset:
      return fw_reset(context);
    case HandlerObserver::kIdle:
      return fw_idle(context);
    default:
      return fw_isr(context, cause);
  }
}

void timer(int seconds) {
  itimerval interval{};
  interval.it_interval.tv_sec = seconds;
  interval.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &interval, nullptr);
}

std::unique_ptr<std::byte[]> signal_stack;
stack_t stack_before;

}  // namespace

NativeGuard::NativeGuard() {
  std::array<void*, 2> unused;
  backtrace(unused.data(), 2);  // loads what it needs now, not in a signal's handler
  signal_stack = std::make_unique<std::byte[]>(kSignalStackBytes);
  stack_t stack{};
  stack.ss_sp = signal_stack.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, &stack_before);
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = crashed;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) sigaction(kCrashes[i], &action, &before[i]);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.sa_sigaction = tick;
  sigaction(SIGPROF, &action, nullptr);
  ticks_of_call = 0;
  timer(1);
}

NativeGuard::~NativeGuard() {
  timer(0);
  std::signal(SIGPROF, SIG_DFL);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) sigaction(kCrashes[i], &before[i], nullptr);
  sigaltstack(&stack_before, nullptr);
  signal_stack.reset();
}

std::string NativeCall::make(fw_context* context, unsigned cause) {
  struct UnderWay {  // to the end of the call, also if a model throws
    ~UnderWay() {
      current.in_firmware = false;
      current.base = 0;
      current.lowest = kNoLimit;
    }
  } const under_way;
  current.end = End::none;
  current.place_known = false;
  current.base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  current.lowest = current.base - kStackBytes;
  current.context = context;
  current.number = current.number + 1;
  if (sigsetjmp(current.back, 0) == 0) {  // the mask of signals is needed only after a crash
    current.in_firmware = true;
    call(context, cause);
    return {};
  }
  sigset_t blocked;  // by the signal whose handler has been left
  sigemptyset(&blocked);
  for (const int signal : kCrashes) sigaddset(&blocked, signal);
  sigaddset(&blocked, SIGPROF);
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  return text_of_end();
}

void NativeCall::leave_soon() {
  if (current.base != 0) current.lowest = kLeave;
}

void NativeCall::access_begins(const fw_context* context) {
  const bool wrong_context = context != current.context && current.base != 0;
  if (wrong_context || reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < current.lowest)
    refuse_access(wrong_context);
  current.in_firmware = false;
}

void NativeCall::access_ends() {
  current.in_firmware = true;
}

std::string native_place() {
  if (!current.place_known) {
    if (current.base == 0) return {};
    current.frame_count = backtrace(current.frames.data(), static_cast<int>(current.frames.size()));
  }
  return firmware_frames(current.frames.data(), current.frame_count);
}

}  // namespace armature::controller
