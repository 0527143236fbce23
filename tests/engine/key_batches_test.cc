// Batches of keys from ranges that are not contiguous, and from parts of elements.
#include "trommel/key_batches.h"

#include <cstdint>
#include <deque>
#include <forward_list>
#include <list>
#include <ranges>
#include <string>
#include <vector>

#include "support/catch.h"
#include "trommel/digest.h"

namespace trommel {
namespace {

struct Order {
  int32_t customer;
  std::string city;
};

// The digests of all batches, which must follow each other.
class Collector {
 public:
  auto operator()() {
    return [this](size_t first, Keys keys) {
      CHECK(first == digests.size());
      CHECK(keys.size() <= kKeyBatchSize);
      CHECK((first % 64 == 0 && !keys.empty()));
      digests.resize(first + keys.size());
      DigestPolicy{}.Digests(keys, std::span(digests).subspan(first));
    };
  }
  std::vector<uint64_t> digests;
};

TEST_CASE("each element of a range is one key of one batch, in order", "[engine][keys]") {
  for (const size_t size : {size_t{0}, size_t{1}, kKeyBatchSize - 1, kKeyBatchSize,
                            kKeyBatchSize + 1, 3 * kKeyBatchSize + 5}) {
    std::list<Order> orders;
    std::vector<int64_t> customers;
    std::vector<std::string> cities;
    for (size_t i = 0; i < size; ++i) {
      customers.push_back(7 - static_cast<int64_t>(i));
      cities.push_back("city of number " + std::to_string(i));
      orders.push_back({static_cast<int32_t>(customers.back()), cities.back()});
    }
    std::vector<uint64_t> of_customers(size);
    std::vector<uint64_t> of_cities(size);
    DigestPolicy{}.Digests(customers, of_customers);
    DigestPolicy{}.Digests(cities, of_cities);

    Collector by_member, by_function, by_view, strings, made, copies;
    ForEachKeyBatch(orders, &Order::customer, by_member());
    ForEachKeyBatch(
        orders, [](const Order& order) { return order.customer; }, by_function());
#if !defined(__clang__) || __clang_major__ >= 16  // earlier ones cannot compile libstdc++'s views
    ForEachKeyBatch(orders | std::views::transform(&Order::customer), by_view());
    CHECK(by_view.digests == of_customers);
#endif
    ForEachKeyBatch(orders, &Order::city, strings());
    ForEachKeyBatch(
        orders, [](const Order& order) { return order.city + ""; }, made());
    ForEachKeyBatch(std::deque<std::string>(cities.begin(), cities.end()), copies());
    CHECK(by_member.digests == of_customers);
    CHECK(by_function.digests == of_customers);
    CHECK(strings.digests == of_cities);
    CHECK(made.digests == of_cities);
    CHECK(copies.digests == of_cities);
  }
}

TEST_CASE("integers of any type and spans of bytes are batched as the keys that they are",
          "[engine][keys]") {
  const std::forward_list<uint64_t> large = {1, UINT64_MAX, uint64_t{1} << 63};
  const std::forward_list<int16_t> small = {-1, 5};
  const std::vector<std::vector<std::byte>> blobs = {{std::byte{1}, std::byte{2}}, {}};
  const std::vector<std::vector<uint8_t>> octets = {{1, 2}, {}};
  Collector of_large, of_small, of_blobs, of_octets;
  ForEachKeyBatch(large, of_large());
  ForEachKeyBatch(small, of_small());
  ForEachKeyBatch(
      blobs, [](const auto& blob) { return std::span(blob); }, of_blobs());
  ForEachKeyBatch(
      octets, [](const auto& bytes) { return std::span(bytes); }, of_octets());
  const DigestPolicy policy;
  CHECK(of_large.digests == std::vector{policy(1), policy(UINT64_MAX), policy(uint64_t{1} << 63)});
  CHECK(of_small.digests == std::vector{policy(-1), policy(5)});
  CHECK(of_blobs.digests == std::vector{policy("\1\2"), policy("")});
  CHECK(of_octets.digests == of_blobs.digests);
}

}  // namespace
}  // namespace trommel
