// FilterUpdate: a filter file that a command changes, from the lock to the report.
#ifndef TROMMEL_TOOLS_FILTER_UPDATE_H_
#define TROMMEL_TOOLS_FILTER_UPDATE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/options/key_options.h"
#include "tools/trommel/output/report.h"
#include "trommel/result.h"

namespace trommel::tool {

class FilterUpdate {
 public:
  using Load = Result<FilterFile>(const std::string& path, const DigestKey& key,
                                  uint64_t memory_limit_bytes);

  // Reads the key, claims the output, locks and loads the filter, in this order, and notes
  // interrupts from then on. Fails as these do.
  static Result<FilterUpdate> Begin(const UpdateOptions& options, const KeyInput& input,
                                    const Settings& settings, Load* load);

  AnyFilter& filter() noexcept { return file_.filter(); }
  FilterFile& file() noexcept { return file_; }

  // Saves the filter and reports it, as FinishChange does.
  int Finish(bool json, const std::function<ExitCode(Report&)>& describe);

 private:
  FilterUpdate(FilterOutput output, FilterFile file);

  FilterOutput output_;
  FilterFile file_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FILTER_UPDATE_H_
