#include "index/soak/rows.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

namespace trommel::index::soak {

ClusterConfig SoakConfig(Structure structure) {
  ClusterConfig config;
  config.schema.attributes = {
      {"city", true}, {"brand", true}, {"tags", true}, {"serial", true}, {"note", false}};
  config.num_servers = 3;
  config.structure = structure;
  for (uint32_t slot = kRowsPerWriter / 7; slot < kRowsPerWriter; slot += kRowsPerWriter / 7) {
    config.splits.push_back(KeyOf(0, slot));
  }
  return config;
}

std::string KeyOf(uint32_t writer, uint32_t slot) {
  char text[24];
  std::snprintf(text, sizeof text, "row%05u-%u", slot, writer);  // writers share all regions
  return text;
}

std::vector<Values> AttributesOf(uint32_t writer, uint32_t slot, Content content) {
  const uint64_t mix = Mix(Mix(writer) ^ uint64_t{slot} << 32 ^ content);
  std::vector<Values> attributes(5);
  if (mix % 11 != 0) attributes[0] = {"city " + std::to_string(mix % 13)};  // else null
  attributes[1] = {"brand " + std::to_string(mix / 16 % 300)};
  for (uint64_t t = 0; t < mix / 8192 % 4; ++t) {
    attributes[2].push_back("tag " + std::to_string(Mix(mix + t) % 40));
  }
  attributes[3] = {std::string("serial\0", 7) + std::to_string(mix)};
  attributes[4] = {"note " + std::to_string(content)};
  return attributes;
}

std::vector<Change> ChangesOf(uint64_t seed, uint32_t writer, uint64_t number) {
  uint64_t random = Mix(seed ^ Mix(number * kNumWriters + writer));
  const auto next = [&] { return random = Mix(random); };
  std::vector<Change> changes(next() % 4 == 0 ? 2 + next() % 4 : 1);
  for (Change& change : changes) {
    // A tenth of the rows are written half of the time.
    const bool is_hot = next() % 2 == 0;
    change.slot = static_cast<uint32_t>(next() % (is_hot ? kRowsPerWriter / 10 : kRowsPerWriter));
    change.content = next() % 3 == 0 ? 0 : 1 + static_cast<Content>(next() % 1'000'000);
  }
  return changes;
}

std::vector<Mutation> MutationsOf(uint32_t writer, const std::vector<Change>& changes) {
  std::vector<Mutation> mutations;
  for (const Change& change : changes) {
    Mutation& mutation = mutations.emplace_back();
    mutation.key = KeyOf(writer, change.slot);
    if (change.content != 0)
      mutation.attributes = AttributesOf(writer, change.slot, change.content);
  }
  return mutations;
}

namespace {

// Sorted, each value once: as rows are stored.
std::vector<Values> Canonical(std::vector<Values> attributes) {
  for (Values& values : attributes) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  return attributes;
}

}  // namespace

std::vector<std::string> Check(Cluster& cluster, const std::vector<Model>& models) {
  std::vector<std::string> wrong;
  const auto say = [&](std::string text) {
    if (wrong.size() < 20) wrong.push_back(std::move(text));
  };
  // By attribute and value: the keys of the rows that have it.
  std::map<std::pair<uint32_t, std::string>, std::set<std::string>> expected;
  for (uint32_t writer = 0; writer < models.size(); ++writer) {
    for (uint32_t slot = 0; slot < kRowsPerWriter; ++slot) {
      const std::string key = KeyOf(writer, slot);
      const Content content = models[writer].At(slot);
      const Result<std::optional<Row>> row = cluster.Get(key);
      if (!row) {
        say(key + ": " + row.error().message);
        continue;
      }
      if (row->has_value() != (content != 0)) {
        say(key + (content != 0 ? " is lost" : " was deleted and is there"));
        continue;
      }
      if (content == 0) continue;
      const std::vector<Values> attributes = Canonical(AttributesOf(writer, slot, content));
      if ((*row)->attributes != attributes) say(key + " has other values");
      for (uint32_t a = 0; a < kNumIndexed; ++a) {
        for (const std::string& value : attributes[a]) expected[{a, value}].insert(key);
      }
    }
  }
  for (const auto& [condition, keys] : expected) {
    const Result<QueryOutcome> outcome =
        cluster.Find({.conditions = {{condition.first, condition.second}}});
    if (!outcome || !outcome->unanswered.empty()) {
      say(condition.second + ": the query was not answered");
      continue;
    }
    std::set<std::string> found;
    for (const Row& row : outcome->rows) found.insert(row.key);
    if (found != keys) {
      say(condition.second + ": " + std::to_string(found.size()) + " rows found, " +
          std::to_string(keys.size()) + " have the value");
    }
  }
  const Result<VerifyReport> report = cluster.Verify();
  if (!report) {
    say("verify: " + report.error().message);
  } else if (!report->ok()) {
    for (const std::string& example : report->examples) say("verify: " + example);
    say("verify: does not agree");
  }
  return wrong;
}

std::vector<std::string> DrainAndCheck(Cluster& cluster) {
  std::vector<std::string> wrong;
  for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
    for (uint32_t slot = 0; slot < kRowsPerWriter; ++slot) {
      const Status status = cluster.Delete(KeyOf(writer, slot));
      if (!status) wrong.push_back(KeyOf(writer, slot) + ": " + status.error().message);
    }
  }
  if (!cluster.BuildColumns()) wrong.push_back("columns cannot be built");
  const Result<VerifyReport> report = cluster.Verify();
  if (!report || !report->ok() || report->num_rows != 0 || report->num_entries != 0) {
    wrong.push_back("rows or entries are left");
  }
  const ServerIndexStats stats = cluster.GetStats().directory;
  for (uint32_t a = 0; a < kNumIndexed; ++a) {
    if (stats.attributes[a].num_pairs != 0) {
      wrong.push_back(std::to_string(stats.attributes[a].num_pairs) + " pairs are left");
    }
  }
  return wrong;
}

}  // namespace trommel::index::soak
