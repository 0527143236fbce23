// Attribute filters in files: which sets of attributes there are, and a filter that grows by itself
// for each (scalable/growing_file.cc).
//
//   attributes   AttributesNumbers below, and of each attribute a byte, its name's length, and the
//                name
//   sets         8 bytes each, ascending: the cuts, or all sets of a list
//   growing      an entry for each allowed set, ascending; the shards of each are stores
//
// Which sets are allowed follows from the number of attributes, the limit and the cuts, or is the
// list.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/files/filter_files.h"
#include "engine/src/growing/growing_directory.h"
#include "engine/src/scalable/growing_file.h"

namespace trommel {
namespace {

struct AttributesNumbers {
  uint32_t num_attributes;  //  0  1 .. kMaxAttributes
  uint32_t max_together;    //  4  AttributeSets::max_together; of a list 0
  uint32_t is_list;         //  8
  uint32_t reserved;        // 12  0
};
static_assert(sizeof(AttributesNumbers) == 16);

// The section `attributes`.
struct Attributes {
  AttributesNumbers numbers{};
  std::vector<std::string> names;
};

Result<Attributes> ReadAttributes(const FileSection& section) {
  Attributes attributes;
  AttributesNumbers& numbers = attributes.numbers;
  const Result<std::vector<std::byte>> bytes = section.ReadAll<std::byte>();
  if (!bytes.ok()) return bytes.error();
  if (bytes->size() < sizeof(numbers)) return section.CheckBytes(sizeof(numbers)).error();
  std::memcpy(&numbers, bytes->data(), sizeof(numbers));
  if (numbers.is_list > 1) {
    return UnknownAt(section.record().offset + offsetof(AttributesNumbers, is_list),
                     "the form of the sets", numbers.is_list,
                     "0 (cuts and a limit) and 1 (a list)");
  }
  const bool is_limited =
      numbers.max_together >= 1 && numbers.max_together <= numbers.num_attributes;
  if (numbers.num_attributes == 0 || numbers.num_attributes > kMaxAttributes ||
      numbers.reserved != 0 || (numbers.is_list == 0 ? !is_limited : numbers.max_together != 0)) {
    return section.CorruptAt(0, std::to_string(numbers.num_attributes) + " attributes, at most " +
                                    std::to_string(numbers.max_together) + " together");
  }
  std::span<const std::byte> left = std::span(*bytes).subspan(sizeof(numbers));
  const auto here = [&] { return bytes->size() - left.size(); };
  for (uint32_t a = 0; a < numbers.num_attributes; ++a) {
    const size_t size = left.empty() ? 0 : std::to_integer<size_t>(left.front());
    if (left.size() < 1 + size) return section.CorruptAt(here(), "the names end too early");
    attributes.names.emplace_back(reinterpret_cast<const char*>(left.data()) + 1, size);
    left = left.subspan(1 + size);
  }
  if (!left.empty()) return section.CorruptAt(here(), "bytes behind the last name");
  return attributes;
}

// The sets in their only form.
Result<AttributeSets> ReadSets(const FileSection& section, const AttributesNumbers& numbers) {
  const Result<std::vector<AttributeMask>> masks = section.ReadAll<AttributeMask>();
  if (!masks.ok()) return masks.error();
  const bool is_list = numbers.is_list != 0;
  Result<AttributeSets> sets =
      is_list ? AttributeSets::Keep(numbers.num_attributes, *masks)
              : AttributeSets::AtMost(numbers.num_attributes, numbers.max_together, *masks);
  if (!sets.ok()) return section.CorruptAt(0, sets.error().message);
  if (std::ranges::equal(is_list ? sets->allowed() : sets->cuts(), *masks)) return sets;
  return section.CorruptAt(
      0, is_list ? "the sets do not ascend" : "the cuts do not ascend, or contain each other");
}

}  // namespace

// Alone with the queries: a tuple on its way between sets would be in some of them only, and where
// another is on its way out, their counts could even agree.
Status AttributeFilter::WriteTo(FileWriter& file) const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const StripedSharedMutex::ExclusiveLock lock(impl_->erase_mutex);
  const Impl::Frame& frame = impl_->frame;
  const AttributeSets& sets = frame.sets;
  const Impl::Engines& engines = impl_->engines;
  const uint64_t about_bytes = impl_->memory->num_bytes();
  file.Begin(FileType::kAttributes, frame.digest, about_bytes);
  file.BeginSection(sections::kAttributes, 0);
  file.Append(BytesOf(AttributesNumbers{.num_attributes = sets.num_attributes(),
                                        .max_together = sets.is_list() ? 0 : sets.max_together(),
                                        .is_list = sets.is_list() ? 1U : 0U,
                                        .reserved = 0}));
  for (const std::string& name : frame.names) {
    file.Append(BytesOf(static_cast<uint8_t>(name.size())));
    file.Append(std::as_bytes(std::span(name)));
  }
  file.EndSection();
  file.Add(sections::kSets, 0, std::as_bytes(sets.is_list() ? sets.allowed() : sets.cuts()));
  file.BeginSection(sections::kGrowing, 0);
  for (const auto& engine : engines) engine->AppendNumbers(file);
  file.EndSection();
  uint32_t store = 1;
  for (const auto& engine : engines) {
    engine->WriteShards(file, store);
    store += static_cast<uint32_t>(engine->num_shards());
  }
  return Ok();
}

