// Names to sets and back, and what is said of those that are none.
#include "tools/trommel/input/column_names.h"

#include <string>
#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;

const Strings kNames = {"src", "dst", "domain"};

template <class T>
std::string WhyNot(const Result<T>& result) {
  return result.ok() ? "" : result.error().message;
}

TEST_CASE("a list of names is a set, and a set is its names in order", "[tools][attr_names]") {
  CHECK(ParseSet("domain,src", kNames).value() == 0b101);
  CHECK(SetText(0b101, kNames) == "src,domain");
  CHECK(SetText(0, kNames) == "");
  const Strings strange{"a", "\x1b[31m"};
  CHECK(SetText(0b11, strange).find('\x1b') == std::string::npos);
  CHECK(SplitNames("a,,b") == Strings{"a", "", "b"});
  CHECK(SplitNames("").empty());
  CHECK(WhyNot(ParseSet("src,zz", kNames)) ==
        "no attribute named 'zz'; there are 'src', 'dst', 'domain'");
  CHECK(WhyNot(ParseSet("src,src", kNames)) == "'src' is named twice");
  CHECK(WhyNot(ParseSet("", kNames)) == "no attribute is named");
}

TEST_CASE("a message names sets by their columns", "[tools][attr_names]") {
  CHECK(NamingSets("cut {0,2}: {1} is left", kNames) == "cut src,domain: dst is left");
  CHECK(NamingSets("{{0}", kNames) == "{src");
  for (const std::string same : {"", "no set", "{}", "{3}", "{0,x}", "{0", "0}", "{-1}", "{ 1}"}) {
    CHECK(NamingSets(same, kNames) == same);
  }
}

TEST_CASE("a share is one unless it is said", "[tools][attr_names]") {
  CHECK(ParseShare("src", kNames)->share == 1);
  const Result<QueryShare> share = ParseShare("domain,dst=2.5", kNames);
  REQUIRE(share.ok());
  CHECK(share->set == 0b110);
  CHECK(share->share == 2.5);
  for (const std::string wrong : {"", "0", "-1", "nan", "inf", "3x"}) {
    CHECK(WhyNot(ParseShare("src=" + wrong, kNames)) ==
          "'" + wrong + "' is no share: it must be a number above 0");
  }
  CHECK_THAT(WhyNot(ParseShare("zz=3", kNames)), ContainsSubstring("no attribute named 'zz'"));
}

TEST_CASE("numbers of values are given for some attributes or none", "[tools][attr_names]") {
  CHECK(ParseValues({}, kNames, 7)->empty());
  const Strings some = {"dst=1k", "src=3"};
  CHECK(ParseValues(some, kNames, 7).value() == std::vector<uint64_t>{3, 1000, 7});
  for (const std::string wrong : {"src", "src=0", "src=many", "zz=3"}) {
    CHECK_FALSE(ParseValues(Strings{wrong}, kNames, 7).ok());
  }
  CHECK(WhyNot(ParseValues(Strings{"src=1", "src=2"}, kNames, 7)) == "'src' is given twice");
}

TEST_CASE("a name that no list could hold is refused", "[tools][attr_names]") {
  const auto why_not = [](const Strings& names) {
    const Status checked = CheckNames(names);
    return checked.ok() ? "" : checked.error().message;
  };
  CHECK(why_not({"a", "", "b"}) == "column 2 has no name");
  CHECK(why_not({"a", "b", "a"}) == "columns 1 and 3 are both named 'a'");
  CHECK(why_not({"a,b"}) == "column 1 is named 'a,b': no name may have a comma");
  CHECK(why_not({std::string(255, 'x')}) == "");
  CHECK(why_not({std::string(256, 'x')}) == "column 1 has a name of 256 bytes: 255 at most");
  const std::vector<size_t> places = {6, 3};
  CHECK(CheckEachName(Strings{"a", "a"}, places).error().message ==
        "columns 7 and 4 are both named 'a'");
  CHECK(CheckEachName(Strings{"a", ""}, places).error().message == "column 4 has no name");
}

}  // namespace
}  // namespace trommel::tool
