// A filter of any type: what all types do alike is a template, what differs is an overload.
#include "tools/trommel/filters/family_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/filters/window_keys.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

using Digests = std::span<const uint64_t>;
using Times = std::span<const uint64_t>;

// --- Batches. The general form is CountingFilter's.

template <class Filter>
Applied InsertInto(Filter& filter, Digests digests, Times) {
  filter.Insert(Keys::Digests(digests));
  return {.num_done = digests.size()};
}

template <class Filter>
Applied InsertAbsentInto(Filter& filter, Digests digests, Times, std::span<uint64_t> inserted) {
  return {.num_done = filter.InsertIfAbsent(Keys::Digests(digests), inserted)};
}

template <class Filter>
Applied EraseFrom(Filter& filter, Digests digests, Times) {
  std::vector<uint64_t> erased(BitmapWords(digests.size()));
  return AppliedOf(filter.Erase(Keys::Digests(digests), erased), erased);
}

Applied InsertInto(ScalableFilter& filter, Digests digests, Times) {
  return AppliedOf(filter.Insert(Keys::Digests(digests)));
}

Applied InsertAbsentInto(ScalableFilter& filter, Digests digests, Times,
                         std::span<uint64_t> inserted) {
  return AppliedOf(filter.InsertIfAbsent(Keys::Digests(digests), inserted));
}

Applied EraseFrom(WindowFilter& filter, Digests digests, Times times) {
  return EraseAtTimes(filter, digests, times);
}

template <class Filter>
size_t QueryOf(const Filter& filter, Keys keys, std::span<uint64_t> maybe_present) {
  return filter.Query(keys, maybe_present);
}

// An attribute filter takes no keys: CheckTakesKeys has failed before.

Applied InsertInto(AttributeFilter&, Digests digests, Times) {
  return {.num_refused = digests.size()};
}

Applied InsertAbsentInto(AttributeFilter&, Digests digests, Times, std::span<uint64_t> inserted) {
  std::ranges::fill(inserted, 0);
  return {.num_refused = digests.size()};
}

Applied EraseFrom(AttributeFilter&, Digests digests, Times) {
  return {.num_refused = digests.size()};
}

size_t QueryOf(const AttributeFilter&, Keys, std::span<uint64_t> maybe_present) {
  std::ranges::fill(maybe_present, 0);
  return 0;
}

// --- What it is.

template <class Filter>
uint64_t NumKeysOf(const Filter& filter) {
  return filter.num_keys();
}

uint64_t NumKeysOf(const AttributeFilter& filter) { return filter.num_tuples(); }

template <class Filter>
double CurrentFprOf(const Filter& filter) {
  return filter.MeasureFill().current_fpr;
}

// Of the set with the highest rate.
double CurrentFprOf(const AttributeFilter& filter) {
  double highest = 0;
  for (const ScalableFill& set : filter.MeasureFill()) {
    highest = std::max(highest, set.current_fpr);
  }
  return highest;
}

template <class Filter>
uint64_t CapacityOf(const Filter& filter) {
  return filter.capacity();
}

uint64_t CapacityOf(const ScalableFilter& filter) { return filter.largest_capacity(); }

uint64_t CapacityOf(const AttributeFilter&) { return 0; }  // each set has its own

uint64_t SplittingKeysOf(const CountingFilter& filter) { return filter.geometry().num_blocks; }

// Of the newest generation, which takes nearly all keys, or of the one array.
uint64_t SplittingKeysOf(const ScalableFilter& filter) {
  if (filter.mode() == GrowthMode::kDoubling) return filter.GetStats().doubling.num_blocks;
  return filter.GetStats().generations.back().geometry.num_blocks;
}

uint64_t SplittingKeysOf(const WindowFilter& filter) { return filter.geometry().num_blocks; }

uint64_t SplittingKeysOf(const AttributeFilter&) { return 0; }

std::string AFilter(FilterType type) {
  return fmt::format("{} {} filter", type == FilterType::kAttributes ? "an" : "a",
                     FilterTypeName(type));
}

