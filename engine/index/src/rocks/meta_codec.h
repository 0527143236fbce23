// The record in a cluster's database `meta` of how the cluster was created, as bytes
// (byte_codec.h):
//
//   format, cluster id, servers, structure, target_fpr (8 bytes, IEEE 754, little endian),
//   versions, attributes (name, indexed), splits, and in format 3 key columns
//
// The format says, too, what the record of its table is (table_record_codec.h).
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_CODEC_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::index {

// 1 and 2 are read, too. A cluster without key columns is written in format 2, which programs that
// do not know them read.
inline constexpr uint64_t kClusterFormat = 3;
inline constexpr uint32_t kMaxServers = 256;

// What a cluster is, but for its table: `config` has regions and attributes as they were at first.
struct ClusterRecord {
  std::string cluster_id;  // random, and not empty: in every server's database, too
  ClusterConfig config;
  uint64_t format = kClusterFormat;  // in which it was read
};

// Writes format 2, or 3 if there are key columns.
std::string EncodeCluster(const ClusterRecord& record);
// Fails with kVersion if the record has a newer format, and with kCorrupt unless the bytes are a
// whole record within the limits of ClusterConfig.
Result<ClusterRecord> DecodeCluster(std::string_view bytes);

// Fails with kInvalidArgument unless all numbers and names are in range.
Status ValidateConfig(const ClusterConfig& config);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_CODEC_H_
