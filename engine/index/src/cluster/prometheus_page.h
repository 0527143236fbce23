// PrometheusPage: metrics in Prometheus text format, exposition format 0.0.4.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_PROMETHEUS_PAGE_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_PROMETHEUS_PAGE_H_

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace trommel::index {

enum class MetricType {
  kCounter,  // only rises while the process runs; its name ends in _total
  kGauge,
};

struct Label {
  std::string_view name;
  std::string_view value;  // valid UTF-8
};

// A metric is begun once, and all its samples follow:
//
//   # HELP NAME TEXT
//   # TYPE NAME counter
//   NAME{label="value"} 12
//
// Names of metrics and labels are the program's own, and legal. Not thread-safe.
class PrometheusPage {
 public:
  void Begin(std::string_view name, MetricType type, std::string_view help);

  // A sample of the metric that was begun last. Labels differ between its samples.
  void Add(double value, std::initializer_list<Label> labels = {});
  template <std::integral T>
  void Add(T value, std::initializer_list<Label> labels = {}) {
    AddText(std::to_string(value), labels);
  }

  std::string Take();

 private:
  void AddText(std::string_view value, std::initializer_list<Label> labels);

  std::string name_;
  std::string text_;
};

// The text with each byte that is in no valid UTF-8 sequence written \xNN.
std::string AsUtf8(std::string_view text);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_PROMETHEUS_PAGE_H_
