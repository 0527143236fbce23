// The canonical file: the same counts give the same bytes, and these are the bytes.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "golden/files.h"
#include "kernels/reference.h"
#include "support/catch.h"
#include "support/file_forge.h"
#include "support/program.h"
#include "support/sample_filters.h"
#include "support/subject.h"
#include "support/targets.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using tests::Bytes;

// The sections of a reference filter's store, number after number, as store_sections.h draws them.
class Speller {
 public:
  // Are these the sections of the file's store, behind its numbers?
  static bool Spells(const kernels::ReferenceFilter& filter, const Bytes& file) {
    const tests::FileForge forge(file);
    const bool has_runs = filter.shape().has_runs;
    std::vector<std::pair<const char*, Bytes>> wanted;
    const auto add = [&](const char* name, const auto& write) {
      Speller speller;
      write(speller);
      if (!speller.bytes_.empty()) wanted.emplace_back(name, std::move(speller.bytes_));
    };
    if (has_runs) {
      add("blocks", [&](Speller& to) { to.Blocks(filter); });
    } else {
      add("presence", [&](Speller& to) { to.Words(filter.PresenceWords()); });
      add("counts", [&](Speller& to) { to.Words(filter.CountWords()); });
    }
    add("side", [&](Speller& to) {
      for (const uint64_t block_idx : filter.PromotedBlocks()) to.Entry(filter, block_idx);
    });
    return std::ranges::equal(
        std::span(forge.sections).subspan(1), wanted, [](const auto& section, const auto& spelled) {
          return NameOf(section.record) == spelled.first && section.bytes == spelled.second;
        });
  }

 private:
  void Number(uint64_t number, int num_bytes) {
    for (int i = 0; i < num_bytes; ++i) {
      bytes_.push_back(static_cast<std::byte>(number >> (8 * i)));
    }
  }
  void Words(const std::vector<uint32_t>& words) {
    for (const uint32_t word : words) Number(word, 4);
  }
  // Each block's presence words, then its runs.
  void Blocks(const kernels::ReferenceFilter& filter) {
    const std::vector<uint32_t> presence = filter.PresenceWords();
    const std::vector<uint32_t> runs = filter.CountWords();
    const size_t presence_words = presence.size() / filter.num_blocks();
    const size_t run_words = runs.size() / filter.num_blocks();
    for (uint64_t b = 0; b < filter.num_blocks(); ++b) {
      for (size_t w = 0; w < presence_words; ++w) Number(presence[b * presence_words + w], 4);
      for (size_t w = 0; w < run_words; ++w) Number(runs[b * run_words + w], 4);
    }
  }
  void Entry(const kernels::ReferenceFilter& filter, uint64_t block_idx) {
    const size_t in_block = filter.shape().num_counters();
    const auto counters = std::span(filter.counters()).subspan(block_idx * in_block, in_block);
    const uint64_t largest = *std::ranges::max_element(counters);
    const int width = largest < 256 ? 1 : largest < 65536 ? 2 : largest >> 32 == 0 ? 4 : 8;
    Number(block_idx, 8);
    Number(static_cast<uint64_t>(width), 4);
    Number(0, 4);
    for (const uint64_t count : counters) Number(count, width);
  }
  Bytes bytes_;
};

TEST_CASE("a file is what the reference's counters spell, whatever the detours",
          "[engine][files]") {
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t seed = Catch::rngSeed() * 1000 + i;
    const tests::Program program = tests::RandomProgram(seed);
    tests::ReferenceSubject reference(program);
    tests::FilterSubject filters(program);
    REQUIRE(tests::FirstDisagreement(program, filters, reference).empty());
    for (const size_t which : {0, 1}) {
      const CountingFilter& filter = filters.filter(which);
      const Bytes file = filter.Serialize();
      if (!Speller::Spells(reference.filter(which), file)) {
        FAIL_CHECK("another file than spelled after\n" << tests::ToText(program));
      }
      const Result<CountingFilter> read = CountingFilter::Deserialize(file);
      REQUIRE(read.ok());
      if (read->Serialize() != file) {
        FAIL_CHECK("read and written, another file after\n" << tests::ToText(program));
      }
    }
  }
}

TEST_CASE("files of the samples never change, on any target", "[engine][files][golden]") {
  tests::ForEachRunnableTarget([] {
    const std::vector<tests::Sample> samples = tests::SampleFilters();
    REQUIRE(samples.size() == golden::kFiles.size());
    for (size_t i = 0; i < samples.size(); ++i) {
      const golden::FileRecord& record = golden::kFiles[i];
      INFO("sample " << samples[i].name);
      const Bytes file = samples[i].filter.Serialize();
      CHECK(samples[i].name == record.name);
      CHECK(file.size() == record.num_bytes);
      CHECK(Checksum::Of(file) == record.hash);
    }
  });
}

}  // namespace
}  // namespace trommel
