// TableRecord: what the meta store holds of a table that changes while it is used.
#ifndef TROMMEL_ENGINE_INDEX_SRC_MODEL_TABLE_RECORD_H_
#define TROMMEL_ENGINE_INDEX_SRC_MODEL_TABLE_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// A range of which a server's database may have rows that are not its own: the copy of a move that
// has not ended, or what a move left at the old server.
struct Leftover {
  uint32_t server = 0;
  KeyRange range;

  friend bool operator==(const Leftover&, const Leftover&) = default;
};

struct AttributeRecord {
  AttributeState state = AttributeState::kNone;
  // kBuilding: rows of all keys before this one have their entries, on the disk; none: no row.
  std::optional<std::string> backfilled = {};

  friend bool operator==(const AttributeRecord&, const AttributeRecord&) = default;
};

struct TableRecord {
  RegionTable table;
  uint32_t next_region_id = 0;              // of no region yet, nor any id beyond it
  std::vector<AttributeRecord> attributes;  // as in the schema
  std::vector<Leftover> leftovers;

  friend bool operator==(const TableRecord&, const TableRecord&) = default;
};

// Fails with kCorrupt unless ids of regions are below next_region_id, servers below num_servers,
// and no server has a leftover in a region of its own.
Status Validate(const TableRecord& record, uint32_t num_servers);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_MODEL_TABLE_RECORD_H_
