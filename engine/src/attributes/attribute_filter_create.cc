// Creation of attribute filters: requests are checked, sized and made; and what a filter is, with
// its statistics.
#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/attributes/set_sizes.h"
#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/scalable/growth_plan.h"
#include "engine/src/tuples/projection.h"
#include "engine/src/tuples/projection_capacity.h"

namespace trommel {
namespace {

Error BadRequest(std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

std::vector<std::string> NamesFor(const AttributeConfig& config) {
  if (!config.names.empty()) return config.names;
  std::vector<std::string> numbers;
  for (uint32_t a = 0; a < config.sets.num_attributes(); ++a) numbers.push_back(std::to_string(a));
  return numbers;
}

Status CheckNumbers(const AttributeConfig& config) {
  if (config.capacity == 0 || config.capacity > kMaxCapacity) {
    return BadRequest("capacity is " + std::to_string(config.capacity) +
                      "; it must be between 1 and " + std::to_string(kMaxCapacity));
  }
  if (Status good = CheckPolicy(config.digest); !good.ok()) return good;
  if (config.max_capacity != 0 &&
      (config.max_capacity < config.capacity || config.max_capacity > kMaxCapacity)) {
    return BadRequest("max_capacity is " + std::to_string(config.max_capacity) +
                      "; it must be between capacity, " + std::to_string(config.capacity) +
                      ", and " + std::to_string(kMaxCapacity));
  }
  const uint32_t num_attributes = config.sets.num_attributes();
  if (!config.num_values.empty() && config.num_values.size() != num_attributes) {
    return BadRequest("num_values has " + std::to_string(config.num_values.size()) +
                      " numbers; it must have one for each of the " +
                      std::to_string(num_attributes) + " attributes, or none");
  }
  const auto zero = std::ranges::find(config.num_values, 0U);
  if (zero != config.num_values.end()) {
    return BadRequest("num_values[" + std::to_string(zero - config.num_values.begin()) +
                      "] is 0; it must be at least 1");
  }
  return Ok();
}

// Capacity and rate of each allowed set.
Result<std::vector<SetBudget>> BudgetsFor(const AttributeConfig& config) {
  std::vector<SetBudget> budgets;
  for (const AttributeMask set : config.sets.allowed()) {
    budgets.push_back(
        {.set = set,
         .capacity = ProjectionCapacity(set, config.sets, config.capacity, config.num_values),
         .target_fpr = config.target_fpr});
  }
  std::vector<bool> is_given(budgets.size());
  for (const SetBudget& given : config.budgets) {
    if (!config.sets.IsAllowed(given.set)) {
      return BadRequest("a budget for " + AttributeMaskText(given.set) +
                        ", which is not an allowed set of attributes");
    }
    const size_t set_idx = config.sets.IndexOf(given.set);
    if (is_given[set_idx]) {
      return BadRequest("two budgets for " + AttributeMaskText(given.set));
    }
    is_given[set_idx] = true;
    if (given.capacity != 0) budgets[set_idx].capacity = given.capacity;
    if (given.target_fpr != 0) budgets[set_idx].target_fpr = given.target_fpr;
  }
  return budgets;
}

// What a set's filter is made with.
ScalableConfig ConfigFor(const SetBudget& budget, const AttributeConfig& config) {
  return {.first_capacity = budget.capacity,
          .target_fpr = budget.target_fpr,
          .max_capacity = LargestOfSet(budget.capacity, config.capacity, config.max_capacity,
                                       budget.target_fpr),
          .digest = {.kind = DigestKind::kCaller},
          .memory_limit_bytes = config.memory_limit_bytes};
}

struct SetPlan {
  ScalableConfig config;
  GrowthPlan plan;
};

Result<std::vector<SetPlan>> PlansFor(std::span<const SetBudget> budgets,
                                      const AttributeConfig& config) {
  std::vector<SetPlan> plans;
  plans.reserve(budgets.size());
  for (const SetBudget& budget : budgets) {
    const ScalableConfig of_set = ConfigFor(budget, config);
    const Result<GrowthPlan> plan = GrowthPlan::MakeOfPart(of_set);
    if (!plan.ok()) {
      return BadRequest("the filter of " + AttributeMaskText(budget.set) + ": " +
                        plan.error().message);
    }
    plans.push_back({of_set, *plan});
  }
  return plans;
}

std::vector<double> RatesOf(const std::vector<std::unique_ptr<GrowingEngine>>& engines) {
  std::vector<double> rates;
  rates.reserve(engines.size());
  for (const auto& engine : engines) rates.push_back(engine->config().target_fpr);
  return rates;
}

}  // namespace

AttributeFilter::Impl::Impl(Frame made_of, std::shared_ptr<GrowingMemory> memory_of_all,
                            Engines engine_of_each_set)
    : frame(std::move(made_of)),
      memory(std::move(memory_of_all)),
      engines(std::move(engine_of_each_set)),
      plans(frame.sets, RatesOf(engines), memory->periods()) {}

void AttributeFilter::Impl::WriteDigests(size_t set_idx, const Tuples& tuples,
                                         std::span<uint64_t> digests) const {
  trommel::ProjectionDigests(frame.sets.allowed()[set_idx], tuples, digests);
  const uint32_t shift = engines[set_idx]->plan().digest_shift();
  for (uint64_t& digest : digests) digest >>= shift;
}

AttributeFilter::AttributeFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
AttributeFilter::AttributeFilter(AttributeFilter&&) noexcept = default;
AttributeFilter& AttributeFilter::operator=(AttributeFilter&&) noexcept = default;
AttributeFilter::~AttributeFilter() = default;

Status AttributeFilter::Impl::CheckNames(std::span<const std::string> names,
                                         uint32_t num_attributes) {
  if (names.size() != num_attributes) {
    return BadRequest("there are " + std::to_string(names.size()) + " names for " +
                      std::to_string(num_attributes) + " attributes");
  }
  for (size_t a = 0; a < names.size(); ++a) {
    const std::string& name = names[a];
    if (name.empty() || name.size() > kMaxNameBytes) {
      return BadRequest("the name of attribute " + std::to_string(a) + " has " +
                        std::to_string(name.size()) + " bytes; it must have between 1 and " +
                        std::to_string(kMaxNameBytes));
    }
    if (std::ranges::find(names.first(a), name) != names.begin() + static_cast<std::ptrdiff_t>(a)) {
      return BadRequest("two attributes are named \"" + name + "\"");
    }
  }
  return Ok();
}

uint64_t AttributeFilter::Impl::LimitFor(size_t num_sets, uint64_t memory_limit_bytes) {
  if (memory_limit_bytes != 0) return memory_limit_bytes;
  const uint64_t physical = MachineMemoryBytes();
  return physical - std::min(physical, num_sets * kFixedBytes);
}

Error AttributeFilter::Impl::TooLarge(const AttributeSets& sets, uint64_t num_bytes,
                                      uint64_t memory_limit_bytes) {
  const size_t num_sets = sets.allowed().size();
  std::string needs = "the filters of " + GroupedText(num_sets) + " sets of attributes";
  if (!sets.is_list() && !sets.is_by_cuts()) {
    needs += " (" + std::to_string(sets.num_attributes()) + " attributes, at most " +
             std::to_string(sets.max_together()) + " together)";
  }
  Error error = OverMemoryLimit(needs + " need", num_bytes, LimitFor(num_sets, memory_limit_bytes),
                                memory_limit_bytes != 0);
  if (num_sets > 1) error.message += ": keep fewer sets";
  return error;
}

Result<AttributeFilter> AttributeFilter::Create(const AttributeConfig& config) try {
  if (Status good = CheckNumbers(config); !good.ok()) return good.error();
  std::vector<std::string> names = NamesFor(config);
  if (Status good = Impl::CheckNames(names, config.sets.num_attributes()); !good.ok()) {
    return good.error();
  }
  const Result<std::vector<SetBudget>> budgets = BudgetsFor(config);
  if (!budgets.ok()) return budgets.error();
  const Result<std::vector<SetPlan>> plans = PlansFor(*budgets, config);
  if (!plans.ok()) return plans.error();
  uint64_t num_bytes = 0;
  // At most 2^16 sets of 2^38 bytes: cannot wrap.
  for (const SetPlan& of_set : *plans) num_bytes += of_set.plan.AllFirstBytes();
  const uint64_t limit = Impl::LimitFor(budgets->size(), config.memory_limit_bytes);
  if (num_bytes > limit) return Impl::TooLarge(config.sets, num_bytes, config.memory_limit_bytes);
  auto memory = std::make_shared<GrowingMemory>(limit);
  Impl::Engines engines;
  engines.reserve(budgets->size());
  for (const SetPlan& of_set : *plans) {
    Result<std::unique_ptr<GrowingEngine>> engine =
        GrowingEngine::Create(of_set.config, of_set.plan, true, memory);
    if (!engine.ok()) return engine.error();
    engines.push_back(*std::move(engine));
  }
  AttributeFilter made(std::make_unique<Impl>(Impl::Frame{.sets = config.sets,
                                                          .names = std::move(names),
                                                          .digest = config.digest,
                                                          .executor = nullptr},
                                              std::move(memory), std::move(engines)));
  made.UseExecutor(config.executor);
  return made;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the sets' filters"};
}

// --- What it is.

const AttributeSets& AttributeFilter::sets() const noexcept { return impl_->frame.sets; }

bool AttributeFilter::CanAnswer(AttributeMask asked) const noexcept {
  return (asked & ~sets().full()) == 0;
}

std::vector<AttributeMask> AttributeFilter::PartsOf(AttributeMask asked) const {
  TROMMEL_CHECK(CanAnswer(asked), "a query for attributes that the filter does not have");
  std::vector<AttributeMask> parts;
  const GracePeriods::Reader inside = impl_->memory->Enter();
  QueryPlans::Plan own;
  for (const uint32_t set_idx : impl_->plans.Make(asked, inside, own)) {
    parts.push_back(sets().allowed()[set_idx]);
  }
  return parts;
}

uint64_t AttributeFilter::num_tuples() const noexcept {
  return impl_->num_tuples.load(std::memory_order_relaxed);
}

uint64_t AttributeFilter::num_bytes() const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  uint64_t num_bytes = impl_->memory->num_bytes();
  for (const auto& engine : impl_->engines) num_bytes += engine->store().Figures().side_table_bytes;
  return num_bytes;
}

void AttributeFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
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
  stats.num_bytes = impl_->memory->num_bytes();
  for (size_t s = 0; s < impl_->engines.size(); ++s) {
    const GrowingEngine& engine = *impl_->engines[s];
    stats.sets.push_back({.set = sets().allowed()[s],
                          .capacity = engine.plan().options().first_capacity,
                          .target_fpr = engine.config().target_fpr,
                          .stats = engine.GetStats()});
    stats.num_bytes += stats.sets.back().stats.side_table_bytes;
  }
  stats.num_tuples = num_tuples();
  stats.num_refused_inserts = impl_->num_refused_inserts.load(std::memory_order_relaxed);
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  return stats;
}

std::vector<ScalableFill> AttributeFilter::MeasureFill() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::vector<ScalableFill> fill;
  for (const auto& engine : impl_->engines) fill.push_back(engine->MeasureFill());
  return fill;
}

void AttributeFilter::Clear() {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  for (const auto& engine : impl_->engines) engine->Clear();
  impl_->num_tuples = 0;
  impl_->num_refused_inserts = 0;
  impl_->num_refused_erases = 0;
}

void AttributeFilter::ProjectionDigests(AttributeMask set, const Tuples& tuples,
                                        std::span<uint64_t> digests) noexcept {
  trommel::ProjectionDigests(set, tuples, digests);
}

}  // namespace trommel
