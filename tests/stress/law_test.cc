// The laws in words.
#include "tools/stress/law.h"

#include <set>
#include <string_view>

#include "support/catch.h"

namespace trommel::stress {
namespace {

TEST_CASE("every law has a name and a sentence of its own", "[stress][law]") {
  std::set<std::string_view> names;
  std::set<std::string_view> sentences;
  const auto num_laws = static_cast<size_t>(Law::kEmptyAfterDraining) + 1;
  for (size_t law = 0; law < num_laws; ++law) {
    names.insert(LawName(static_cast<Law>(law)));
    sentences.insert(LawSentence(static_cast<Law>(law)));
  }
  CHECK(names.size() == num_laws);
  CHECK(sentences.size() == num_laws);
  CHECK(names.count("") == 0);
  CHECK(sentences.count("") == 0);
}

TEST_CASE("an event says who did what, when, and the answer", "[stress][law]") {
  CHECK(ThreadName(1, 2) == "writer 1");
  CHECK(ThreadName(2, 2) == "reader 0");
  CHECK(ThreadName(kMainThread, 2) == "main");
  CHECK(ThreadName(kTickerThread, 2) == "ticker");
  Event event{.begin = 10, .end = 12, .thread = 2, .op = Op::kQuery, .batch = 64, .position = 2};
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(EventText(event, 2), ContainsSubstring("10 - 12"));
  CHECK_THAT(EventText(event, 2), ContainsSubstring("reader 0"));
  CHECK_THAT(EventText(event, 2), ContainsSubstring("absent"));
  CHECK_THAT(EventText(event, 2), ContainsSubstring("key 3 of 64"));
  event.op = Op::kInsertIfAbsent;
  event.answer = true;
  CHECK_THAT(EventText(event, 2), ContainsSubstring("insert-if-absent new"));
  event.op = Op::kErase;
  CHECK_THAT(EventText(event, 2), ContainsSubstring("erased"));
}

}  // namespace
}  // namespace trommel::stress
