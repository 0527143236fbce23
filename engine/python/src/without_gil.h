// WithoutGil: gives up the GIL while it lives.
//
// CPython ends a thread that asks for the GIL after the interpreter has begun to end: a daemon
// thread that comes back from a batch. Before Python 3.14 it does so by pthread_exit, which unwinds
// the stack, and nanobind::gil_scoped_release, whose destructor takes the GIL, then ends the
// process. Here such a thread sleeps until the process ends, as it does in 3.14.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_WITHOUT_GIL_H_
#define TROMMEL_ENGINE_PYTHON_SRC_WITHOUT_GIL_H_

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace trommel::python {

class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() { Restore(); }

  // Returns call(), called with the GIL. No Python object may be left when it returns.
  template <class Call>
  auto Interrupted(const Call& call) {
    struct Held {
      explicit Held(WithoutGil& outer) : outer(outer) { outer.Restore(); }
      ~Held() { outer.state_ = PyEval_SaveThread(); }
      WithoutGil& outer;
    };
    const Held held(*this);
    return call();
  }

 private:
  void Restore() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // of pthread_exit, which nothing may swallow: this handler is never left
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }

  PyThreadState* state_;
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_WITHOUT_GIL_H_
