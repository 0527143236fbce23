// Attribute filters on disk: one set's filter after the other (attribute_format.h).
#include <algorithm>
#include <string>
#include <utility>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/attributes/attribute_format.h"
#include "engine/src/base/rounding.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/scalable/scalable_parts.h"
#include "engine/src/snapshots/filter_files.h"
#include "engine/src/snapshots/multi_store_snapshot.h"

namespace trommel {
namespace {

// What is said of a set's filter names the set; offsets within it count from its own start.
Error InFilterOf(const SetRecord& record, Error error) {
  if (error.code != ErrorCode::kIo) {
    error.message = "the filter of " + AttributeMaskText(record.set) + ", which begins at byte " +
                    std::to_string(record.offset) + ": " + error.message;
  }
  return error;
}

PartSource PartOf(const ByteSource& source, const SetRecord& record) {
  return {source, record.offset, record.num_bytes};
}

// Every set's filter as its headers say: memory for all is judged before any is taken.
Result<std::vector<MultiStoreOutline>> OutlinesOf(const ByteSource& source,
                                                  const AttributeFront& front) {
  std::vector<MultiStoreOutline> outlines;
  outlines.reserve(front.table.size());
  for (const SetRecord& record : front.table) {
    const PartSource part = PartOf(source, record);
    const Result<OpenedSnapshot> snapshot = OpenedSnapshot::Open(part);
    if (!snapshot.ok()) return InFilterOf(record, snapshot.error());
    Result<MultiStoreOutline> outline = ReadOutline(*snapshot);
    if (!outline.ok()) return InFilterOf(record, outline.error());
    outlines.push_back(*std::move(outline));
  }
  return outlines;
}

// Is it such a filter as an attribute filter makes?
Status CheckFilter(const ScalableFilter& filter, const AttributeFront& front) {
  const ScalableConfig made = {};
  const ScalableConfig& config = ScalableParts::ConfigOf(filter);
  if (config.digest != DigestPolicy{.kind = DigestKind::kCaller} ||
      config.mode != GrowthMode::kGenerations || config.growth != made.growth ||
      config.tightening != made.tightening || config.max_capacity != made.max_capacity ||
      HasFingerprints(config.encoding)) {
    return Error{ErrorCode::kCorrupt, "its digests or its growth are not an attribute filter's"};
  }
  if (filter.num_keys() != front.num_tuples) {
    return Error{ErrorCode::kCorrupt, "it holds " + std::to_string(filter.num_keys()) +
                                          " tuples, the whole " + std::to_string(front.num_tuples)};
  }
  return Ok();
}

}  // namespace

// Alone with the queries: a tuple on its way between sets would be in some of them only, and where
// another is on its way out, their counts could even agree.
Status AttributeFilter::WriteTo(ByteSink& sink) const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const StripedSharedMutex::ExclusiveLock lock(impl_->erase_mutex);
  const Impl::Frame& frame = impl_->frame;
  const std::vector<ScalableFilter>& filters = impl_->filters;
  AttributeFront front{.digest = frame.digest,
                       .sets = frame.sets,
                       .names = frame.names,
                       .num_tuples = 0,
                       .table = std::vector<SetRecord>(filters.size())};
  // No half-written file has a header.
  uint64_t end = FrontEnd(front);
  if (Status done = sink.Append(std::vector<std::byte>(end)); !done.ok()) return done;
  for (size_t s = 0; s < filters.size(); ++s) {
    const uint64_t offset = RoundUp(end, kPageAlignment);
    if (Status done = AppendZeros(offset - end, sink); !done.ok()) return done;
    PartSink part(sink, offset);
    const Result<ScalableParts::Written> written = ScalableParts::Write(filters[s], part);
    if (!written.ok()) return written.error();
    front.table[s] = {
        .offset = offset, .num_bytes = written->num_bytes, .set = frame.sets.allowed()[s]};
    if (s == 0) front.num_tuples = written->num_keys;
    end = offset + written->num_bytes;
  }
  return sink.Overwrite(0, FrontBytes(front));
}

