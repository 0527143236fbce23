// PrometheusText: what a scraper of exposition format 0.0.4 requires, by a parser of our own.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "engine/index/src/cluster/prometheus_page.h"
#include "support/catch.h"
#include "trommel/index/cluster.h"
#include "trommel/index/metrics.h"

namespace trommel::index::tests {
namespace {

struct Series {
  std::string name;
  std::map<std::string, std::string> labels;

  friend auto operator<=>(const Series&, const Series&) = default;
};

// One page. Reading it fails the test at the first line that is not as the format says.
class ScrapedPage {
 public:
  explicit ScrapedPage(const std::string& text) {
    REQUIRE(text.ends_with('\n'));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      ReadLine(line);
    }
    CHECK(types_.size() == helps_.size());
  }

  // Requires that there is such a sample.
  double Value(const std::string& name, const std::map<std::string, std::string>& labels = {}) {
    CAPTURE(name, labels);
    const auto found = samples_.find({name, labels});
    REQUIRE(found != samples_.end());
    return found->second;
  }

  const std::map<std::string, std::string>& types() const { return types_; }
  const std::map<Series, double>& samples() const { return samples_; }

 private:
  void ReadLine(const std::string& line) {
    static const std::regex kHelp("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) .+");
    static const std::regex kType("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)");
    std::smatch part;
    if (std::regex_match(line, part, kHelp)) {
      current_ = part[1];
      CHECK(helps_.insert(current_).second);  // once, so its samples are all behind it
    } else if (std::regex_match(line, part, kType)) {
      CHECK(part[1] == current_);  // behind its help, before its samples
      CHECK(types_.emplace(current_, part[2]).second);
      CHECK((part[2] == "counter") == current_.ends_with("_total"));
    } else {
      ReadSample(line);
    }
  }

  void ReadSample(const std::string& line) {
    static const std::regex kLabel(R"re(([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)")re");
    REQUIRE(line.starts_with(current_));
    Series series{.name = current_, .labels = {}};
    CHECK(types_.contains(series.name));
    auto at = line.begin() + static_cast<ptrdiff_t>(current_.size());
    if (*at == '{') {
      do {
        std::smatch label;
        ++at;
        REQUIRE(std::regex_search(at, line.end(), label, kLabel,
                                  std::regex_constants::match_continuous));
        CHECK(series.labels.emplace(label[1], Unescaped(label[2])).second);
        at = label[0].second;
        REQUIRE(at != line.end());
      } while (*at == ',');
      REQUIRE(*at++ == '}');
    }
    REQUIRE(*at == ' ');
    double value = -1;
    const char* const end = line.data() + line.size();
    const auto read = std::from_chars(&*at + 1, end, value);
    CHECK(read.ec == std::errc());
    CHECK(read.ptr == end);
    CHECK(samples_.emplace(series, value).second);
  }

  static std::string Unescaped(const std::string& text) {
    std::string value;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool is_escaped = text[i] == '\\';
      if (is_escaped) ++i;
      value += is_escaped && text[i] == 'n' ? '\n' : text[i];
    }
    return value;
  }

  std::string current_;  // metric
  std::set<std::string> helps_;
  std::map<std::string, std::string> types_;
  std::map<Series, double> samples_;
};

Schema SchemaOf(const std::vector<std::string>& names) {
  Schema schema;
  for (const std::string& name : names) {
    schema.attributes.push_back({.name = name, .is_indexed = true});
  }
  return schema;
}

ClusterStats StatsOf(const Schema& schema) {
  ClusterStats stats;
  stats.directory.attributes.resize(schema.attributes.size());
  stats.servers.resize(2);
  return stats;
}

