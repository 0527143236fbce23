// Snapshots know block stores and no filter type: a store is loaded from its bytes.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/snapshot.h"
#include "trommel/sizing.h"

int main() {
  using namespace trommel;
  const Geometry geometry = SizeFor({.capacity = 1000, .target_fpr = 0.01}).value().geometry;
  BlockStore store = BlockStore::Create(geometry, 0).value();
  std::vector<uint64_t> digests(1000);
  for (size_t i = 0; i < digests.size(); ++i) digests[i] = (i + 1) * 0x9E3779B97F4A7C15;
  store.Insert(digests);
  const FilterFacts facts{.policy = {}, .capacity = 1000, .target_fpr = 0.01, .num_keys = 1000};
  VectorSink sink;
  bool is_good = WriteSnapshot(store, facts, sink).ok();
  const std::vector<std::byte> bytes = sink.Take();
  const SpanSource source(bytes);
  const Result<FilterContents> read = ReadSnapshot(OpenedSnapshot::Open(source).value(), 0);
  is_good = is_good && read.ok() && read->facts.num_keys == facts.num_keys &&
            read->store.Tally().num_present == store.Tally().num_present;
  std::puts(is_good ? "the store came back" : "the store did not come back");
  return is_good ? 0 : 1;
}