Result<AttributeFilter> AttributeFilter::ReadFrom(const OpenedSnapshot& snapshot,
                                                  uint64_t limit_bytes,
                                                  const DigestKey& digest_key) {
  Result<AttributeFront> front = ReadFront(snapshot);
  if (!front.ok()) return front.error();
  const Result<DigestPolicy> policy =
      PolicyOfFile(static_cast<uint32_t>(front->digest.kind), front->digest.seed, digest_key);
  if (!policy.ok()) return policy.error();
  if (Status good = Impl::CheckNames(front->names, front->sets.num_attributes()); !good.ok()) {
    return CorruptAt(kHeaderBytes, good.error().message);
  }
  const ByteSource& source = snapshot.source();
  const Result<std::vector<MultiStoreOutline>> outlines = OutlinesOf(source, *front);
  if (!outlines.ok()) return outlines.error();
  uint64_t num_bytes = 0;  // no more than the file has: cannot wrap
  for (const MultiStoreOutline& outline : *outlines) num_bytes += outline.block_bytes;
  const uint64_t limit = Impl::LimitFor(front->table.size(), limit_bytes);
  if (num_bytes > limit) return Impl::TooLarge(front->sets, num_bytes, limit_bytes);

  const auto budget = std::make_shared<MemoryBudget>(limit);
  GrowthPlans plans;
  std::vector<ScalableFilter> filters;
  filters.reserve(front->table.size());
  uint64_t end = FrontEnd(*front);
  for (size_t s = 0; s < front->table.size(); ++s) {
    const SetRecord& record = front->table[s];
    if (Status zero = CheckZeros(source, end, record.offset); !zero.ok()) return zero.error();
    Result<ScalableFilter> filter =
        ScalableParts::Read(PartOf(source, record), (*outlines)[s], limit_bytes, plans, budget);
    if (!filter.ok()) return InFilterOf(record, filter.error());
    if (Status good = CheckFilter(*filter, *front); !good.ok()) {
      return InFilterOf(record, good.error());
    }
    filters.push_back(*std::move(filter));
    end = record.offset + record.num_bytes;
  }
  auto impl = std::make_unique<Impl>(Impl::Frame{.sets = std::move(front->sets),
                                                 .names = std::move(front->names),
                                                 .digest = *policy,
                                                 .executor = nullptr,
                                                 .memory = budget},
                                     std::move(filters));
  impl->num_tuples = front->num_tuples;
  return AttributeFilter(std::move(impl));
}

Status AttributeFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  if (options.point_in_time) return FilterFiles::NoPointInTime("an AttributeFilter");
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> AttributeFilter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<AttributeFilter> AttributeFilter::Load(const std::filesystem::path& path,
                                              uint64_t memory_limit_bytes,
                                              const DigestKey& digest_key) {
  return FilterFiles::Load<AttributeFilter>(path, memory_limit_bytes, digest_key);
}

Result<AttributeFilter> AttributeFilter::Deserialize(std::span<const std::byte> bytes,
                                                     uint64_t memory_limit_bytes,
                                                     const DigestKey& digest_key) {
  return FilterFiles::Deserialize<AttributeFilter>(bytes, memory_limit_bytes, digest_key);
}

Status AttributeFilter::SaveTo(ByteSink& sink) const { return FilterFiles::SaveTo(*this, sink); }

Result<AttributeFilter> AttributeFilter::LoadFrom(const ByteSource& source,
                                                  uint64_t memory_limit_bytes,
                                                  const DigestKey& digest_key) {
  return FilterFiles::LoadFrom<AttributeFilter>(source, memory_limit_bytes, digest_key);
}

Result<AttributeFilter> AttributeFilter::Clone(uint64_t memory_limit_bytes) const {
  return FilterFiles::Clone(*this, memory_limit_bytes, impl_->frame.executor);
}

bool operator==(const AttributeFilter& a, const AttributeFilter& b) {
  return FilterFiles::AreSame(a, b);
}

}  // namespace trommel
