// Help: a page of --help is a screen, and begins with two examples that work.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/paths.h"
#include "tools/run_tool.h"
#include "tools/trommel/command_list.h"

namespace trommel::tests {
namespace {

std::vector<tool::CommandText> Subcommands() {
  tool::Settings settings;
  std::vector<tool::CommandText> found;
  const std::function<void(const tool::CommandText&)> add = [&](const tool::CommandText& command) {
    for (const tool::CommandText& each : command.subcommands) {
      found.push_back(each);
      add(each);
    }
  };
  add(tool::MakeCommandLine(settings)->Describe());
  return found;
}

std::vector<std::string> ArgumentsIn(const std::string& text) {
  std::istringstream stream(text.substr(text.find(' ') + 1));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void CheckColumns(const std::string& page, size_t most) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= most);
  }
}

TEST_CASE("each page of --help fits a screen and begins with two examples", "[tools][help_text]") {
  tool::Settings settings;
  const auto line = tool::MakeCommandLine(settings);
  CheckColumns(line->HelpOf({}).value(), 80);
  for (const tool::CommandText& command : Subcommands()) {
    const std::vector<std::string> words = ArgumentsIn(command.name);
    CAPTURE(command.name);
    REQUIRE(command.examples.size() == 2);
    const std::string whole = line->HelpOf(words).value();
    CHECK(whole.ends_with("\n"));
    CHECK_FALSE(whole.ends_with("\n\n"));
    CHECK(whole.find("\nExamples:\n  ") != std::string::npos);
    CheckColumns(whole, 100);
    const std::string page = line->HelpOf(words, tool::HelpLength::kScreen).value();
    CHECK(page.ends_with("\n"));
    CHECK(std::ranges::count(page, '\n') <= 50);
    CheckColumns(page, 80);
    const std::string first = "\n\n  " + command.examples[0] + "\n";
    CHECK(page.find(first + "  " + command.examples[1] + "\n") < 200);
    for (const tool::OptionText& option : command.options) {
      const std::string& name = option.names.back();
      CAPTURE(name);
      CHECK((name == "--help" || page.find(name) != std::string::npos));
      CHECK(whole.find(name) != std::string::npos);
    }
  }
}

TEST_CASE("each example of the help pages works, and shows something", "[tools][examples]") {
  const std::string bin = std::filesystem::path(kCommand).parent_path().string();
  for (const tool::CommandText& command : Subcommands()) {
    const TempFolder folder;
    for (const std::string& example : command.examples) {
      CAPTURE(command.name, example);
      bool has_files = true;  // Debian's; another system may lack them
      for (const char* file : {"/etc/services", "/var/lib/dpkg/status", "/usr/share"}) {
        if (example.find(file) == std::string::npos) continue;
        has_files = has_files && std::filesystem::exists(file);
      }
      if (!has_files) continue;
      const std::string out = folder.Path("out");
      const std::string line = "cd '" + folder.Path("") + "' && PATH='" + bin +
                               "':\"$PATH\" && { " + example + "; } >'" + out + "' 2>&1";
      const int status = std::system(line.c_str());
      const std::string shown = folder.Read("out");
      CAPTURE(shown);
      CHECK(status == 0);
      CHECK_FALSE(shown.empty());
    }
  }
}

}  // namespace
}  // namespace trommel::tests
