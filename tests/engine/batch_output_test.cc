// What a batch writes must lie apart from what it reads: every batch function of every type says
// so.
#include "engine/src/keys/batch_output.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/catch.h"
#include "support/death.h"
#include "support/every_type.h"
#include "trommel/concurrent_filter.h"
#include "trommel/digest.h"
#include "trommel/matrix/literal_matrix.h"
#include "trommel/matrix/matrix.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// Keys in front, and an output of as many words that begins at the last of them.
struct Room {
  std::vector<uint64_t> words = std::vector<uint64_t>(256, 1);

  Keys keys() const { return Keys::Digests(std::span(words).first(128)); }
  std::span<uint64_t> bitmap() { return std::span(words).subspan(127, 2); }
  std::span<uint64_t> counts() { return std::span(words).subspan(127, 128); }
  std::span<uint32_t> selection() { return {reinterpret_cast<uint32_t*>(words.data() + 127), 128}; }
};

// Each of these calls that the filter has.
template <class Filter>
void CheckKeyBatches(Filter& filter) {
  Room room;
  const auto refuses = [&](const auto& call) {
    CHECK_THAT(AbortMessage(call), ContainsSubstring("overlap"));
  };
  if constexpr (requires { filter.InsertIfAbsent(room.keys(), room.bitmap()); }) {
    refuses([&] { filter.InsertIfAbsent(room.keys(), room.bitmap()); });
  }
  if constexpr (requires { filter.Insert(room.keys(), room.bitmap()); }) {
    refuses([&] { filter.Insert(room.keys(), room.bitmap()); });
  }
  if constexpr (requires { filter.Erase(room.keys(), room.bitmap()); }) {
    refuses([&] { filter.Erase(room.keys(), room.bitmap()); });
  }
  if constexpr (requires { filter.Erase(room.keys(), uint64_t{0}, room.bitmap()); }) {
    refuses([&] { filter.Erase(room.keys(), uint64_t{0}, room.bitmap()); });
  }
  if constexpr (requires { filter.Query(room.keys(), room.bitmap(), 1U); }) {
    refuses([&] { (void)filter.Query(room.keys(), room.bitmap(), 1U); });
  }
  if constexpr (requires { filter.QueryFirst(room.keys(), 1U, room.bitmap()); }) {
    refuses([&] { (void)filter.QueryFirst(room.keys(), 1U, room.bitmap()); });
  }
  if constexpr (requires { filter.Select(room.keys(), Answer::kAbsent, room.selection()); }) {
    refuses([&] { (void)filter.Select(room.keys(), Answer::kAbsent, room.selection()); });
  }
  if constexpr (requires { filter.CountEstimates(room.keys(), room.counts()); }) {
    refuses([&] { filter.CountEstimates(room.keys(), room.counts()); });
  }
  refuses([&] { (void)filter.Query(room.keys(), room.bitmap()); });
  // Side by side is apart.
  const Keys keys = Keys::Digests(std::span(room.words).first(127));
  CHECK(AbortMessage([&] { (void)filter.Query(keys, room.bitmap()); }) == "survived");
}

// Two columns; the second one overlaps the outputs.
template <class Index>
void CheckTupleBatches(Index& index) {
  Room room;
  const std::vector<uint64_t> apart(128, 1);
  const auto refuses = [&](const auto& call) {
    CHECK_THAT(AbortMessage(call), ContainsSubstring("overlap"));
  };
  Tuples tuples;
  tuples.columns[0] = apart.data();
  tuples.columns[1] = room.words.data();
  tuples.size = apart.size();
  refuses([&] { (void)index.Query(0b10, tuples, room.bitmap()); });
  CHECK(AbortMessage([&] { (void)index.Query(0b01, tuples, room.bitmap()); }) == "survived");
  std::vector<AttributeMask> asked(tuples.size, 0b01);
  refuses([&] { (void)index.QueryEach(asked, tuples, room.bitmap()); });
  tuples.columns[1] = nullptr;
  const std::span<uint64_t> over_asked(reinterpret_cast<uint64_t*>(asked.data()), 2);
  refuses([&] { (void)index.QueryEach(asked, tuples, over_asked); });
  tuples.columns[1] = room.words.data();
  if constexpr (requires { index.Insert(tuples, room.bitmap()); }) {
    refuses([&] { index.Insert(tuples, room.bitmap()); });
    refuses([&] { index.Erase(tuples, room.bitmap()); });
    refuses([&] { index.CountEstimates(0b10, tuples, room.counts()); });
    refuses([&] { Index::ProjectionDigests(0b11, tuples, room.counts()); });
  }
}

}  // namespace

TEST_CASE("an output that overlaps the keys is refused, by every type", "[engine][batch_output]") {
  for (NamedFilter& one : EveryType()) {
    INFO(one.name);
    std::visit(
        [](auto& filter) {
          if constexpr (requires { filter.num_tuples(); }) {
            CheckTupleBatches(filter);
          } else {
            CheckKeyBatches(filter);
          }
        },
        one.filter);
  }
  ConcurrentFilter concurrent = *ConcurrentFilter::Create({.capacity = 100});
  CheckKeyBatches(concurrent);
  const AttributeSets sets = *AttributeSets::Create(2);
  auto literal = *matrix::LiteralMatrix::Create(sets, std::vector<uint64_t>{10, 10}, 2);
  CheckTupleBatches(literal);
}

TEST_CASE("digests must not overlap their keys, nor replace them", "[engine][batch_output]") {
  std::vector<uint64_t> words(130, 1);
  const auto message = [&](const Keys& keys, size_t first) {
    const auto digests = std::span(words).subspan(first, keys.size());
    return AbortMessage([&] { DigestPolicy().Digests(keys, digests); });
  };
  const std::span<const uint64_t> keys = std::span(words).first(65);
  CHECK_THAT(message(keys, 0), ContainsSubstring("overlap"));
  CHECK_THAT(message(keys, 64), ContainsSubstring("overlap"));
  CHECK(message(keys, 65) == "survived");
  const auto* narrow = reinterpret_cast<const uint32_t*>(words.data());
  CHECK_THAT(message(Keys::Int32(std::span(narrow, 65)), 32), ContainsSubstring("overlap"));
  CHECK(message(Keys::Int32(std::span(narrow, 65)), 33) == "survived");
}

TEST_CASE("the arrays of strings and views are keys, their characters are not looked at",
          "[engine][batch_output]") {
  const std::vector<std::string> strings(3, "a");
  const std::vector<std::string_view> views(5, "b");
  CHECK(ArrayOf(strings).size() == 3 * sizeof(std::string));
  CHECK(ArrayOf(views).size() == 5 * sizeof(std::string_view));
  CHECK(ArrayOf(Keys::Int32(std::span<const uint32_t>())).empty());
  CHECK_FALSE(ShareBytes(ArrayOf(strings), ArrayOf(views)));
  CHECK(ShareBytes(ArrayOf(strings), ArrayOf(strings)));
  CHECK_FALSE(ShareBytes({}, ArrayOf(strings)));
}

}  // namespace trommel::tests
