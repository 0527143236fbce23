// Questions over any columns of a table's rows: is there a row with these values?
//
// Rows of connections: source, destination, port. Questions name one, two or all three columns.
// "No" is certain. The pair {source, port} is never asked, so it is cut, which saves its memory; a
// question about it is answered from its parts, with more false positives.
#include <trommel/trommel.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

enum Column : uint32_t { kSource, kDestination, kPort };
constexpr trommel::AttributeMask Set(Column column) { return trommel::AttributeMask{1} << column; }

struct Rows {
  std::vector<std::string> sources = {};
  std::vector<std::string> destinations = {};
  std::vector<uint64_t> ports = {};
};

// 50,000 connections of 1,000 sources to 200 destinations, each destination on its own two ports.
Rows MakeRows() {
  Rows rows;
  for (uint64_t i = 0; i < 50'000; ++i) {
    const uint64_t destination = i * 7 % 200;
    rows.sources.push_back("10.0." + std::to_string(i % 1'000 / 250) + "." +
                           std::to_string(i % 250));
    rows.destinations.push_back("server-" + std::to_string(destination));
    rows.ports.push_back(1'000 + destination * 2 + i % 2);
  }
  return rows;
}

trommel::TupleDigests Digests(const Rows& rows, const trommel::DigestPolicy& policy) {
  trommel::TupleDigests digests(3);
  digests.Set(kSource, rows.sources, policy);
  digests.Set(kDestination, rows.destinations, policy);
  digests.Set(kPort, rows.ports, policy);
  return digests;
}

}  // namespace

int main() {
  const std::vector<trommel::AttributeMask> cuts = {Set(kSource) | Set(kPort)};
  auto created =
      trommel::AttributeFilter::Create({.sets = trommel::AttributeSets::Create(3, cuts).value(),
                                        .names = {"source", "destination", "port"},
                                        .capacity = 50'000,
                                        .num_values = {1'000, 200, 400}});
  if (!created) return std::fprintf(stderr, "%s\n", created.error().message.c_str()), 2;
  trommel::AttributeFilter& filter = *created;

  const Rows rows = MakeRows();
  const trommel::TupleDigests digests = Digests(rows, filter.digest_policy());
  filter.Insert(digests.view());

  const auto ask = [&](const char* question, trommel::AttributeMask set, const Rows& row) {
    const trommel::TupleDigests one = Digests(row, filter.digest_policy());
    std::vector<uint64_t> answer(1);
    filter.Query(set, one.view(), answer);
    std::printf("%-52s %s\n", question, answer[0] != 0 ? "maybe" : "no");
    return answer[0] != 0;
  };
  const Rows known = {{"10.0.0.0"}, {"server-0"}, {1'000}};
  const Rows wrong_port = {{"10.0.0.0"}, {"server-0"}, {1'001 + 2 * 7}};
  bool right = ask("source 10.0.0.0?", Set(kSource), known);
  right &= ask("10.0.0.0 to server-0, port 1000?", filter.sets().full(), known);
  right &= ask("server-0, port 1000?", Set(kDestination) | Set(kPort), known);
  // These have an answer with the filter's rate of false positives: here it is "no".
  right &= !ask("server-0, port 1015?", Set(kDestination) | Set(kPort), wrong_port);

  // Rows leave as exactly as they came.
  const trommel::EraseOutcome erased = filter.Erase(digests.view());
  std::printf("erased %llu of 50,000 rows, %llu are left\n",
              static_cast<unsigned long long>(erased.num_erased),
              static_cast<unsigned long long>(filter.num_tuples()));
  right &= !ask("10.0.0.0 to server-0, port 1000?", filter.sets().full(), known);
  return right && filter.num_tuples() == 0 ? 0 : 1;
}
