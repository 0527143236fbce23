#include "bench/sweep/sweep_ceilings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bench/machine/roofline.h"
#include "bench/sides/access_shape.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kLine = 64;
constexpr double kDigestBytesMoved = 3 * sizeof(uint64_t);

Geometry GeometryOf(const SweepRow& row) {
  const CountingConfig config = SweepConfig(row.num_keys, row.encoding);
  SizingRequest request;
  request.capacity = config.capacity;
  request.target_fpr = config.target_fpr;
  request.num_slices = config.num_slices;
  request.encoding = config.encoding;
  return SizeFor(request).value().geometry;  // sizes were checked before
}

double StreamNs(uint64_t footprint, double seconds, uint32_t num_threads) {
  return static_cast<double>(kLine) / StreamGbPerS(footprint, seconds, num_threads);
}

double UpdateNs(const Geometry& geometry, double seconds, uint32_t num_threads) {
  return RandomUpdateNs(UpdateShape(geometry), seconds, num_threads);
}

// ns per key, from ns per line.
double StreamingNs(const SweepRow& row, double line_ns) {
  const Geometry geometry = GeometryOf(row);
  const double batch = static_cast<double>(std::min(row.batch, row.num_keys));
  const double lines_bytes = batch * NumLines(UpdateShape(geometry)) * static_cast<double>(kLine);
  const double filter_bytes = std::min(lines_bytes, static_cast<double>(geometry.num_bytes()));
  return line_ns / static_cast<double>(kLine) * (kDigestBytesMoved + 2 * filter_bytes / batch);
}

}  // namespace

double MeasureCeilingNs(const SweepRow& row, double seconds) {
  const uint32_t threads = row.num_threads;
  uint64_t footprint = row.footprint_bytes;
  const bool is_filter = row.num_keys != 0;
  const Geometry geometry = is_filter ? GeometryOf(row) : Geometry{};
  switch (row.operation) {
    case Operation::kReadCeiling:
      if (is_filter) return RandomReadNs(QueryShape(geometry), seconds, threads);
      return RandomReadNs(std::array{Touch{footprint, 1}}, seconds, threads);
    case Operation::kUpdateCeiling:
      if (!is_filter) return RandomUpdateNs(std::array{Touch{footprint, 1}}, seconds, threads);
      return UpdateNs(geometry, seconds, threads);
    case Operation::kShardCeiling: {
      Geometry shards = geometry;  // one per thread
      shards.num_blocks = (geometry.num_blocks >> geometry.shard_bits) * threads;
      return UpdateNs(geometry.num_blocks < shards.num_blocks ? geometry : shards, seconds,
                      threads);
    }
    default:
      if (is_filter) footprint = geometry.num_bytes();
      return StreamNs(footprint, seconds, threads);
  }
}

void SweepCeilings::Add(const SweepRow& row, double ns) {
  if (row.num_keys != 0) ns_[PlaceOf(row.operation, row)] = ns;
}

std::optional<Bound> SweepCeilings::Find(Operation ceiling, const SweepRow& row) const {
  const auto found = ns_.find(PlaceOf(ceiling, row));
  if (found == ns_.end() || std::isnan(found->second)) return std::nullopt;
  return Bound{found->second, ceiling};
}

std::optional<Bound> SweepCeilings::BoundOf(const SweepRow& row) const {
  const std::vector<Operation> ceilings = CeilingsOf(row);
  const auto has = [&ceilings](Operation op) { return std::ranges::count(ceilings, op) != 0; };
  if (has(Operation::kReadCeiling)) return Find(Operation::kReadCeiling, row);
  std::optional<Bound> direct;
  if (has(Operation::kUpdateCeiling)) direct = Find(Operation::kUpdateCeiling, row);
  std::optional<Bound> split;
  if (has(Operation::kStreamCeiling)) {
    split = Find(Operation::kShardCeiling, row);
    const std::optional<Bound> stream = Find(Operation::kStreamCeiling, row);
    if (!split || !stream) return direct;
    const double ns = StreamingNs(row, stream->ns);
    if (ns > split->ns) split = Bound{ns, Operation::kStreamCeiling};
  }
  if (!direct || !split) return direct ? direct : split;
  // Too few keys to pass through the blocks in order: splitting changes nothing.
  if (row.batch * 2 < GeometryOf(row).num_blocks) return direct;
  return direct->ns < split->ns ? direct : split;
}

}  // namespace trommel::bench
