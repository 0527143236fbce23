// Options whose values are numbers, so that they are written and checked the same everywhere.
#ifndef TROMMEL_TOOLS_VALUE_OPTIONS_H_
#define TROMMEL_TOOLS_VALUE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/trommel/options/command_line.h"
#include "trommel/sizing.h"

namespace trommel::tool {

// Values as number_text.h reads them. A count or size of 0 is a usage error: it means "not given"
// to what reads these options.
Option AddCount(Command& command, const std::string& names, uint64_t& value,
                const std::string& help);
Option AddBytes(Command& command, const std::string& names, uint64_t& value,
                const std::string& help);
Option AddRate(Command& command, const std::string& names, double& value, const std::string& help);

// A whole number of [least, most].
Option AddNumber(Command& command, const std::string& names, uint64_t least, uint64_t most,
                 const std::string& type, const std::string& help,
                 const std::function<void(uint64_t)>& set);

// Seconds of [least, most], perhaps with a fraction.
Option AddSeconds(Command& command, const std::string& names, double least, double most,
                  double& value, const std::string& help);

// --threads.
void AddThreads(Command& command, uint32_t& num_threads);

// --encoding.
std::vector<std::string> EncodingNames();       // of presence bits: all types of filters take them
std::vector<std::string> AllEncodingNames();    // of counting filters, "automatic" last
std::vector<std::string> FixedEncodingNames();  // the same without "automatic"
void AddEncoding(Command& command, Encoding& encoding,
                 const std::vector<std::string>& names = EncodingNames());
Encoding EncodingFromName(const std::string& name);  // Requires one of AllEncodingNames

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_VALUE_OPTIONS_H_
