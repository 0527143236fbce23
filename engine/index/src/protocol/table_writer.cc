#include "engine/index/src/protocol/table_writer.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/rows/out_of_memory.h"
#include "engine/index/src/sync/steps.h"

namespace trommel::index {
namespace {

void Normalize(Values& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Returns the mutations with values sorted, each once.
Result<std::vector<Mutation>> Normalized(const Schema& schema,
                                         std::span<const Mutation> mutations) {
  std::vector<Mutation> normalized(mutations.begin(), mutations.end());
  for (size_t i = 0; i < normalized.size(); ++i) {
    Mutation& mutation = normalized[i];
    Row row{std::move(mutation.key), std::vector<Values>(schema.attributes.size())};
    if (mutation.attributes) row.attributes = *std::move(mutation.attributes);
    if (const Status status = Validate(schema, row); !status) {
      return Error{status.error().code,
                   "mutation " + std::to_string(i) + ": " + status.error().message};
    }
    for (Values& values : row.attributes) Normalize(values);
    mutation.key = std::move(row.key);
    if (mutation.attributes) mutation.attributes = std::move(row.attributes);
  }
  return normalized;
}

// A mutation and the region that has its key, by the version that it was routed by.
struct Routed {
  uint32_t region_id = 0;
  const Mutation* mutation = nullptr;
};

// Routes mutations, in the order of regions and, within a region, their own.
std::vector<Routed> Route(const ServerIndex& directory,
                          std::span<const Mutation* const> mutations) {
  Step("route");
  const ServerIndex::Pin pin = directory.PinVersion();
  std::vector<Routed> routed;
  routed.reserve(mutations.size());
  for (const Mutation* mutation : mutations) {
    routed.push_back({pin.table()[pin.table().Find(mutation->key)].id, mutation});
  }
  std::stable_sort(routed.begin(), routed.end(),
                   [](const Routed& a, const Routed& b) { return a.region_id < b.region_id; });
  return routed;
}

}  // namespace

TableWriter::TableWriter(const Schema& schema, ServerIndex& directory, RegionStates& regions,
                         std::span<RowStore* const> servers)
    : context_{schema, directory, regions, servers} {}

Status TableWriter::Write(std::span<const Mutation> mutations) try {
  const Result<std::vector<Mutation>> normalized = Normalized(context_.schema, mutations);
  if (!normalized) return normalized.error();
  std::vector<const Mutation*> pending;
  pending.reserve(normalized->size());
  for (const Mutation& mutation : *normalized) pending.push_back(&mutation);

  Status first_failure = Ok();
  while (!pending.empty()) {
    const std::vector<Routed> routed = Route(context_.directory, pending);
    pending.clear();
    for (size_t begin = 0, end = 0; begin < routed.size(); begin = end) {
      const uint32_t region_id = routed[begin].region_id;
      std::vector<const Mutation*> part;
      for (; end < routed.size() && routed[end].region_id == region_id; ++end) {
        part.push_back(routed[end].mutation);
      }
      // One gate at a time, so that no operation waits for a gate inside another.
      RegionWrite write(context_, region_id, std::move(part));
      const Status status = write.Run();
      if (!status && first_failure.ok()) first_failure = status;
      pending.insert(pending.end(), write.rerouted().begin(), write.rerouted().end());
    }
  }
  return first_failure;
} catch (const std::bad_alloc&) {
  return OutOfMemory();
}

}  // namespace trommel::index
