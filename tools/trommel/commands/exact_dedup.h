// ExactDedup: the exact answer beside a filter's, to count what the filter got wrong. It stores
// every key, so it takes the memory that the filter saves.
//
// Of a key that was printed at time t, an occurrence
//
//   before t + window                          is a repetition, and must be suppressed
//   from t + window + tolerance on             is new, and must be printed
//   between                                    may be either: the bucket expires as a whole
//
// A new occurrence that is suppressed is lost. Until a window later the key's next ones are
// repetitions of a lost line, and may be either.
#ifndef TROMMEL_TOOLS_EXACT_DEDUP_H_
#define TROMMEL_TOOLS_EXACT_DEDUP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tools/trommel/output/report.h"
#include "trommel/keys.h"

namespace trommel::tool {

class ExactDedup {
 public:
  // Without a window no key expires.
  static constexpr uint64_t kForever = ~uint64_t{0};

  explicit ExactDedup(uint64_t window = kForever, uint64_t tolerance = 0)
      : window_(window), tolerance_(tolerance) {}

  // The next keys (64-bit integers or views), with their times if there is a window, and what
  // happened to them: bit i of `printed`.
  void Add(Keys keys, std::span<const uint64_t> times, std::span<const uint64_t> printed);

  uint64_t num_new() const noexcept { return num_new_; }  // that had to be printed
  uint64_t num_wrongly_suppressed() const noexcept { return num_wrongly_suppressed_; }
  uint64_t num_wrongly_printed() const noexcept { return num_wrongly_printed_; }
  uint64_t num_either() const noexcept { return num_either_; }  // within the tolerance, or lost

  void Describe(Report& report) const;

 private:
  struct Seen {
    uint64_t time = 0;
    bool is_lost = false;
  };
  struct HashOfView {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };

  void AddOne(std::string_view key, bool was_printed);

  const uint64_t window_;
  const uint64_t tolerance_;
  uint64_t now_ = 0;
  std::unordered_map<std::string, Seen, HashOfView, std::equal_to<>> seen_;
  uint64_t num_new_ = 0;
  uint64_t num_wrongly_suppressed_ = 0;
  uint64_t num_wrongly_printed_ = 0;
  uint64_t num_either_ = 0;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_EXACT_DEDUP_H_
