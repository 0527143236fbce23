#include "bench/sweep/sweep_row.h"

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
    case kTextbookInsert:
      return "textbook_insert";
    case kTextbookErase:
      return "textbook_erase";
    case kTextbookQueryMiss:
      return "textbook_miss";
    case kTextbookQueryHit:
      return "textbook_hit";
    case kInsert:
      return "insert";
    case kInsertSkewed:
      return "insert_zipf";
    case kInsertIfAbsent:
      return "insert_if_absent";
    case kErase:
      return "erase";
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
