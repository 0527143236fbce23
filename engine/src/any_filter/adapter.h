// What adapters of a type to AnyFilter share. A type's adapter says what is left: what it is, how
// it is made, its figures, and what differs.
//
//   Adapter         whole filters and files: of every type
//   KeyAdapter      queries and counts: of types that hold keys
//   LastingAdapter, ExpiringAdapter  updates: of types whose keys do not expire, or do
#ifndef TROMMEL_ENGINE_SRC_ANY_FILTER_ADAPTER_H_
#define TROMMEL_ENGINE_SRC_ANY_FILTER_ADAPTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/any_filter/description.h"
#include "trommel/any_filter.h"

namespace trommel {

// A Result of a filter as one of its adapter.
template <class AdapterOf, class Filter>
Result<AnyFilterPtr> Adapted(Result<Filter> made, bool may_refuse) {
  if (!made) return made.error();
  return AnyFilterPtr(std::make_unique<AdapterOf>(*std::move(made), may_refuse));
}

// A filter of the adapter's type from a description: AnyFilter::Create.
template <class AdapterOf>
Result<AnyFilterPtr> MakeFrom(const Figures& description, const DigestPolicy& digest,
                              std::shared_ptr<Executor>&& executor) {
  typename AdapterOf::Config config;
  config.digest = digest;
  config.executor = std::move(executor);
  Description given(description);
  given.Take("target_fpr", config.target_fpr)
      .Take("memory_limit_bytes", config.memory_limit_bytes)
      .Take("side_memory_limit_bytes", config.side_memory_limit_bytes);
  AdapterOf::Read(given, config);
  if (const Status read = given.Finish(FilterTypeName(AdapterOf::kType)); !read) {
    return read.error();
  }
  return Adapted<AdapterOf>(AdapterOf::Filter::Create(config), config.side_memory_limit_bytes != 0);
}

// Word `i` of a bitmap whose first `num_bits` bits are set, and no other.
inline uint64_t OnesOfWord(size_t num_bits, size_t i) {
  return num_bits / 64 > i ? ~uint64_t{0} : (uint64_t{1} << num_bits % 64) - 1;
}

template <class Type>
class Adapter : public AnyFilter {
 public:
  using Filter = Type;

  // `may_refuse`: it may have a limit of side memory, so that insertions can be refused. Asking
  // which were takes time.
  Adapter(Filter filter, bool may_refuse) : filter_(std::move(filter)), may_refuse_(may_refuse) {}

  const DigestPolicy& digest_policy() const noexcept override { return filter_.digest_policy(); }
  void Clear() override { filter_.Clear(); }
  Status UseExecutor(const std::shared_ptr<Executor>& executor) override {
    if constexpr (requires { filter_.UseExecutor(nullptr); }) {
      filter_.UseExecutor(executor);
      return Ok();
    }
    return AnyFilter::UseExecutor(nullptr);
  }
  bool Equals(const AnyFilter& other) const override {
    const auto* same = other.As<Filter>();
    return same != nullptr && *same == filter_;
  }
  Status Save(const std::filesystem::path& path, const SaveOptions& options) const override {
    return filter_.Save(path, options);
  }
  Status SaveTo(ByteSink& sink, std::span<const std::byte> metadata) const override {
    return filter_.SaveTo(sink, metadata);
  }
  std::vector<std::byte> Serialize() const override { return filter_.Serialize(); }

 protected:
  const void* Typed() const noexcept override { return &filter_; }

  Filter filter_;
  bool may_refuse_;
};

template <class Type>
class KeyAdapter : public Adapter<Type> {
 public:
  using Bits = AnyFilter::Bits;
  using Adapter<Type>::Adapter;

