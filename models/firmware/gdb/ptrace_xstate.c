// Loaded into gdb with LD_PRELOAD, so that gdb can call functions of the program on processors with AMX.
//
// gdb 13 (Debian 12) writes back the extended registers (SSE, AVX, ...) in a buffer that ends before those of AMX.
// Linux takes the whole state or none ("Couldn't write extended state status: Bad address"). Here the rest of the state
// is what it was. gdb 14 does this itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

typedef long (*ptrace_function)(int, pid_t, void*, void*);

long ptrace(enum __ptrace_request request, ...) {
  static ptrace_function next;
  if (!next) next = (ptrace_function)dlsym(RTLD_NEXT, "ptrace");
  va_list arguments;
  va_start(arguments, request);
  const pid_t process = va_arg(arguments, pid_t);
  void* const address = va_arg(arguments, void*);
  void* const data = va_arg(arguments, void*);
  va_end(arguments);
  if (request == PTRACE_SETREGSET && (size_t)address == NT_X86_XSTATE) {
    unsigned char state[1 << 16];
    const struct iovec* const given = data;
    struct iovec whole = {state, sizeof state};
    if (next(PTRACE_GETREGSET, process, address, &whole) == 0 && whole.iov_len > given->iov_len) {
      memcpy(state, given->iov_base, given->iov_len);
      return next(PTRACE_SETREGSET, process, address, &whole);
    }
  }
  return next(request, process, address, data);
}
