// The exact answer: each of its four cases, at their edges.
#include "tools/trommel/commands/exact_dedup.h"

#include <string_view>
#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

struct Occurrence {
  std::string_view key;
  uint64_t time;
  bool was_printed;
};

ExactDedup Replay(uint64_t window, uint64_t tolerance, const std::vector<Occurrence>& occurrences) {
  ExactDedup exact(window, tolerance);
  for (const Occurrence& one : occurrences) {
    const std::vector<std::string_view> keys = {one.key};
    exact.Add(keys, std::vector<uint64_t>{one.time},
              std::vector<uint64_t>{one.was_printed ? uint64_t{1} : 0});
  }
  return exact;
}

TEST_CASE("without a window only first occurrences count", "[tools][exact_dedup]") {
  ExactDedup exact;
  const std::vector<uint64_t> keys = {1, 2, 1, 3, 2, 3, 4};
  exact.Add(keys, {}, std::vector<uint64_t>{0b1010011});  // 3 is lost, 2 is printed twice... and 4
  CHECK(exact.num_new() == 4);
  CHECK(exact.num_wrongly_suppressed() == 1);
  CHECK(exact.num_wrongly_printed() == 1);
}

TEST_CASE("within the window a repetition must be suppressed", "[tools][exact_dedup]") {
  CHECK(Replay(100, 10, {{"a", 5, true}, {"a", 104, true}}).num_wrongly_printed() == 1);
  CHECK(Replay(100, 10, {{"a", 5, true}, {"a", 104, false}}).num_wrongly_printed() == 0);
  CHECK(Replay(100, 10, {{"a", 5, true}, {"a", 105, true}}).num_wrongly_printed() == 0);
}

TEST_CASE("beyond the tolerance a key must be printed again", "[tools][exact_dedup]") {
  CHECK(Replay(100, 10, {{"a", 5, true}, {"a", 114, false}}).num_wrongly_suppressed() == 0);
  CHECK(Replay(100, 10, {{"a", 5, true}, {"a", 114, false}}).num_either() == 1);
  CHECK(Replay(100, 10, {{"a", 5, true}, {"a", 115, false}}).num_wrongly_suppressed() == 1);
  CHECK(Replay(100, 10, {{"a", 5, true}, {"a", 115, true}}).num_new() == 2);
}

TEST_CASE("a suppressed repetition does not prolong its key's life", "[tools][exact_dedup]") {
  const ExactDedup exact =
      Replay(100, 10, {{"a", 0, true}, {"a", 99, false}, {"a", 110, false}, {"b", 110, true}});
  CHECK(exact.num_wrongly_suppressed() == 1);
}

TEST_CASE("a lost line is counted once", "[tools][exact_dedup]") {
  const ExactDedup exact =
      Replay(100, 10, {{"a", 0, false}, {"a", 50, false}, {"a", 60, true}, {"a", 61, true}});
  CHECK(exact.num_new() == 1);
  CHECK(exact.num_wrongly_suppressed() == 1);
  CHECK(exact.num_either() == 2);
  CHECK(exact.num_wrongly_printed() == 1);  // of the line printed at 60
}

TEST_CASE("a late key counts as of now", "[tools][exact_dedup]") {
  const ExactDedup exact =
      Replay(100, 0, {{"a", 500, true}, {"b", 100, true}, {"b", 550, true}, {"b", 600, true}});
  CHECK(exact.num_new() == 3);
  CHECK(exact.num_wrongly_printed() == 1);
}

}  // namespace
}  // namespace trommel::tool
