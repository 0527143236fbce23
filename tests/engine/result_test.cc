// Result and Status: a value or an error, moved and not copied.
#include "trommel/result.h"

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "support/catch.h"
#include "support/death.h"

namespace trommel {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) {
    return Error{ErrorCode::kInvalidArgument, std::to_string(number) + " is odd"};
  }
  return number / 2;
}

TEST_CASE("a result is a value or an error", "[engine][result]") {
  const Result<int> good = Half(8);
  REQUIRE(good.ok());
  CHECK(static_cast<bool>(good));
  CHECK(*good == 4);
  CHECK(good.value() == 4);
  const Result<int> bad = Half(7);
  REQUIRE_FALSE(bad.ok());
  CHECK_FALSE(static_cast<bool>(bad));
  CHECK(bad.error().code == ErrorCode::kInvalidArgument);
  CHECK(bad.error().message == "7 is odd");
}

TEST_CASE("the value of a result can be moved out", "[engine][result]") {
  Result<std::unique_ptr<std::string>> result = std::make_unique<std::string>("sieve");
  REQUIRE(result.ok());
  CHECK((*result)->size() == 5);
  CHECK(result->get() == result.value().get());
  const std::unique_ptr<std::string> taken = *std::move(result);
  CHECK(*taken == "sieve");
}

TEST_CASE("reading what a result does not hold ends the program and says why", "[engine][result]") {
  CHECK_THAT(tests::AbortMessage([] {
               const Result<int> failed = Error{ErrorCode::kIo, "disk full"};
               (void)*failed;
             }),
             Catch::Matchers::ContainsSubstring("disk full"));
  CHECK_THAT(tests::AbortMessage([] { (void)Ok().error(); }),
             Catch::Matchers::ContainsSubstring("misuse"));
}

TEST_CASE("every error code has a name of its own", "[engine][result]") {
  const std::array codes = {
      ErrorCode::kInvalidArgument, ErrorCode::kOutOfMemory, ErrorCode::kMismatch,
      ErrorCode::kCorrupt,         ErrorCode::kVersion,     ErrorCode::kIo,
      ErrorCode::kExists,          ErrorCode::kNotFlushed,  ErrorCode::kBusy,
      ErrorCode::kUnsupported};
  std::set<std::string_view> names;
  for (const ErrorCode code : codes) {
    CHECK_FALSE(ErrorCodeName(code).empty());
    CHECK(names.insert(ErrorCodeName(code)).second);
  }
  CHECK(ErrorCodeName(ErrorCode::kMismatch) == "Mismatch");
  CHECK_FALSE(ErrorCodeName(static_cast<ErrorCode>(99)).empty());
}

}  // namespace
}  // namespace trommel
