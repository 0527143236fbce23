// Keys from files and pipes: every format, and every way in which a record can fall across blocks.
#include "tools/trommel/input/key_pipeline.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/executor.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;
using Strings = std::vector<std::string>;

// All that comes out of a pipeline.
struct Reading {
  Strings records;
  Strings keys;                    // of formats whose keys are strings
  std::vector<uint64_t> integers;  // of those whose keys are not
  uint64_t num_empty = 0;
  std::string header;
  std::string error;

  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading ReadWith(Executor* executor, const Strings& paths, const KeyOptions& options,
                 const ReaderLimits& limits) {
  Reading reading;
  std::atomic<size_t> num_worked{0};
  KeyStages stages;
  stages.work = [&](KeyBatch& batch) { num_worked += batch.records().size(); };
  stages.finish = [&](const KeyBatch& batch) {
    REQUIRE(batch.records().size() == batch.keys().size());
    if (!batch.header.empty()) {
      CHECK(reading.records.empty());  // before all lines, once
      CHECK(reading.header.empty());
      reading.header = batch.header;
    }
    for (const std::string_view record : batch.records()) reading.records.emplace_back(record);
    if (batch.keys().kind() == KeyKind::kViews) {
      const auto* keys = static_cast<const std::string_view*>(batch.keys().data());
      for (size_t i = 0; i < batch.keys().size(); ++i) reading.keys.emplace_back(keys[i]);
    }
    for (const uint64_t integer : batch.integers()) reading.integers.push_back(integer);
    reading.num_empty += batch.num_empty();
    return Ok();
  };
  const Status done = RunKeyPipeline(paths, options, limits, executor, stages);
  if (!done.ok()) reading.error = done.error().message;
  CHECK(num_worked >= reading.records.size());
  return reading;
}

// What one thread reads; several must read the same.
Reading ReadAll(const Strings& paths, const KeyOptions& options, const ReaderLimits& limits = {}) {
  static const std::vector<std::shared_ptr<Executor>> executors = {
      Executor::Create(1).value(), Executor::Create(2).value(), Executor::Create(8).value()};
  const Reading reading = ReadWith(nullptr, paths, options, limits);
  for (const auto& executor : executors) {
    INFO(executor->num_threads() << " threads");
    CHECK(ReadWith(executor.get(), paths, options, limits) == reading);
  }
  return reading;
}

KeyOptions Format(KeyFormat format) {
  KeyOptions options;
  options.format = format;
  return options;
}

TEST_CASE("lines come out whole for every block size", "[tools][key_pipeline]") {
  const TempFolder folder;
  const std::string text = "a\n\nbc\nlonger than most blocks\nx\n\n\nlast without newline";
  const std::string path = folder.Write("keys", text);
  const Strings want = {"a", "bc", "longer than most blocks", "x", "last without newline"};
  for (size_t block_bytes = 1; block_bytes <= text.size() + 1; ++block_bytes) {
    INFO(block_bytes << " bytes");
    ReaderLimits limits;
    limits.block_bytes = block_bytes;
    const Reading reading = ReadAll({path}, KeyOptions{}, limits);
    CHECK(reading.error.empty());
    CHECK(reading.keys == want);
    CHECK(reading.records == want);
    CHECK(reading.num_empty == 3);
  }
}

TEST_CASE("a file ends its last line, newline or not", "[tools][key_pipeline]") {
  const TempFolder folder;
  const Strings paths = {folder.Write("1", "a\nb"), folder.Write("2", ""), folder.Write("3", "c\n"),
                         folder.Write("4", "d")};
  CHECK(ReadAll(paths, KeyOptions{}).keys == Strings{"a", "b", "c", "d"});
}

TEST_CASE("a carriage return belongs to the key unless it is stripped", "[tools][key_pipeline]") {
  const TempFolder folder;
  const std::string path = folder.Write("keys", "a\r\nb\n\r\nc\r");
  CHECK(ReadAll({path}, KeyOptions{}).keys == Strings{"a\r", "b", "\r", "c\r"});
  KeyOptions options;
  options.strip_cr = true;
  const Reading reading = ReadAll({path}, options);
  CHECK(reading.keys == Strings{"a", "b", "c"});
  CHECK(reading.records == Strings{"a\r", "b", "c\r"});
  CHECK(reading.num_empty == 1);
}

TEST_CASE("hex keys are decoded for every block size", "[tools][key_pipeline]") {
  const TempFolder folder;
  const std::string path = folder.Write("keys", "00ff\nAbCd\n\n0102030405060708\n");
  for (size_t block_bytes = 1; block_bytes < 32; ++block_bytes) {
    ReaderLimits limits;
    limits.block_bytes = block_bytes;
    const Reading reading = ReadAll({path}, Format(KeyFormat::kHex), limits);
    CHECK(reading.keys == Strings{std::string("\x00\xff", 2), "\xab\xcd", "\1\2\3\4\5\6\7\10"});
    CHECK(reading.records == Strings{"00ff", "AbCd", "0102030405060708"});
  }
}

TEST_CASE("decimal and raw integers are the same keys", "[tools][key_pipeline]") {
  const TempFolder folder;
  const std::vector<uint64_t> want = {0, 1, 258, ~uint64_t{0}};
  std::string decimal;
  std::string raw;
  for (const uint64_t integer : want) {
    decimal += std::to_string(integer) + "\n";
    for (int byte = 0; byte < 8; ++byte) raw += static_cast<char>(integer >> (8 * byte));
  }
  const Reading lines = ReadAll({folder.Write("u64", decimal)}, Format(KeyFormat::kU64));
  CHECK(lines.integers == want);
  CHECK(lines.records.back() == "18446744073709551615");
  for (size_t block_bytes = 1; block_bytes < 40; ++block_bytes) {
    ReaderLimits limits;
    limits.block_bytes = block_bytes;
    const Reading bytes = ReadAll({folder.Write("raw64", raw)}, Format(KeyFormat::kRaw64), limits);
    CHECK(bytes.integers == want);
    CHECK(bytes.records.back() == std::string(8, '\xff'));
  }
}

TEST_CASE("a column is the key and the whole line is the record", "[tools][key_pipeline]") {
  const TempFolder folder;
  const std::string path = folder.Write("table", "id\tname\n1\tann\n2\t\n3\tbob\tx\n");
  KeyOptions options = Format(KeyFormat::kTsv);
  options.has_header = true;
  options.columns[0].name = "name";
  const Reading reading = ReadAll({path, path}, options);
  CHECK(reading.keys == Strings{"ann", "bob", "ann", "bob"});
  CHECK(reading.records[1] == "3\tbob\tx");
  CHECK(reading.num_empty == 2);
  CHECK(reading.header == "id\tname");
  options.columns[0].name = "age";
  CHECK(ReadAll({path}, options).error == path + ":1: no column named 'age'");
}

TEST_CASE("a bad key is named by file and line, after the keys before it",
          "[tools][key_pipeline]") {
  const TempFolder folder;
  struct Case {
    KeyFormat format;
    std::string text;
    std::string error;
    size_t num_before;
  };
  const std::vector<Case> cases = {
      {KeyFormat::kU64, "1\n\nx\n4\n", ":3: not a decimal integer: 'x'", 1},
      {KeyFormat::kU64, "1\n2\n99999999999999999999\n",
       ":3: larger than 18446744073709551615: '99999999999999999999'", 2},
      {KeyFormat::kHex, "00\n0\n", ":2: odd number of hex digits (1): '0'", 1},
      {KeyFormat::kHex, "0g\n", ":1: not hex digits: '0g'", 0},
      {KeyFormat::kRaw64, "12345678123", ": byte 8: a raw64 key has 8 bytes, 3 left", 1},
  };
  for (const Case& bad : cases) {
    for (const size_t block_bytes : {size_t{1}, size_t{5}, size_t{1000}}) {
      ReaderLimits limits;
      limits.block_bytes = block_bytes;
      const std::string path = folder.Write("keys", bad.text);
      const Reading reading = ReadAll({path}, Format(bad.format), limits);
      CHECK(reading.error == path + bad.error);
      CHECK(reading.records.size() == bad.num_before);
    }
  }
  KeyOptions options = Format(KeyFormat::kTsv);
  options.columns[0].idx = 2;
  const std::string path = folder.Write("table", "a\tb\tc\na\tb\n");
  CHECK(ReadAll({path}, options).error == path + ":2: no column 3: 'a\\x09b'");
}

TEST_CASE("a record longer than the limit is an error, not a full memory",
          "[tools][key_pipeline]") {
  const TempFolder folder;
  const std::string path = folder.Write("keys", "a\n" + std::string(1000, 'x'));
  ReaderLimits limits;
  limits.block_bytes = 16;
  limits.record_bytes = 256;
  CHECK_THAT(ReadAll({path}, KeyOptions{}, limits).error,
             Catch::Matchers::ContainsSubstring(path + ":2: no end of record"));
}

TEST_CASE("lines are counted anew in every file, the header among them", "[tools][key_pipeline]") {
  const TempFolder folder;
  KeyOptions options = Format(KeyFormat::kTsv);
  options.has_header = true;
  options.columns[0].idx = 1;
  const std::string good = folder.Write("good", "id\tname\n1\ta\n2\tb\n");
  const std::string bad = folder.Write("bad", "id\tname\n1\ta\n\n3\n");
  for (const size_t block_bytes : {size_t{1}, size_t{7}, size_t{1000}}) {
    ReaderLimits limits;
    limits.block_bytes = block_bytes;
    const Reading reading = ReadAll({good, bad, good}, options, limits);
    CHECK(reading.error == bad + ":4: no column 2: '3'");
    CHECK(reading.keys == Strings{"a", "b", "a"});
  }
}

TEST_CASE("what ends the last stage ends the pass", "[tools][key_pipeline]") {
  const TempFolder folder;
  const std::string path = folder.Write("keys", tests::Lines("key", 10000));
  ReaderLimits limits;
  limits.block_bytes = 100;
  for (const uint32_t num_threads : {1, 2, 8}) {
    const auto executor = Executor::Create(num_threads).value();
    int num_finished = 0;
    KeyStages stages;
    stages.finish = [&](const KeyBatch&) -> Status {
      if (++num_finished < 3) return Ok();
      return Error{ErrorCode::kIo, "disk full"};
    };
    const Status failed = RunKeyPipeline({path}, {}, limits, executor.get(), stages);
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().message == "disk full");
    CHECK(num_finished == 3);

    stages.finish = [](const KeyBatch&) -> Status { throw std::runtime_error("last"); };
    CHECK_THROWS_WITH(RunKeyPipeline({path}, {}, limits, executor.get(), stages), "last");
    stages.work = [](KeyBatch&) { throw std::runtime_error("middle"); };
    CHECK_THROWS_WITH(RunKeyPipeline({path}, {}, limits, executor.get(), stages), "middle");
  }
}

}  // namespace
}  // namespace trommel::tool
