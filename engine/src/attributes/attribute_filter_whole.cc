// Whole attribute filters: what they are, statistics and clearing.
#include <new>
#include <utility>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/base/check.h"
#include "engine/src/scalable/scalable_parts.h"
#include "engine/src/tuples/projection.h"

namespace trommel {
namespace {

std::vector<double> RatesOf(std::span<const ScalableFilter> filters) {
  std::vector<double> rates;
  for (const ScalableFilter& filter : filters) rates.push_back(filter.target_fpr());
  return rates;
}

}  // namespace

AttributeFilter::Impl::Impl(Frame made_of, std::vector<ScalableFilter> filter_of_each_set)
    : frame(std::move(made_of)),
      filters(std::move(filter_of_each_set)),
      plans(frame.sets, RatesOf(filters)) {}

AttributeFilter::AttributeFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
AttributeFilter::AttributeFilter(AttributeFilter&&) noexcept = default;
AttributeFilter& AttributeFilter::operator=(AttributeFilter&&) noexcept = default;
AttributeFilter::~AttributeFilter() = default;

const AttributeSets& AttributeFilter::sets() const noexcept { return impl_->frame.sets; }

bool AttributeFilter::CanAnswer(AttributeMask asked) const noexcept {
  return (asked & ~sets().full()) == 0;
}

std::vector<AttributeMask> AttributeFilter::PartsOf(AttributeMask asked) const {
  TROMMEL_CHECK(CanAnswer(asked), "a question beyond the attributes");
  std::vector<AttributeMask> parts;
  for (const uint32_t set_idx : impl_->plans.Of(asked)) parts.push_back(sets().allowed()[set_idx]);
  return parts;
}

uint64_t AttributeFilter::num_tuples() const noexcept {
  return impl_->num_tuples.load(std::memory_order_relaxed);
}

uint64_t AttributeFilter::num_bytes() const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  uint64_t num_bytes = 0;
  for (const ScalableFilter& filter : impl_->filters) num_bytes += ScalableParts::NumBytes(filter);
  return num_bytes;
}

void AttributeFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  for (ScalableFilter& filter : impl_->filters) filter.UseExecutor(executor);
  impl_->frame.executor = std::move(executor);
}

const DigestPolicy& AttributeFilter::digest_policy() const noexcept { return impl_->frame.digest; }

std::span<const std::string> AttributeFilter::names() const noexcept { return impl_->frame.names; }

Result<uint32_t> AttributeFilter::AttributeNamed(std::string_view name) const {
  std::string known;
  for (uint32_t a = 0; a < sets().num_attributes(); ++a) {
    if (names()[a] == name) return a;
    known += (a == 0 ? "" : ", ") + names()[a];
  }
  return Error{ErrorCode::kInvalidArgument,
               "no attribute is named \"" + std::string(name) + "\"; there are " + known};
}

AttributeStats AttributeFilter::GetStats() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  AttributeStats stats;
  for (size_t s = 0; s < impl_->filters.size(); ++s) {
    const ScalableFilter& filter = impl_->filters[s];
    stats.sets.push_back({.set = sets().allowed()[s],
                          .capacity = filter.first_capacity(),
                          .target_fpr = filter.target_fpr(),
                          .stats = filter.GetStats()});
    stats.num_bytes += stats.sets.back().stats.num_bytes;
  }
  stats.num_tuples = num_tuples();
  stats.num_refused_inserts = impl_->num_refused_inserts.load(std::memory_order_relaxed);
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  return stats;
}

void AttributeFilter::Clear() {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  // All are made before any is let go of: a failure leaves everything as it was.
  const auto budget = std::make_shared<MemoryBudget>(impl_->frame.memory->limit_bytes());
  std::vector<ScalableFilter> as_new;
  as_new.reserve(impl_->filters.size());
  for (const ScalableFilter& filter : impl_->filters) {
    Result<ScalableFilter> made = ScalableParts::EmptyLike(filter, budget);
    if (!made.ok()) throw std::bad_alloc();
    as_new.push_back(*std::move(made));
  }
  impl_->filters = std::move(as_new);
  impl_->frame.memory = budget;
  impl_->num_tuples = 0;
  impl_->num_refused_inserts = 0;
  impl_->num_refused_erases = 0;
}

void AttributeFilter::ProjectionDigests(AttributeMask set, const Tuples& tuples,
                                        std::span<uint64_t> digests) noexcept {
  trommel::ProjectionDigests(set, tuples, digests);
}

}  // namespace trommel