  uint64_t num_keys() const noexcept override { return this->filter_.num_keys(); }
  size_t Query(Keys keys, Bits maybe_present) const noexcept override {
    return this->filter_.Query(keys, maybe_present);
  }
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept override {
    return this->filter_.Select(keys, answer, selection);
  }
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept override {
    this->filter_.CountEstimates(keys, counts);
  }
  bool MayContain(Key key) const noexcept override { return this->filter_.MayContain(key); }
  uint64_t CountEstimate(Key key) const noexcept override {
    return this->filter_.CountEstimate(key);
  }
  Status LimitSideMemory(uint64_t limit_bytes) override {
    Status limited = this->filter_.LimitSideMemory(limit_bytes);
    if (limited) this->may_refuse_ = limit_bytes != 0;
    return limited;
  }
  Status Merge(const AnyFilter& other) override {
    if constexpr (requires { this->filter_.Merge(this->filter_); }) {
      if (const auto* same = other.As<Type>()) return this->filter_.Merge(*same);
    }
    return AnyFilter::Merge(other);
  }
};

template <class Type>
class LastingAdapter : public KeyAdapter<Type> {
 public:
  using Bits = AnyFilter::Bits;
  using KeyAdapter<Type>::KeyAdapter;

  Result<InsertOutcome> Insert(Keys keys, Bits inserted, uint64_t* inserted_at) override {
    if (inserted_at != nullptr) *inserted_at = 0;
    return inserted.empty() ? this->filter_.Insert(keys) : this->filter_.Insert(keys, inserted);
  }
  Result<EraseOutcome> Erase(Keys keys, Bits erased) override {
    return erased.empty() ? this->filter_.Erase(keys) : this->filter_.Erase(keys, erased);
  }
  Result<EraseOutcome> EraseAll(Keys keys, AnyFilter::Times inserted_at, Bits missing) override {
    if (!inserted_at.empty()) return AnyFilter::EraseAll(keys, inserted_at, missing);
    return this->filter_.EraseAll(keys, missing);
  }
  bool InsertOne(Key key, uint64_t* inserted_at) noexcept override {
    if (inserted_at != nullptr) *inserted_at = 0;
    return this->filter_.Insert(key);
  }
  bool InsertOneAt(Key key, uint64_t) noexcept override { return this->filter_.Insert(key); }
  bool InsertOneIfAbsent(Key key, uint64_t* inserted_at) noexcept override {
    if (inserted_at != nullptr) *inserted_at = 0;
    return this->filter_.InsertIfAbsent(key);
  }
  bool EraseOneAt(Key key, uint64_t) noexcept override { return this->filter_.Erase(key); }
};

template <class Type>
class ExpiringAdapter : public KeyAdapter<Type> {
 public:
  using Bits = AnyFilter::Bits;
  using KeyAdapter<Type>::KeyAdapter;

  bool expires() const noexcept override { return true; }
  uint64_t now() const noexcept override { return this->filter_.now(); }
  Result<bool> Advance(uint64_t now) override { return this->filter_.Advance(now); }

  Result<EraseOutcome> EraseAt(Keys keys, uint64_t inserted_at, Bits erased) override {
    return erased.empty() ? this->filter_.Erase(keys, inserted_at)
                          : this->filter_.Erase(keys, inserted_at, erased);
  }
  Result<EraseOutcome> EraseAll(Keys keys, AnyFilter::Times inserted_at, Bits missing) override {
    if (inserted_at.empty() && !keys.empty()) return this->Unsupported("erase by time");
    return this->filter_.EraseAll(keys, inserted_at, missing);
  }
  bool InsertOneAt(Key key, uint64_t time) noexcept override {
    return this->filter_.Insert(key, time);
  }
  bool InsertOneIfAbsent(Key key, uint64_t* inserted_at) noexcept override {
    return this->filter_.InsertIfAbsent(key, inserted_at);
  }
  bool EraseOneAt(Key key, uint64_t inserted_at) noexcept override {
    return this->filter_.Erase(key, inserted_at);
  }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ANY_FILTER_ADAPTER_H_
