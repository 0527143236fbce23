#include "tools/trommel/input/host_names.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

constexpr std::string_view kSpaces = " \t\r";

// Takes the first word off the line; empty at its end.
std::string_view NextWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
  line.remove_prefix(word.size());
  return word.starts_with('#') ? std::string_view() : word;
}

// An IPv4 address, or an IPv6 one with or without its zone: fe80::1%lo0.
bool IsAddress(std::string_view word) {
  const std::string text(word.substr(0, word.find('%')));
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

// Letters, digits, bytes of UTF-8, and what names have between them.
bool IsName(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || c == '.' || c == '-' || c == '_';
  });
}

// A rule of an ad blocker: for part of a name, for a path, for what is on a page, or an exception.
bool IsRule(std::string_view line) {
  if (line.starts_with('|') || line.starts_with("@@") || line.starts_with('/')) return true;
  constexpr std::array<std::string_view, 5> kOnPages = {"##", "#@#", "#?#", "#$#", "#%#"};
  return std::ranges::any_of(kOnPages, [line](std::string_view mark) {
    return line.find(mark) != std::string_view::npos;
  });
}

}  // namespace

Status AddHostNames(std::string_view line, std::vector<std::string_view>& names) {
  std::string_view rest = line;
  std::string_view first = NextWord(rest);
  if (first.empty() || first.starts_with('!') || first.starts_with('[')) return Ok();
  std::string_view left = rest;
  const std::string_view second = NextWord(left);
  if (first.starts_with("||") && first.ends_with('^')) {
    const std::string_view name = first.substr(2, first.size() - 3);
    if (IsName(name)) names.push_back(name);
    return Ok();
  }
  if (second.empty() && IsName(first) && !IsAddress(first)) {
    names.push_back(first);
    return Ok();
  }
  if (!second.empty() && IsAddress(first)) {
    rest = rest.substr(0, rest.find('#'));  // hosts(5): a comment needs no space before it
    for (std::string_view name = NextWord(rest); !name.empty(); name = NextWord(rest)) {
      names.push_back(name);
    }
    return Ok();
  }
  if (IsRule(first) || IsRule(line)) return Ok();
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("no line of names: must be an address and names, ||NAME^ or a name; "
                           "got {}",
                           Quoted(line))};
}

}  // namespace trommel::tool
