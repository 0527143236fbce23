// Scalable filters in files (growing_file.cc).
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/files/filter_files.h"
#include "engine/src/scalable/growing_engine.h"
#include "engine/src/scalable/scalable_filter_impl.h"

namespace trommel {

Status ScalableFilter::WriteTo(FileWriter& file) const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->WriteTo(file);
}

Result<ScalableFilter> ScalableFilter::ReadFrom(FileReader& file, uint64_t limit_bytes,
                                                const DigestKey& digest_key) {
  if (Status fits = file.CheckType(FileType::kScalable); !fits.ok()) return fits.error();
  Result<std::unique_ptr<GrowingEngine>> engine =
      GrowingEngine::Read(file, limit_bytes, digest_key);
  if (!engine.ok()) return engine.error();
  const ScalableConfig config = (*engine)->config();
  return ScalableFilter(std::make_unique<Impl>(config, *std::move(engine)));
}

Status ScalableFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  if (options.point_in_time) return FilterFiles::NoPointInTime("a ScalableFilter");
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> ScalableFilter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<ScalableFilter> ScalableFilter::Load(const std::filesystem::path& path,
                                            uint64_t memory_limit_bytes,
                                            const DigestKey& digest_key) {
  return FilterFiles::Load<ScalableFilter>(path, memory_limit_bytes, digest_key);
}

Result<ScalableFilter> ScalableFilter::Deserialize(std::span<const std::byte> bytes,
                                                   uint64_t memory_limit_bytes,
                                                   const DigestKey& digest_key) {
  return FilterFiles::Deserialize<ScalableFilter>(bytes, memory_limit_bytes, digest_key);
}

Status ScalableFilter::SaveTo(ByteSink& sink, std::span<const std::byte> metadata) const {
  return FilterFiles::SaveTo(*this, sink, metadata);
}

Result<ScalableFilter> ScalableFilter::LoadFrom(const ByteSource& source,
                                                uint64_t memory_limit_bytes,
                                                const DigestKey& digest_key) {
  return FilterFiles::LoadFrom<ScalableFilter>(source, memory_limit_bytes, digest_key);
}

Result<ScalableFilter> ScalableFilter::Clone(uint64_t memory_limit_bytes) const {
  Result<ScalableFilter> copy =
      FilterFiles::Clone(*this, memory_limit_bytes, impl_->config.executor);
  const uint64_t side_limit_bytes = impl_->config.side_memory_limit_bytes;
  if (!copy.ok() || side_limit_bytes == 0) return copy;
  if (Status limited = copy->LimitSideMemory(side_limit_bytes); !limited.ok()) {
    return limited.error();
  }
  return copy;
}

bool operator==(const ScalableFilter& a, const ScalableFilter& b) {
  return FilterFiles::AreSame(a, b);
}

}  // namespace trommel
