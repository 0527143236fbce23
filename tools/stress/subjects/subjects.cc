// The filters of each type, as plans describe them.
#include "tools/stress/subjects/subjects.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "trommel/concurrent_filter.h"

namespace trommel::stress {
namespace {

constexpr uint64_t kRecordBytes = 64;      // of side memory, for one promoted block
constexpr uint64_t kKeysPerPart = 10'000;  // of a filter that grows, in 2^kPartBits parts
constexpr uint32_t kPartBits = 6;

CreateFilter CreateOf(FilterType type, const DigestPolicy& digest) {
  return [=](const Figures& description, std::shared_ptr<Executor> executor) {
    return AnyFilter::Create(type, description, digest, std::move(executor));
  };
}

Result<std::unique_ptr<Subject>> MakeSubjectOf(const RoundPlan& plan, SubjectOptions options) {
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  Result<AnyFilterPtr> filter = options.create(options.description, *std::move(executor));
  return SubjectOf(std::move(filter), std::move(options));
}

// A filter of the plan's geometry, for threads.
CreateFilter CreateOf(const Geometry& geometry, const CountingConfig& config) {
  return [=](const Figures&, std::shared_ptr<Executor> executor) -> Result<AnyFilterPtr> {
    Result<CountingFilter> exclusive =
        CountingFilter::CreateWithGeometry(geometry, config.digest, config.memory_limit_bytes);
    if (!exclusive.ok()) return exclusive.error();
    exclusive->UseExecutor(std::move(executor));
    Result<ConcurrentFilter> filter = ConcurrentFilter::Adopt(*std::move(exclusive));
    if (!filter.ok()) return filter.error();
    return AnyFilter::Of(*std::move(filter));
  };
}

// Limits side memory to so many promoted blocks of each part.
Result<AnyFilterPtr> Limited(Result<AnyFilterPtr> filter, uint64_t num_records) {
  if (!filter.ok()) return filter;
  const Figures figures = (*filter)->GetFigures(/*measured=*/false);
  const uint64_t num_parts =
      uint64_t{1} << std::min<uint64_t>(FigureOr<uint64_t>(figures, "shard_bits", 0), 10);
  const uint64_t of_part = FigureOr<uint64_t>(figures, "num_blocks", 0) / num_parts;
  const bool is_dense = FigureOr(figures, "encoding", std::string()) == "dense";
  const uint64_t least = is_dense ? 12 * (of_part / 64 + 1) : 0;  // a part has no less
  const Status limited =
      (*filter)->LimitSideMemory((least + kRecordBytes * num_records) * num_parts);
  if (!limited.ok()) return limited.error();
  return filter;
}

// All keys of a filter that grows go to few of its parts, as many as make
// these double several times with the keys of the round:
//
//   digest        d d d d d d d d d ...        of which a round of 4,000 keys
//   uses one part, given to it   0 0 0 0 0 0 d d d ...        one of 200,000
//   keys sixteen
uint32_t NumZerosOf(const RoundPlan& plan) {
  const auto part_bits =
      static_cast<uint32_t>(std::bit_width(uint64_t{plan.num_ids()} / kKeysPerPart));
  return kPartBits - std::min(part_bits, kPartBits);
}

}  // namespace

Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const RoundPlan& plan) {
  const CountingConfig& config = plan.config;
  SubjectOptions options = {
      .description = {{"capacity", config.capacity},
                      {"target_fpr", config.target_fpr},
                      {"num_slices", config.num_slices},
                      {"encoding", std::string(EncodingName(config.encoding))},
                      {"memory_limit_bytes", config.memory_limit_bytes}},
      .create = plan.geometry ? CreateOf(*plan.geometry, config)
                              : CreateOf(FilterType::kConcurrent, config.digest),
      .may_refuse = plan.side_records > 0};
  if (plan.side_records == 0) return MakeSubjectOf(plan, std::move(options));
  Result<std::shared_ptr<Executor>> executor = PlannedExecutor(plan);
  if (!executor.ok()) return executor.error();
  Result<AnyFilterPtr> filter =
      Limited(options.create(options.description, *std::move(executor)), plan.side_records);
  return SubjectOf(std::move(filter), std::move(options));
}

Result<std::unique_ptr<Subject>> MakeScalableSubject(const RoundPlan& plan) {
  return MakeSubjectOf(plan,
                       {.description = {{"memory_limit_bytes", plan.config.memory_limit_bytes}},
                        .create = CreateOf(FilterType::kScalable, plan.config.digest),
                        .num_zeros = NumZerosOf(plan)});
}

Figures DrawWindow(const RoundPlan& plan) {
  constexpr std::array<uint32_t, 6> kNumBuckets = {1, 2, 3, 5, 8, 30};
  constexpr std::array<uint32_t, 4> kTicksPerBucket = {1, 4, 50, 1000};
  Random random = plan.RandomOf(kWindowStream);
  const uint32_t num_buckets = kNumBuckets[random.Below(kNumBuckets.size())];
  uint64_t window = uint64_t{num_buckets} * kTicksPerBucket[random.Below(kTicksPerBucket.size())];
  // In windows that num_buckets does not divide, lengths of buckets differ by
  // one tick.
  if (random.OneIn(2)) window += random.Below(num_buckets);
  // One in three with slots of 24 bits, also where there are few buckets.
  const double target_fpr = random.OneIn(3) ? 5e-4 : plan.config.target_fpr;
  return {{"window", window},
          {"num_buckets", num_buckets},
          {"capacity", plan.config.capacity},
          {"target_fpr", target_fpr}};
}

Result<AnyFilterPtr> CreateWindow(const Figures& description, std::shared_ptr<Executor> executor) {
  return AnyFilter::Create(FilterType::kWindow, description, {}, std::move(executor));
}

Result<std::unique_ptr<Subject>> MakeWindowSubject(const RoundPlan& plan,
                                                   const CreateFilter& create) {
  return MakeSubjectOf(plan, {.description = DrawWindow(plan), .create = create});
}

Result<std::unique_ptr<Subject>> MakeTypedSubject(const RoundPlan& plan) {
  if (plan.type == FilterType::kScalable) return MakeScalableSubject(plan);
  if (plan.type == FilterType::kWindow) return MakeWindowSubject(plan);
  return MakeConcurrentSubject(plan);
}

}  // namespace trommel::stress
