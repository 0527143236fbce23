// WithoutGil: gives up the GIL while it lives. OrSleep: calls what may run Python code.
//
// CPython ends a thread that asks for the GIL after the interpreter has begun to end: a daemon
// thread that comes back from a batch, or runs Python code that a batch calls. Before Python 3.14
// it does so by pthread_exit, which unwinds the stack. Destructors on the way then ask for the GIL,
// as nanobind::gil_scoped_release does, or change Python's objects without it. Here such a thread
// sleeps until the process ends, as it does in 3.14.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_WITHOUT_GIL_H_
#define TROMMEL_ENGINE_PYTHON_SRC_WITHOUT_GIL_H_

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace trommel::python {

[[noreturn]] inline void SleepUntilProcessEnds() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Returns call(), which runs Python code and has nothing to destroy itself. With the GIL.
template <class Call>
auto OrSleep(const Call& call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    SleepUntilProcessEnds();
  }
}

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
      explicit Held(WithoutGil& guard) : outer(guard) { outer.Restore(); }
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
      SleepUntilProcessEnds();
    }
  }

  PyThreadState* state_;
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_WITHOUT_GIL_H_
