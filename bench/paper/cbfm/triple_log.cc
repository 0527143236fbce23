// Triples: read from a file, or made.
#include <algorithm>
#include <fstream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bench/paper/cbfm/cbfm.h"
#include "bench/paper/report/random.h"
#include "bench/text/tsv.h"
#include "trommel/keys.h"

namespace trommel::paper {
namespace {

Triple Projected(AttributeMask set, const Triple& triple) {
  Triple projected{};
  for (size_t i = 0; i < 3; ++i) {
    if ((set >> i & 1) != 0) projected[i] = triple[i];
  }
  return projected;
}

}  // namespace

TripleLog MakeTriples(size_t num_rows, uint64_t seed) {
  constexpr uint32_t kSources = 300;
  constexpr uint32_t kDomains = 4'000;
  constexpr uint32_t kServers = 1'500;
  TripleLog log;
  for (uint32_t i = 0; i < kSources; ++i) log.values[0].push_back("10.0." + std::to_string(i));
  for (uint32_t i = 0; i < kServers; ++i) log.values[1].push_back("192.0." + std::to_string(i));
  for (uint32_t i = 0; i < kDomains; ++i) {
    log.values[2].push_back("d" + std::to_string(i) + ".example");
  }
  RandomStream random(seed, 140);
  // Of n values the first ones are the most frequent: value u^3 n.
  const auto skewed = [&](uint32_t n) {
    const double u = static_cast<double>(random.Next() >> 11) * 0x1p-53;
    return static_cast<uint32_t>(u * u * u * n);
  };
  for (size_t row = 0; row < num_rows; ++row) {
    const uint32_t source = skewed(kSources);
    // A source has a taste of its own; a domain has up to three servers.
    const uint32_t domain = (skewed(kDomains) + 37 * source) % kDomains;
    const uint32_t server = (domain * 7 + random.Below(1 + domain % 3)) % kServers;
    log.triples.push_back({source, server, domain});
  }
  return log;
}

TupleDigests TripleLog::Digests(const std::vector<Triple>& some) const {
  TupleDigests digests(3);
  std::vector<std::string_view> column;
  for (uint32_t attribute = 0; attribute < 3; ++attribute) {
    column.clear();
    for (const Triple& triple : some) column.emplace_back(values[attribute][triple[attribute]]);
    digests.Set(attribute, column);
  }
  return digests;
}

Result<TripleLog> ReadTriples(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kIo, path + ": cannot be read"};
  Result<bench::Tsv> tsv = bench::Tsv::Open(file, path);
  if (!tsv.ok()) return tsv.error();
  const Result<std::vector<size_t>> places = tsv->PlacesOf("src_ip,dst_ip,domain");
  if (!places.ok()) return places.error();
  TripleLog log;
  std::array<std::unordered_map<std::string, uint32_t>, 3> numbers;
  const Status read = tsv->ForEachLine([&](const auto& cells, const std::string&) {
    Triple triple{};
    for (size_t i = 0; i < 3; ++i) {
      const auto [found, is_new] = numbers[i].try_emplace(
          std::string(cells[(*places)[i]]), static_cast<uint32_t>(log.values[i].size()));
      if (is_new) log.values[i].push_back(found->first);
      triple[i] = found->second;
    }
    log.triples.push_back(triple);
    return Ok();
  });
  if (!read.ok()) return read.error();
  return log;
}

TripleSet::TripleSet(AttributeMask set, const std::vector<Triple>& triples) : set_(set) {
  for (const Triple& triple : triples) projections_.push_back(Projected(set, triple));
  std::ranges::sort(projections_);
  projections_.erase(std::unique(projections_.begin(), projections_.end()), projections_.end());
}

bool TripleSet::Has(const Triple& triple) const {
  return std::ranges::binary_search(projections_, Projected(set_, triple));
}

std::vector<Triple> NewTriples(AttributeMask set, const std::vector<Triple>& triples,
                               const std::vector<Triple>& known) {
  const TripleSet before(set, known);
  std::vector<Triple> found;
  std::vector<Triple> sorted = triples;
  std::ranges::sort(sorted, {}, [set](const Triple& triple) { return Projected(set, triple); });
  for (const Triple& triple : sorted) {
    const bool repeats = !found.empty() && Projected(set, found.back()) == Projected(set, triple);
    if (!repeats && !before.Has(triple)) found.push_back(triple);
  }
  return found;
}

}  // namespace trommel::paper
