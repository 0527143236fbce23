// Progress on a terminal: carriage return, text, erase to the end of the line.
#include "tools/trommel/output/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr std::chrono::milliseconds kBetweenDraws(100);

// A terminal that can erase to the end of a line.
bool IsTerminal() {
  const char* const name = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && name != nullptr && std::string_view(name) != "dumb";
}

// A line that wraps could not be drawn over.
size_t MostColumns() {
  winsize size = {};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col - 1u : 79;
}

}  // namespace

Progress::Progress(std::string_view what, bool quiet, std::optional<uint64_t> total_bytes)
    : what_(what),
      is_shown_(!quiet && IsTerminal()),
      total_bytes_(total_bytes),
      start_(Clock::now()),
      next_draw_(start_ + 3 * kBetweenDraws) {}  // what is done at once needs no progress

Progress::~Progress() { Clear(); }

void Progress::Clear() {
  if (is_drawn_) WriteToStderr("\r\x1b[K");
  is_drawn_ = false;
}

bool Progress::IsDue() {
  if (!is_shown_) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return false;
  next_draw_ = now + kBetweenDraws;
  return true;
}

void Progress::Draw(std::string_view text) {
  if (!is_shown_) return;
  const std::string line = fmt::format("{}: {}", what_, text).substr(0, MostColumns());
  WriteToStderr("\r" + line + "\x1b[K");
  is_drawn_ = true;
}

void Progress::Update(uint64_t num_keys, uint64_t num_bytes, std::string_view noun) {
  if (!IsDue()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string text =
      fmt::format("{} {}, {}/s", FormatCount(num_keys), noun,
                  FormatBytes(static_cast<uint64_t>(static_cast<double>(num_bytes) / seconds)));
  if (total_bytes_ && *total_bytes_ > 0) {
    text += fmt::format(", {} %", std::min<uint64_t>(100, num_bytes * 100 / *total_bytes_));
  }
  Draw(text);
}

void Progress::Steps(uint64_t done, uint64_t total, std::string_view noun) {
  if (IsDue()) Draw(fmt::format("{} of {}", FormatCount(done), FormatCount(total, noun)));
}

}  // namespace trommel::tool
