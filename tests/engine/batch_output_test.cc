// The outputs of a batch must have its size, and must not overlap its inputs: every batch function
// of every type checks it.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/src/keys/key_batches.h"
#include "engine/src/matrix/literal_matrix.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/every_type.h"
#include "trommel/concurrent_filter.h"
#include "trommel/digest.h"
#include "trommel/matrix/matrix.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// 128 keys, and outputs that begin at the last of them.
struct OverlappingSpans {
  std::vector<uint64_t> words = std::vector<uint64_t>(256, 1);

  Keys keys() const { return Keys::Digests(std::span(words).first(128)); }
  std::span<uint64_t> bitmap() { return std::span(words).subspan(127, 2); }
  std::span<uint64_t> counts() { return std::span(words).subspan(127, 128); }
  std::span<uint32_t> selection() { return {reinterpret_cast<uint32_t*>(words.data() + 127), 128}; }
};

// Every batch call that the filter has, with spans for which it ends the program with the message.
template <class Filter>
void CheckCallsEnd(Filter& filter, Keys keys, std::span<uint64_t> bitmap,
                   std::span<uint64_t> counts, std::span<uint32_t> selection,
                   const std::string& message) {
  const auto refuses = [&](const auto& call) {
    CHECK_THAT(AbortMessage(call), ContainsSubstring(message));
  };
  if constexpr (requires { filter.InsertIfAbsent(keys, bitmap); }) {
    refuses([&] { filter.InsertIfAbsent(keys, bitmap); });
  }
  if constexpr (requires { filter.Insert(keys, bitmap); }) {
    refuses([&] { filter.Insert(keys, bitmap); });
  }
  if constexpr (requires { filter.Erase(keys, bitmap); }) {
    refuses([&] { filter.Erase(keys, bitmap); });
  }
  if constexpr (requires { filter.Erase(keys, uint64_t{0}, bitmap); }) {
    refuses([&] { filter.Erase(keys, uint64_t{0}, bitmap); });
  }
  if constexpr (requires { filter.Select(keys, Answer::kAbsent, selection); }) {
    refuses([&] { (void)filter.Select(keys, Answer::kAbsent, selection); });
  }
  if constexpr (requires { filter.CountEstimates(keys, counts); }) {
    refuses([&] { filter.CountEstimates(keys, counts); });
  }
  refuses([&] { (void)filter.Query(keys, bitmap); });
}

template <class Filter>
void CheckKeyBatches(Filter& filter) {
  OverlappingSpans spans;
  CheckCallsEnd(filter, spans.keys(), spans.bitmap(), spans.counts(), spans.selection(), "overlap");
  // Adjacent is not overlapping.
  const Keys keys = Keys::Digests(std::span(spans.words).first(127));
  CHECK(AbortMessage([&] { (void)filter.Query(keys, spans.bitmap()); }) == "survived");

  const std::vector<uint64_t> digests(65, 1);
  std::vector<uint64_t> words(66);
  std::vector<uint32_t> selection(64);
  CheckCallsEnd(filter, Keys::Digests(digests), std::span(words).first(1), words, selection,
                "of another size");
}

// Two columns; the second one overlaps the outputs.
template <class Index>
void CheckTupleBatches(Index& index) {
  OverlappingSpans spans;
  const std::vector<uint64_t> apart(128, 1);
  const auto refuses = [&](const auto& call) {
    CHECK_THAT(AbortMessage(call), ContainsSubstring("overlap"));
  };
  Tuples tuples;
  tuples.columns[0] = apart.data();
  tuples.columns[1] = spans.words.data();
  tuples.size = apart.size();
  refuses([&] { (void)index.Query(0b10, tuples, spans.bitmap()); });
  CHECK(AbortMessage([&] { (void)index.Query(0b01, tuples, spans.bitmap()); }) == "survived");
  std::vector<AttributeMask> queried(tuples.size, 0b01);
  refuses([&] { (void)index.QueryEach(queried, tuples, spans.bitmap()); });
  tuples.columns[1] = nullptr;
  const std::span<uint64_t> over_queried(reinterpret_cast<uint64_t*>(queried.data()), 2);
  refuses([&] { (void)index.QueryEach(queried, tuples, over_queried); });
  tuples.columns[1] = spans.words.data();
  if constexpr (requires { index.Insert(tuples, spans.bitmap()); }) {
    refuses([&] { index.Insert(tuples, spans.bitmap()); });
    refuses([&] { index.Erase(tuples, spans.bitmap()); });
    refuses([&] { index.CountEstimates(0b10, tuples, spans.counts()); });
    refuses([&] { Index::ProjectionDigests(0b11, tuples, spans.counts()); });
  }
}

}  // namespace

TEST_CASE("an output that overlaps the keys, or is of another size, is refused by every type",
          "[engine][batch_output]") {
  for (NamedFilter& one : EveryType()) {
    INFO(one.name);
    OnType(*one.filter, [](auto& filter) {
      if constexpr (requires { filter.num_tuples(); }) {
        CheckTupleBatches(filter);
      } else {
        CheckKeyBatches(filter);
      }
    });
  }
  ConcurrentFilter concurrent = *ConcurrentFilter::Create({.capacity = 100});
  CheckKeyBatches(concurrent);
  const AttributeSets sets = *AttributeSets::Create(2);
  auto literal = *matrix::LiteralMatrix::Create(sets, std::vector<uint64_t>{10, 10}, 2);
  CheckTupleBatches(literal);
}

TEST_CASE("digests must not overlap their keys, even exactly", "[engine][batch_output]") {
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

TEST_CASE("overlap of strings and views is that of their arrays, not of their characters",
          "[engine][batch_output]") {
  const std::vector<std::string> strings(3, "a");
  const std::vector<std::string_view> views(5, "b");
  CHECK(Keys(strings).array().size() == 3 * sizeof(std::string));
  CHECK(Keys(views).array().size() == 5 * sizeof(std::string_view));
  CHECK(Keys::Int32(std::span<const uint32_t>()).array().empty());
  CHECK_FALSE(ShareBytes(Keys(strings).array(), Keys(views).array()));
  CHECK(ShareBytes(Keys(strings).array(), Keys(strings).array()));
  CHECK_FALSE(ShareBytes({}, Keys(strings).array()));
}

}  // namespace trommel::tests
