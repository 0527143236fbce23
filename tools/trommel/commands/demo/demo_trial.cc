// The demo's trial.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "tools/trommel/commands/demo/demo.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

constexpr std::string_view kNonMemberSuffix = "~no-such-key";

// Calls `each` with one batch of keys after the other.
template <class Each>
void ForEachDemoBatch(std::span<const std::string_view> keys, Each each) {
  for (size_t first = 0; first < keys.size(); first += kDemoBatch) {
    each(keys.subspan(first, std::min(kDemoBatch, keys.size() - first)));
  }
}

void InsertAll(CountingFilter& filter, std::span<const std::string_view> keys) {
  ForEachDemoBatch(keys, [&filter](auto batch) { filter.Insert(batch); });
}

EraseOutcome EraseAll(CountingFilter& filter, std::span<const std::string_view> keys) {
  EraseOutcome total;
  ForEachDemoBatch(keys, [&](auto batch) {
    const EraseOutcome outcome = filter.Erase(batch);
    total.num_erased += outcome.num_erased;
    total.num_refused += outcome.num_refused;
  });
  return total;
}

}  // namespace

double Answers::rate() const {
  return num_asked == 0 ? expected_rate
                        : static_cast<double>(num_maybe_present) / static_cast<double>(num_asked);
}

double Answers::sigma() const {
  if (num_asked == 0) return 0;
  return std::sqrt(expected_rate * (1 - expected_rate) / static_cast<double>(num_asked));
}

double Answers::deviations() const {
  return sigma() > 0 ? std::fabs(rate() - expected_rate) / sigma() : 0;
}

bool Answers::as_expected() const {
  constexpr double kMaxDeviations = 6;
  constexpr double kFewKeys = 4;
  if (num_asked == 0) return true;
  return std::fabs(rate() - expected_rate) <=
         kMaxDeviations * sigma() + kFewKeys / static_cast<double>(num_asked);
}

bool Trial::ok() const {
  return members.all_present() && non_members.as_expected() && erased.num_refused == 0 &&
         erased.num_erased == part.num_chosen && left.all_present() && gone.as_expected() &&
         is_restored && is_emptied && predicted_fpr <= kDemoTargetFpr;
}

Answers Ask(const CountingFilter& filter, std::span<const std::string_view> keys,
            double expected_rate) {
  Answers answers;
  answers.num_asked = keys.size();
  answers.expected_rate = expected_rate;
  std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(std::min(kDemoBatch, keys.size())));
  ForEachDemoBatch(keys, [&](auto batch) {
    const std::span<uint64_t> words(bitmap.data(), CountingFilter::BitmapWords(batch.size()));
    filter.Query(batch, words);
    // Key by key: the promise is about each of them, not about the filter's own count.
    for (size_t i = 0; i < batch.size(); ++i) {
      answers.num_maybe_present += words[i / 64] >> (i % 64) & 1;
    }
  });
  return answers;
}

std::vector<std::string_view> MakeNonMembers(std::span<const std::string_view> members,
                                             std::vector<char>& bytes, uint64_t& num_skipped) {
  const std::unordered_set<std::string_view> exact(members.begin(), members.end());
  std::vector<size_t> ends;
  num_skipped = 0;
  bytes.clear();
  for (const std::string_view member : members) {
    const size_t begin = bytes.size();
    bytes.insert(bytes.end(), member.begin(), member.end());
    bytes.insert(bytes.end(), kNonMemberSuffix.begin(), kNonMemberSuffix.end());
    if (exact.contains(std::string_view(bytes.data() + begin, bytes.size() - begin))) {
      bytes.resize(begin);
      ++num_skipped;
    } else {
      ends.push_back(bytes.size());
    }
  }
  std::vector<std::string_view> non_members;
  size_t begin = 0;
  for (const size_t end : ends) {
    non_members.emplace_back(bytes.data() + begin, end - begin);
    begin = end;
  }
  return non_members;
}

Result<Trial> RunTrial(const DemoKeys& keys, std::span<const std::string_view> non_members,
                       Encoding encoding) {
  CountingConfig config;
  config.encoding = encoding;
  config.capacity = keys.keys.size();
  config.target_fpr = kDemoTargetFpr;
  Result<CountingFilter> created = CountingFilter::Create(config);
  if (!created.ok()) return created.error();
  CountingFilter& filter = *created;
  const std::vector<std::byte> empty_bytes = filter.Serialize();

  Trial trial;
  trial.geometry = filter.geometry();
  trial.num_keys = keys.keys.size();
  trial.part = ChoosePart(keys);
  std::vector<std::string_view> chosen;
  std::vector<std::string_view> others;
  for (size_t i = 0; i < keys.keys.size(); ++i) {
    (trial.part.chosen[i] ? chosen : others).push_back(keys.keys[i]);
  }

  InsertAll(filter, keys.keys);
  const Stats full = filter.GetStats();
  trial.num_bytes = full.num_bytes;
  trial.predicted_fpr = full.predicted_fpr;
  trial.current_fpr = filter.MeasureFill().current_fpr;
  trial.members = Ask(filter, keys.keys, 1);
  trial.non_members = Ask(filter, non_members, trial.current_fpr);
  const std::vector<std::byte> full_bytes = filter.Serialize();

  trial.erased = EraseAll(filter, chosen);
  trial.left = Ask(filter, others, 1);
  trial.gone = Ask(filter, chosen, filter.MeasureFill().current_fpr);

  InsertAll(filter, chosen);
  trial.is_restored = filter.Serialize() == full_bytes;
  EraseAll(filter, keys.keys);
  trial.is_emptied = filter.Serialize() == empty_bytes;
  return trial;
}

}  // namespace trommel::tool