Result<AttributeFilter> AttributeFilter::ReadFrom(FileReader& file, uint64_t limit_bytes,
                                                  const DigestKey& digest_key) {
  if (Status fits = file.CheckType(FileType::kAttributes); !fits.ok()) return fits.error();
  const Result<DigestPolicy> policy = file.Policy(digest_key);
  if (!policy.ok()) return policy.error();
  const FileSection section = file.Take(sections::kAttributes);
  Result<Attributes> attributes = ReadAttributes(section);
  if (!attributes.ok()) return attributes.error();
  if (Status good = Impl::CheckNames(attributes->names, attributes->numbers.num_attributes);
      !good.ok()) {
    return section.CorruptAt(sizeof(AttributesNumbers), good.error().message);
  }
  Result<AttributeSets> sets = ReadSets(file.Take(sections::kSets), attributes->numbers);
  if (!sets.ok()) return sets.error();
  const Result<std::vector<GrowingNumbers>> entries = ReadGrowing(file);
  if (!entries.ok()) return entries.error();
  const FileSection growing = file.Take(sections::kGrowing);
  const size_t num_sets = sets->allowed().size();
  if (entries->size() != num_sets) {
    return growing.CorruptAt(0, std::to_string(entries->size()) +
                                    " filters, where there should be " + std::to_string(num_sets));
  }
  // Memory for all is judged before any is taken.
  size_t num_stores = 0;
  for (const GrowingNumbers& of_set : *entries) num_stores += of_set.options().num_shards();
  const uint64_t num_bytes = LeastBytes(file, 1, num_stores) +
                             num_stores * GrowingStore::kBytesPerShard +
                             num_sets * GrowingDirectory::AllBytesOf(0);
  const uint64_t limit = Impl::LimitFor(num_sets, limit_bytes);
  if (num_bytes > limit) return Impl::TooLarge(*sets, num_bytes, limit_bytes);

  auto memory = std::make_shared<GrowingMemory>(limit);
  Impl::Engines engines;
  engines.reserve(num_sets);
  uint32_t store = 1;
  for (size_t s = 0; s < num_sets; ++s) {
    const GrowingNumbers& numbers = (*entries)[s];
    Result<std::unique_ptr<GrowingEngine>> engine = GrowingEngine::ReadShards(
        file, numbers, {.kind = DigestKind::kCaller}, store, limit_bytes, memory);
    if (!engine.ok()) return engine.error();
    store += static_cast<uint32_t>(numbers.options().num_shards());
    const uint64_t num_here = (*engine)->num_keys();
    if (s > 0 && num_here != engines.front()->num_keys()) {
      return growing.CorruptAt(s * sizeof(GrowingNumbers),
                               "a filter holds " + std::to_string(num_here) +
                                   " tuples, the first one " +
                                   std::to_string(engines.front()->num_keys()));
    }
    engines.push_back(*std::move(engine));
  }
  const uint64_t num_tuples = engines.front()->num_keys();
  auto impl = std::make_unique<Impl>(Impl::Frame{.sets = *std::move(sets),
                                                 .names = std::move(attributes->names),
                                                 .digest = *policy,
                                                 .executor = nullptr},
                                     std::move(memory), std::move(engines));
  impl->num_tuples = num_tuples;
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

Status AttributeFilter::SaveTo(ByteSink& sink, std::span<const std::byte> metadata) const {
  return FilterFiles::SaveTo(*this, sink, metadata);
}

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
