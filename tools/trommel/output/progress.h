// Progress: one line on a terminal that says how far a pass is. Never in a pipe or a log.
#ifndef TROMMEL_TOOLS_PROGRESS_H_
#define TROMMEL_TOOLS_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trommel::tool {

class Progress {
 public:
  // Silent unless standard error is a terminal, not a dumb one, and `quiet` is false. With
  // total_bytes it shows a percentage. `what` must outlive it: "counting", "querying".
  Progress(std::string_view what, bool quiet, std::optional<uint64_t> total_bytes);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Draws at most ten times per second; costs one clock reading otherwise.
  void Update(uint64_t num_keys, uint64_t num_bytes, std::string_view noun = "keys");
  // "3 of 12 columns", as often.
  void Steps(uint64_t done, uint64_t total, std::string_view noun);

  // For other texts: whether it is time to draw one; drawing it at once, after what
  // it is about; and making room for other lines on the terminal.
  bool IsDue();
  void Draw(std::string_view text);
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  const std::string_view what_;
  const bool is_shown_;
  const std::optional<uint64_t> total_bytes_;
  const Clock::time_point start_;
  Clock::time_point next_draw_;
  bool is_drawn_ = false;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_PROGRESS_H_
