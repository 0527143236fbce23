// The files of assets/ as text: CMake puts them into assets.cc.
#ifndef TROMMEL_BENCH_HTML_ASSETS_H_
#define TROMMEL_BENCH_HTML_ASSETS_H_

#include <string_view>

namespace trommel::bench {

extern const std::string_view kUplotScript;
extern const std::string_view kUplotStyle;
extern const std::string_view kReportScript;
extern const std::string_view kReportStyle;

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_HTML_ASSETS_H_