Error Unfit(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

FamilyFilter::FamilyFilter(AnyFilter filter) : filter_(std::move(filter)) {
  if (const auto* window = std::get_if<WindowFilter>(&filter_)) window_rate_.emplace(*window);
}

const DigestPolicy& FamilyFilter::digest_policy() const noexcept {
  return std::visit([](const auto& one) -> const DigestPolicy& { return one.digest_policy(); },
                    filter_);
}

uint64_t FamilyFilter::num_keys() const noexcept {
  return std::visit([](const auto& one) { return NumKeysOf(one); }, filter_);
}

uint64_t FamilyFilter::capacity() const noexcept {
  return std::visit([](const auto& one) { return CapacityOf(one); }, filter_);
}

uint64_t FamilyFilter::num_bytes() const {
  return std::visit([](const auto& one) { return one.GetStats().num_bytes; }, filter_);
}

double FamilyFilter::current_fpr() const {
  return std::visit([](const auto& one) { return CurrentFprOf(one); }, filter_);
}

uint64_t FamilyFilter::num_keys_worth_splitting() const noexcept {
  return std::visit([](const auto& one) { return SplittingKeysOf(one); }, filter_);
}

void FamilyFilter::UseExecutor(std::shared_ptr<Executor> executor) {
  std::visit([&executor](auto& one) { one.UseExecutor(std::move(executor)); }, filter_);
}

Applied FamilyFilter::Insert(Digests digests, Times times) {
  if (auto* window = std::get_if<WindowFilter>(&filter_)) {
    return InsertAtTimes(*window, digests, times, *window_rate_);
  }
  return std::visit([&](auto& one) { return InsertInto(one, digests, times); }, filter_);
}

Applied FamilyFilter::InsertIfAbsent(Digests digests, Times times, std::span<uint64_t> inserted) {
  if (auto* window = std::get_if<WindowFilter>(&filter_)) {
    return InsertIfAbsentAtTimes(*window, digests, times, inserted, *window_rate_);
  }
  return std::visit([&](auto& one) { return InsertAbsentInto(one, digests, times, inserted); },
                    filter_);
}

Applied FamilyFilter::Erase(Digests digests, Times times) {
  return std::visit([&](auto& one) { return EraseFrom(one, digests, times); }, filter_);
}

size_t FamilyFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const {
  return std::visit([&](const auto& one) { return QueryOf(one, keys, maybe_present); }, filter_);
}

void FamilyFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const {
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.CountEstimates(keys, counts); }) {
          one.CountEstimates(keys, counts);
        } else {
          std::ranges::fill(counts, 0);
        }
      },
      filter_);
}

Status FamilyFilter::Advance(uint64_t now) {
  auto* window = std::get_if<WindowFilter>(&filter_);
  if (window == nullptr) return Unfit(fmt::format("{} has no time", AFilter(type())));
  if (window->Advance(now)) return Ok();
  return Unfit(
      fmt::format("the window filter's time is {} ms already, past {} ms", window->now(), now));
}

Status FamilyFilter::CheckTakesKeys(std::string_view instead) const {
  if (!std::holds_alternative<AttributeFilter>(filter_)) return Ok();
  return Unfit(fmt::format(
      "this is an attribute filter, of rows of columns, not of keys: use trommel attr {}",
      instead));
}

Status FamilyFilter::CheckCanErase(bool has_times) const {
  const auto* window = std::get_if<WindowFilter>(&filter_);
  if (window != nullptr && !window->is_erasable()) {
    return Unfit("keys cannot be erased: this window filter was made with --no-erase");
  }
  if (!has_times && window != nullptr) {
    return Unfit(
        "a window filter erases a key at the time it was inserted: name the column of that time "
        "with "
        "--time");
  }
  return CheckTimes(has_times);
}

Status FamilyFilter::CheckTimes(bool has_times) const {
  if (!has_times || std::holds_alternative<WindowFilter>(filter_)) return Ok();
  return Unfit(fmt::format("--time is for window filters, and this is {}", AFilter(type())));
}

void FamilyFilter::Describe(Report& report) const {
  report.Add("type", std::string(FilterTypeName(type())), "type",
             std::string(FilterTypeName(type())));
  std::visit([&report](const auto& one) { DescribeFilter(one, report); }, filter_);
}

}  // namespace trommel::tool
