// First occurrences of a stream: an event is passed on unless it was seen within the last window.
//
//   stream_dedup WINDOW < EVENTS     lines "TIME KEY"; WINDOW and TIME in seconds
//   stream_dedup                     a made-up stream, checked against an exact set
//
// An event that passes once is certainly in the window, so no duplicate passes. An event is dropped
// by mistake with the filter's false-positive rate, which the program prints.
#include <trommel/trommel.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unordered_map>

namespace {

int DedupInput(trommel::WindowFilter& seen) {
  uint64_t time = 0;
  std::string key;
  while (std::cin >> time && std::getline(std::cin >> std::ws, key)) {
    if (!seen.Advance(time)) {
      std::fprintf(stderr, "stream_dedup: time %llu is before %llu\n",
                   static_cast<unsigned long long>(time),
                   static_cast<unsigned long long>(seen.now()));
      return 3;
    }
    if (seen.InsertIfAbsent(key)) std::cout << time << ' ' << key << '\n';
  }
  return 0;
}

// Ten events per second for an hour; one in two repeats an event of the last 20 minutes.
int DedupMadeUp(trommel::WindowFilter& seen) {
  uint64_t state = 1;
  const auto next = [&state](uint64_t below) {  // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
  };
  std::unordered_map<uint64_t, uint64_t> passed_at;  // exact: when the key passed last
  uint64_t num_passed = 0;
  uint64_t num_repeats_passed = 0;
  uint64_t num_new_dropped = 0;
  uint64_t newest = 0;
  for (uint64_t time = 0; time < 3'600; ++time) {
    seen.Advance(time);
    for (int i = 0; i < 10; ++i) {
      const bool repeats = newest > 6'000 && next(2) == 0;
      const uint64_t key = repeats ? newest - next(6'000) : ++newest;
      const auto last = passed_at.find(key);
      const bool in_window = last != passed_at.end() && time - last->second < seen.window();
      // Between window and window + bucket, a key may be in or not.
      const bool expired =
          last == passed_at.end() || time - last->second >= seen.window() + seen.bucket_ticks();
      if (seen.InsertIfAbsent(key)) {
        ++num_passed;
        num_repeats_passed += in_window;
        passed_at[key] = time;
      } else {
        num_new_dropped += expired;
      }
    }
  }
  std::printf("36,000 events: %llu passed, %llu repeats among them, %llu new ones dropped\n",
              static_cast<unsigned long long>(num_passed),
              static_cast<unsigned long long>(num_repeats_passed),
              static_cast<unsigned long long>(num_new_dropped));
  std::printf("%llu bytes, false-positive rate now %.3f %%\n",
              static_cast<unsigned long long>(seen.GetStats().num_bytes),
              100 * seen.GetStats().predicted_fpr);
  return num_repeats_passed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t window = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 600;
  // Twice the keys of an even stream: any burst up to that keeps the rate.
  auto seen = trommel::WindowFilter::Create({.window = window, .capacity = 12'000});
  if (!seen) {
    std::fprintf(stderr, "stream_dedup: %s\n", seen.error().message.c_str());
    return 2;
  }
  return argc > 1 ? DedupInput(*seen) : DedupMadeUp(*seen);
}
