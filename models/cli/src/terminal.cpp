#include "armature/cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace armature::cli {

bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

int terminal_width(std::FILE* stream, int otherwise) {
  winsize size{};
  if (is_terminal(stream) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* const columns = std::getenv("COLUMNS"))
    if (const int width = std::atoi(columns); width > 0) return width;
  return otherwise;
}

std::string short_count(double count) {
  if (count < 1000) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.{}f} k", count / 1e3, count < 1e5 ? 1 : 0);
  return fmt::format("{:.{}f} M", count / 1e6, count < 1e8 ? 1 : 0);
}

}  // namespace armature::cli
