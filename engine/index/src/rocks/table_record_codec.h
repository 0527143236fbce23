// The record of a table that changes, in a cluster's database `meta`, as bytes (byte_codec.h):
//
//   regions      id that the next region gets; number, and for each in the order of keys: id,
//                server, first key; each up to where the next begins
//   attributes   number, and for each: state; if it is building, 1 and the key up to which rows
//   have
//                entries, or 0
//   leftovers    number, and for each: server, first key, first key behind it (empty: none)
//
// Clusters of format 1 have the number of regions and the regions alone.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_TABLE_RECORD_CODEC_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_TABLE_RECORD_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/index/src/model/table_record.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

// Returns the record of a table that has never changed but for its regions: attributes are as the
// schema says, and nothing is left over.
TableRecord FirstRecord(const Schema& schema, RegionTable table);

// Writes AttributeRecord::backfilled of attributes that are kBuilding alone.
std::string EncodeTableRecord(const TableRecord& record);

// Fails with kCorrupt unless the bytes are a whole record of a table of this configuration.
Result<TableRecord> DecodeTableRecord(std::string_view bytes, const ClusterConfig& config);
// The same for a cluster of format 1.
Result<TableRecord> DecodeTableRecord1(std::string_view bytes, const ClusterConfig& config);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_TABLE_RECORD_CODEC_H_
