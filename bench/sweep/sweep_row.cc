#include "bench/sweep/sweep_row.h"

namespace trommel::bench {

using enum Operation;

std::vector<Operation> CeilingsOf(const SweepRow& row) {
  switch (row.operation) {
    case kInsert:
    case kErase:
      if (row.route == Route::kDirect) return {kUpdateCeiling};
      if (row.route == Route::kSplit) return {kShardCeiling, kStreamCeiling};
      return {kUpdateCeiling, kShardCeiling, kStreamCeiling};
    case kInsertIfAbsent:
      return {kUpdateCeiling, kShardCeiling, kStreamCeiling};
    case kQueryMiss:
    case kQueryHalf:
    case kQueryHit:
      return {kReadCeiling};
    default:  // ceilings, hashing; and skewed keys, whose lines are in a cache
      return {};
  }
}

CountingConfig SweepConfig(uint64_t num_keys, Encoding encoding) {
  CountingConfig config;
  config.capacity = num_keys;
  config.target_fpr = kSweepTargetFpr;
  config.encoding = encoding;
  if (encoding == Encoding::kRuns) config.num_slices = kSweepRunSlices;
  return config;
}

std::string_view OperationName(Operation op, Route route) {
  const auto by_route = [route](std::string_view automatic, std::string_view direct,
                                std::string_view split) {
    return route == Route::kDirect ? direct : route == Route::kSplit ? split : automatic;
  };
  switch (op) {
    case kReadCeiling:
      return "ceiling_read";
    case kUpdateCeiling:
      return "ceiling_update";
    case kShardCeiling:
      return "ceiling_shard";
    case kStreamCeiling:
      return "ceiling_stream";
    case kHashInts:
      return "hash_int";
    case kHashStrings:
      return "hash_string";
    case kInsert:
      return by_route("insert", "insert_direct", "insert_split");
    case kInsertSkewed:
      return "insert_zipf";
    case kInsertIfAbsent:
      return "insert_if_absent";
    case kErase:
      return by_route("erase", "erase_direct", "erase_split");
    case kQueryMiss:
      return "query_miss";
    case kQueryHalf:
      return "query_half";
    case kQueryHit:
      return "query_hit";
  }
  return "unknown";
}

std::string EncodingPart(Encoding encoding) {
  if (encoding == Encoding::kPlanes) return "";
  const std::string part = "/" + std::string(EncodingName(encoding));
  return encoding == Encoding::kRuns ? part + ":" + std::to_string(kSweepRunSlices) : part;
}

std::string BatchName(uint64_t batch) {
  if (batch >= (1U << 20) && batch % (1U << 20) == 0) return std::to_string(batch >> 20) + "Mi";
  if (batch >= (1U << 12) && batch % (1U << 10) == 0) return std::to_string(batch >> 10) + "Ki";
  return std::to_string(batch);
}

}  // namespace trommel::bench
