#include "bench/index/write_trial.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace trommel::bench {
namespace {

constexpr size_t kLoadSlabs = 20;
constexpr size_t kRowsPerLoadWrite = 1000;
constexpr size_t kRowsPerSlab = 100;

// Wall seconds of work() until it fails.
template <class Work>
Result<double> SecondsOf(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  if (const Status status = work(); !status) return status.error();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<double> BuildSeconds(index::Cluster& table) {
  return SecondsOf([&table]() -> Status {
    const Result<bool> is_built = table.BuildColumns();
    if (!is_built) return is_built.error();
    return Ok();
  });
}

}  // namespace

const char* NameOf(WriteSide side) noexcept {
  constexpr const char* kNames[] = {"RocksDB batch alone", "local index", "exact map",
                                    "server filters", "column map"};
  static_assert(std::size(kNames) == kNumWriteSides);
  return kNames[static_cast<size_t>(side)];
}

Result<LoadFigures> WriteTrial::Load() {
  LoadFigures figures;
  const size_t num_rows = table_.rows.size();
  for (size_t slab = 0; slab < kLoadSlabs; ++slab) {
    Mutations mutations;
    for (size_t i = slab * num_rows / kLoadSlabs; i < (slab + 1) * num_rows / kLoadSlabs; ++i) {
      mutations.push_back({table_.rows[i].key, table_.rows[i].attributes});
    }
    if (mutations.empty()) continue;
    const Status status = RunSlab(mutations, kRowsPerLoadWrite, figures.rows);
    if (!status) return status.error();
  }
  const Result<double> filters = BuildSeconds(sides_.server_filters());
  if (!filters) return filters.error();
  const Result<double> column_map = BuildSeconds(sides_.column_map());
  if (!column_map) return column_map.error();
  figures.server_filters_build_seconds = *filters;
  figures.column_map_build_seconds = *column_map;
  return figures;
}

Result<WriteFigures> WriteTrial::Update(size_t num_rows) {
  WriteFigures figures;
  for (size_t done = 0; done < num_rows; done += kRowsPerSlab) {
    const Mutations slab = Updates(std::min(kRowsPerSlab, num_rows - done));
    if (const Status status = RunSlab(slab, 1, figures); !status) return status.error();
  }
  return figures;
}

Result<WriteFigures> WriteTrial::Delete(size_t num_rows) {
  WriteFigures figures;
  num_rows = std::min(num_rows, table_.rows.size());
  std::ranges::shuffle(table_.rows, random_);
  while (num_rows > 0) {
    Mutations slab;
    for (; num_rows > 0 && slab.size() < kRowsPerSlab; --num_rows) {
      slab.push_back({table_.rows.back().key, std::nullopt});
      table_.rows.pop_back();
    }
    if (const Status status = RunSlab(slab, 1, figures); !status) return status.error();
  }
  return figures;
}

Status WriteTrial::RunSlab(const Mutations& slab, size_t rows_per_write, WriteFigures& figures) {
  const auto in_writes = [&](const auto& write) {
    return SecondsOf([&]() -> Status {
      for (std::span<const index::Mutation> left = slab; !left.empty();) {
        const size_t num_rows = std::min(rows_per_write, left.size());
        if (Status status = write(left.first(num_rows)); !status) return status;
        left = left.subspan(num_rows);
      }
      return Ok();
    });
  };
  const auto add = [&](WriteSide side, double seconds) {
    figures[static_cast<size_t>(side)].push_back(1e6 * seconds / static_cast<double>(slab.size()));
  };
  const std::array<std::function<Status()>, 3> sides = {
      [&]() -> Status {
        PlainSeconds parts;
        const auto all = in_writes([&](auto rows) { return sides_.WritePlain(rows, parts); });
        if (!all) return all.error();
        add(WriteSide::kCommit, parts.commit);
        add(WriteSide::kLocalIndex, parts.read + parts.commit);
        add(WriteSide::kExactMap, parts.read + parts.commit + parts.map);
        return Ok();
      },
      [&]() -> Status {
        const auto all = in_writes([&](auto rows) { return sides_.server_filters().Write(rows); });
        if (!all) return all.error();
        add(WriteSide::kServerFilters, *all);
        return Ok();
      },
      [&]() -> Status {
        const auto all = in_writes([&](auto rows) { return sides_.column_map().Write(rows); });
        if (!all) return all.error();
        add(WriteSide::kColumnMap, *all);
        return Ok();
      }};
  for (size_t turn = 0; turn < sides.size(); ++turn) {
    const Status status = sides[(num_slabs_ + turn) % sides.size()]();
    if (!status) return status;
  }
  ++num_slabs_;
  return Ok();
}

WriteTrial::Mutations WriteTrial::Updates(size_t num_rows) {
  Mutations updates;
  std::vector<index::Row>& rows = table_.rows;
  const std::vector<index::Attribute>& attributes = table_.schema.attributes;
  // A value that happens to be the row's own would make no write: tried again, but a table whose
  // rows are all alike has no other.
  for (size_t tries = 0; updates.size() < num_rows && tries < 1000 * num_rows; ++tries) {
    const size_t attribute = Below(attributes.size());
    index::Row& row = rows[Below(rows.size())];
    const index::Values& values = rows[Below(rows.size())].attributes[attribute];
    if (!attributes[attribute].is_indexed || row.attributes[attribute] == values) continue;
    row.attributes[attribute] = values;
    updates.push_back({row.key, row.attributes});
  }
  return updates;
}

}  // namespace trommel::bench
