// WindowWriter: a thread that inserts and erases keys of its own, and races for those of all.
#ifndef TROMMEL_TOOLS_STRESS_WINDOW_WRITER_H_
#define TROMMEL_TOOLS_STRESS_WINDOW_WRITER_H_

#include <cstdint>
#include <vector>

#include "tools/stress/window_caller.h"

namespace trommel::stress {

// Copies that came in together. No id of a batch is told apart from its other copies.
struct WindowBatch {
  uint64_t tick = 0;
  std::vector<uint32_t> ids;
};

class WindowWriter : public WindowCaller {
 public:
  WindowWriter(WindowBoard& board, uint32_t thread);

  void Run();
  // What it has put in and not erased, but for what it saw leave the window.
  const std::vector<WindowBatch>& batches() const { return batches_; }

 private:
  struct Copies {
    uint64_t tick = 0;
    uint64_t count = 0;
  };

  void Step();
  void DrawIds(uint32_t size);
  void Note(uint64_t tick, std::vector<uint32_t> ids);
  void Strike(uint64_t tick, Ids ids);  // after their erasure
  void ForgetExpired();
  // Copies of a key that must be shown, when Begun() gave that after the question.
  uint64_t NumDue(uint32_t id, uint64_t begun) const;

  void RunInsert();
  void RunInsertIfAbsent();
  void RunErase();
  void Ask();
  void Heat();
  void RunRace();

  Random random_;
  const uint32_t first_;  // id of its own keys
  std::vector<uint32_t> ids_;
  std::vector<WindowBatch> batches_;
  std::vector<std::vector<Copies>> copies_;  // of its own keys: those of batches_
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_WINDOW_WRITER_H_
