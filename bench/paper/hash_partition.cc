#include "bench/paper/hash_partition.h"

#include <string>

#include "trommel/digest.h"

namespace trommel::paper {

double PartitionTrial::ChiSquare() const {
  const double mean = static_cast<double>(num_distinct) / static_cast<double>(distinct.size());
  double sum = 0;
  for (const uint64_t count : distinct) {
    const double off = static_cast<double>(count) - mean;
    sum += off * off / mean;
  }
  return sum;
}

PartitionTrial RunPartition(uint64_t num_lines, uint32_t num_strings, uint32_t num_machines,
                            RandomStream random) {
  constexpr uint32_t kNowhere = ~uint32_t{0};
  const DigestPolicy policy;
  PartitionTrial trial{.lines = std::vector<uint64_t>(num_machines),
                       .distinct = std::vector<uint64_t>(num_machines)};
  std::vector<uint32_t> machine_of(num_strings, kNowhere);
  std::string line = "string ";
  const size_t prefix = line.size();
  for (uint64_t i = 0; i < num_lines; ++i) {
    const double u = static_cast<double>(random.Next() >> 11) * 0x1p-53;
    const auto string = static_cast<uint32_t>(u * u * u * num_strings);
    line.resize(prefix);
    line += std::to_string(string);
    const auto machine = static_cast<uint32_t>(policy(Key(line)) % num_machines);
    ++trial.lines[machine];
    if (machine_of[string] == kNowhere) {
      machine_of[string] = machine;
      ++trial.distinct[machine];
      ++trial.num_distinct;
    }
    trial.num_on_two_machines += machine_of[string] != machine;
  }
  return trial;
}

}  // namespace trommel::paper
