#include "bench/sweep/sweep_row.h"

#include <array>

namespace trommel::bench {

using enum Operation;

std::vector<Operation> CeilingsOf(const SweepRow& row) {
  switch (row.operation) {
    case kInsert:
    case kErase:
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

Operation TextbookOf(Operation op) {
  return op == kInsert      ? kTextbookInsert
         : op == kErase     ? kTextbookErase
         : op == kQueryMiss ? kTextbookQueryMiss
                            : kTextbookQueryHit;
}

CountingConfig SweepConfig(uint64_t num_keys, Encoding encoding) {
  CountingConfig config;
  config.capacity = num_keys;
  config.target_fpr = kSweepTargetFpr;
  config.encoding = encoding;
  if (encoding == Encoding::kRuns) config.num_slices = kSweepRunSlices;
  return config;
}

std::string_view OperationName(Operation op) {
  constexpr std::array<std::string_view, 17> kNames = {
      // in the order of Operation
      "ceiling_read", "ceiling_update",  "ceiling_shard",    "ceiling_stream", "hash_int",
      "hash_string",  "textbook_insert", "textbook_erase",   "textbook_miss",  "textbook_hit",
      "insert",       "insert_zipf",     "insert_if_absent", "erase",          "query_miss",
      "query_half",   "query_hit"};
  static_assert(kNames.size() == static_cast<size_t>(kQueryHit) + 1);
  return kNames.at(static_cast<size_t>(op));
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