TEST_CASE("a page of metrics has a help, a type and each series once", "[index]") {
  const Schema schema = SchemaOf({"colour", "size"});
  ClusterStats stats = StatsOf(schema);
  stats.directory.num_regions = 12;
  stats.directory.num_bytes = uint64_t{5} << 40;
  stats.directory.attributes[0] = {.state = AttributeState::kBuilding, .num_unbuilt = 12};
  stats.directory.attributes[1] = {.state = AttributeState::kIndexed,
                                   .num_pairs = 345,
                                   .is_growing = true,
                                   .next_num_unbuilt = 7,
                                   .num_bytes = 6789,
                                   .predicted_false_regions = 0.125};
  stats.servers[1] = {.is_stopped = true, .num_regions = 6, .num_lookups = 99};
  stats.gates = {.num_waits = 3,
                 .wait_seconds = 1.5,
                 .longest_wait = 1.25,
                 .num_switches = 4,
                 .longest_switch = 1e-5};
  stats.queries.num_queries = 1000;
  stats.queries.num_false = 17;
  stats.num_leftovers = 2;
  stats.last_failure = "server 1 is stopped";

  ScrapedPage page(PrometheusText(schema, stats));
  CHECK(page.types().at("trommel_index_queries_total") == "counter");
  CHECK(page.types().at("trommel_index_regions") == "gauge");
  for (const auto& [name, type] : page.types()) {
    CAPTURE(name, type);
    CHECK(name.starts_with("trommel_index_"));
  }
  CHECK(page.Value("trommel_index_regions") == 12);
  CHECK(page.Value("trommel_index_directory_bytes") == static_cast<double>(uint64_t{5} << 40));
  CHECK(page.Value("trommel_index_queries_total") == 1000);
  CHECK(page.Value("trommel_index_query_false_regions_total") == 17);
  CHECK(page.Value("trommel_index_gate_waits_total") == 3);
  CHECK(page.Value("trommel_index_gate_wait_seconds_total") == 1.5);
  CHECK(page.Value("trommel_index_gate_longest_wait_seconds") == 1.25);
  CHECK(page.Value("trommel_index_gate_longest_switch_seconds") == 1e-5);
  CHECK(page.Value("trommel_index_leftovers") == 2);
  CHECK(page.Value("trommel_index_background_failed") == 1);

  const auto of = [](const std::string& attribute) {
    return std::map<std::string, std::string>{{"attribute", attribute}};
  };
  CHECK(page.Value("trommel_index_attribute_unbuilt_regions", of("colour")) == 12);
  CHECK(page.Value("trommel_index_attribute_pairs", of("size")) == 345);
  CHECK(page.Value("trommel_index_attribute_growing", of("size")) == 1);
  CHECK(page.Value("trommel_index_attribute_growing", of("colour")) == 0);
  CHECK(page.Value("trommel_index_attribute_successor_unbuilt_regions", of("size")) == 7);
  CHECK(page.Value("trommel_index_attribute_bytes", of("size")) == 6789);
  CHECK(page.Value("trommel_index_attribute_expected_false_regions", of("size")) == 0.125);
  for (const std::string state : {"none", "indexed", "building", "dropping"}) {
    const auto is = [&](const std::string& attribute) {
      return page.Value("trommel_index_attribute_state",
                        {{"attribute", attribute}, {"state", state}});
    };
    CHECK(is("colour") == (state == "building" ? 1 : 0));
    CHECK(is("size") == (state == "indexed" ? 1 : 0));
  }

  CHECK(page.Value("trommel_index_server_stopped", {{"server", "0"}}) == 0);
  CHECK(page.Value("trommel_index_server_stopped", {{"server", "1"}}) == 1);
  CHECK(page.Value("trommel_index_server_regions", {{"server", "1"}}) == 6);
  CHECK(page.Value("trommel_index_server_lookups_total", {{"server", "1"}}) == 99);
}

TEST_CASE("names of attributes with any bytes are labels that differ", "[index]") {
  const std::vector<std::string> names = {"a\"b\\c\nd",
                                          "with {braces}, commas=equals",
                                          "gr\xC3\xBC\xC3\x9F",
                                          "bad\xFF",
                                          "bad\xFE",
                                          "bad\\xff",
                                          "bad\\xff'",
                                          "overlong\xC0\xAF",
                                          "surrogate\xED\xA0\x80",
                                          "cut\xE2\x82",
                                          "\xF0\x9F\x98\x80",
                                          std::string("zero\0byte", 9),
                                          "beyond\xF4\x90\x80\x80"};
  const Schema schema = SchemaOf(names);
  ScrapedPage page(PrometheusText(schema, StatsOf(schema)));
  std::set<std::string> labels;
  for (const auto& [series, value] : page.samples()) {
    if (series.name != "trommel_index_attribute_pairs") continue;
    const std::string& label = series.labels.at("attribute");
    CHECK(AsUtf8(label) == label);  // has no byte to escape
    labels.insert(label);
  }
  CHECK(labels == std::set<std::string>{
                      "a\"b\\c\nd", "with {braces}, commas=equals", "gr\xC3\xBC\xC3\x9F",
                      "bad\\xff''", "bad\\xfe", "bad\\xff", "bad\\xff'", "overlong\\xc0\\xaf",
                      "surrogate\\xed\\xa0\\x80", "cut\\xe2\\x82", "\xF0\x9F\x98\x80",
                      std::string("zero\0byte", 9), "beyond\\xf4\\x90\\x80\\x80"});
}

TEST_CASE("numbers of metrics are read back as they were", "[index]") {
  PrometheusPage page;
  page.Begin("a", MetricType::kGauge, "text with \\ and\nnewline, and \"quotes\"");
  page.Add(0.1);
  page.Add(UINT64_MAX, {{"x", "max"}});
  page.Add(-std::numeric_limits<double>::infinity(), {{"x", "low"}});
  page.Add(std::numeric_limits<double>::quiet_NaN(), {{"x", "none"}, {"y", ""}});
  CHECK(page.Take() ==
        "# HELP a text with \\\\ and\\nnewline, and \"quotes\"\n"
        "# TYPE a gauge\n"
        "a 0.1\n"
        "a{x=\"max\"} 18446744073709551615\n"
        "a{x=\"low\"} -Inf\n"
        "a{x=\"none\",y=\"\"} NaN\n");
}

}  // namespace
}  // namespace trommel::index::tests
