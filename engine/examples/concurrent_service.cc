// A set of session tokens shared by all threads of a service, saved beside its writers.
//
//   concurrent_service [FILE]      the snapshot: loaded at the start if it is there
//
// Threads log sessions in (Insert) and out (Erase) and check tokens (MayContain, no lock), while
// one thread saves snapshots, each of one moment. After a restart the service goes on from the
// last. Tokens come from clients, so they are hashed under a secret key: a client that knows the
// hash function still cannot choose tokens that collide.
#include <trommel/trommel.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 3;
constexpr int kSessions = 20'000;  // of each thread

std::string Token(int thread, int session) {
  return "session-" + std::to_string(thread) + "-" + std::to_string(session);
}

// Logs every session in, checks it, and logs two of three out again.
void Serve(trommel::ConcurrentFilter& tokens, int thread, std::atomic<uint64_t>& num_errors) {
  for (int i = 0; i < kSessions; ++i) {
    tokens.Insert(Token(thread, i));
    if (!tokens.MayContain(Token(thread, i))) ++num_errors;
    if (i % 3 != 0 && !tokens.Erase(Token(thread, i))) ++num_errors;
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A service reads its key from a place that clients cannot: the same key after each restart.
  std::array<std::byte, trommel::DigestKey::kNumBytes> secret;
  for (size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::byte>(i * 37 + 11);
  const trommel::DigestKey key(secret);
  const std::filesystem::path path =
      argc > 1 ? argv[1]
               : std::filesystem::temp_directory_path() /
                     ("trommel-sessions-" + std::to_string(getpid()) + ".trommel");

  trommel::Result<trommel::ConcurrentFilter> tokens =
      std::filesystem::exists(path)
          ? trommel::ConcurrentFilter::Load(path, 0, key)
          : trommel::ConcurrentFilter::Create({.capacity = kThreads * kSessions,
                                               .target_fpr = 0.001,
                                               .digest = trommel::DigestPolicy::Keyed(key)});
  if (!tokens) {
    std::fprintf(stderr, "concurrent_service: %s\n", tokens.error().message.c_str());
    return 3;
  }
  const uint64_t num_before = tokens->num_keys();

  std::atomic<uint64_t> num_errors = 0;
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] { Serve(*tokens, t, num_errors); });
  }
  int num_snapshots = 0;
  std::thread saver([&] {
    while (!done) {
      if (!tokens->Save(path, {.point_in_time = true}).ok()) ++num_errors;
      ++num_snapshots;
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  saver.join();

  if (!tokens->Save(path).ok()) ++num_errors;
  const auto restarted = trommel::ConcurrentFilter::Load(path, 0, key);
  if (!restarted || restarted->num_keys() != tokens->num_keys()) ++num_errors;
  const uint64_t num_new = tokens->num_keys() - num_before;
  std::printf("%llu sessions after %d threads; snapshots beside them: %d, errors: %llu\n",
              static_cast<unsigned long long>(tokens->num_keys()), kThreads, num_snapshots,
              static_cast<unsigned long long>(num_errors.load()));
  if (argc < 2) std::filesystem::remove(path);
  const uint64_t expected = uint64_t{kThreads} * ((kSessions + 2) / 3);
  return num_errors == 0 && num_new == expected ? 0 : 1;
}
