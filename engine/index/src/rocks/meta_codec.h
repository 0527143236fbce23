// The two records of a cluster's database `meta`, as bytes (byte_codec.h):
//
//   config   format, cluster id, servers, structure, target_fpr (8 bytes, IEEE 754, little endian),
//            versions, attributes (name, indexed), splits
//   table    regions: id, server, first key; in the order of keys, each up to where the next begins
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_CODEC_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/result.h"

namespace trommel::index {

inline constexpr uint64_t kClusterFormat = 1;
inline constexpr uint32_t kMaxServers = 256;

// What a cluster is, but for its region table.
struct ClusterRecord {
  std::string cluster_id;  // random, and not empty: in every server's database, too
  ClusterConfig config;
};

std::string EncodeCluster(const ClusterRecord& record);
// Fails with kVersion if the record has another format, and with kCorrupt unless the bytes are a
// whole record within the limits of ClusterConfig.
Result<ClusterRecord> DecodeCluster(std::string_view bytes);

std::string EncodeTable(const RegionTable& table);
// Fails with kCorrupt unless the bytes are a whole table of so many servers.
Result<RegionTable> DecodeTable(std::string_view bytes, uint32_t num_servers);

// Fails with kInvalidArgument unless all numbers and names are in range.
Status ValidateConfig(const ClusterConfig& config);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_CODEC_H_
