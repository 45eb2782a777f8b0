#include "firmware_watch.h"

#include "armature/controller/handler_processor.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>

namespace armature::app {
namespace {

using controller::HandlerProcessor;

constexpr int kTickSeconds = 1;   // of processor time
constexpr int kTicksOfACall = 5;  // a handler takes microseconds
volatile std::uint64_t seen_call = 0;
volatile int ticks_of_call = 0;

void say(const char* text) {
  const ssize_t ignored = write(STDERR_FILENO, text, std::strlen(text));
  (void)ignored;
}

/// Only what a signal's handler may do.
void tick(int) {
  const HandlerProcessor::Call& call = HandlerProcessor::call();
  const auto* const processor = const_cast<const char*>(call.processor);
  if (!processor || call.number != seen_call) {
    seen_call = call.number;
    ticks_of_call = 0;
    return;
  }
  ticks_of_call = ticks_of_call + 1;
  if (ticks_of_call < kTicksOfACall) return;
  say("\n");
  say(processor);
  say(": the handler ");
  say(HandlerProcessor::handler_name(call.cause));
  say(" does not return: five seconds of processor time and no end. The results are not complete. "
      "`armature gdb SCENARIO` shows where it is: interrupt it there.\n");
  _exit(1);
}

void arm(int seconds) {
  itimerval timer{};
  timer.it_interval.tv_sec = seconds;
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

FirmwareWatch::FirmwareWatch() {
  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  ticks_of_call = 0;
  arm(kTickSeconds);
}

FirmwareWatch::~FirmwareWatch() {
  arm(0);
  std::signal(SIGPROF, SIG_DFL);
}

}  // namespace armature::app
