// Files know stores of blocks and no filter type: a store is loaded from its sections.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/files/store_sections.h"
#include "trommel/sizing.h"

int main() {
  using namespace trommel;
  const Geometry geometry = SizeFor({.capacity = 1000, .target_fpr = 0.01}).value().geometry;
  BlockStore store = BlockStore::Create(geometry, 0).value();
  std::vector<uint64_t> digests(1000);
  for (size_t i = 0; i < digests.size(); ++i) digests[i] = (i + 1) * 0x9E3779B97F4A7C15;
  store.Insert(digests);
  VectorSink sink;
  FileWriter writer(sink, {});
  writer.Begin(FileType::kCounting, {}, 0);
  WriteStore(store, kOnlyStore, 1000, 0.01, writer);
  bool is_good = writer.Finish().ok();
  const SpanSource source(sink.bytes());
  FileReader file = FileReader::Open(source).value();
  const StoreNumbers numbers = ReadNumbers(file, kOnlyStore).value();
  const Result<StoreContents> read = ReadStore(file, kOnlyStore, numbers, 0);
  is_good =
      is_good && read.ok() && read->num_keys == digests.size() &&
      static_cast<const BlockStore&>(*read->store).Tally().num_present == store.Tally().num_present;
  std::puts(is_good ? "the store came back" : "the store did not come back");
  return is_good ? 0 : 1;
}
