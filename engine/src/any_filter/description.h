// Description: the named figures of a filter that is to be made, read into its configuration.
#ifndef TROMMEL_ENGINE_SRC_ANY_FILTER_DESCRIPTION_H_
#define TROMMEL_ENGINE_SRC_ANY_FILTER_DESCRIPTION_H_

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "trommel/any_filter.h"
#include "trommel/sizing.h"

namespace trommel {

class Description {
 public:
  explicit Description(const Figures& given) : given_(given) {}

  // Reads the figure of this name into a field of a configuration, which keeps its default without
  // one. A field of 32 bits takes the nearest number: what is out of range is for Create to say.
  template <class T>
  Description& Take(std::string_view name, T& field) {
    names_ += (names_.empty() ? "" : ", ") + std::string(name);
    for (const auto& [its_name, value] : given_) {
      if (its_name != name) continue;
      ++num_taken_;
      if (!Read(value, field)) Refuse(std::string(name) + " is not " + KindOf(field));
    }
    return *this;
  }

  // Ok if every figure was taken, and had a value of the field's kind.
  Status Finish(std::string_view type) {
    if (wrong_.empty() && num_taken_ < given_.size()) {
      Refuse(std::string(type) + " filters are described by " + names_ + "; got" + NamesGiven());
    }
    if (wrong_.empty()) return Ok();
    return Error{ErrorCode::kInvalidArgument, wrong_};
  }

 private:
  void Refuse(std::string message) {
    if (wrong_.empty()) wrong_ = std::move(message);
  }

  std::string NamesGiven() const {
    std::string names;
    for (const auto& figure : given_) names += " " + std::string(figure.first);
    return names;
  }

  template <class T>
  static std::string KindOf(const T&) {
    if constexpr (std::same_as<T, bool>) return "true or false";
    if constexpr (std::same_as<T, double>) return "a rate";
    if constexpr (std::is_enum_v<T>) return "one of its names";
    return "a whole number";
  }

  template <class T>
  static bool Read(const FigureValue& value, T& field) {
    if constexpr (std::same_as<T, uint32_t>) {
      const auto* number = std::get_if<uint64_t>(&value);
      if (number != nullptr) field = static_cast<T>(std::min<uint64_t>(*number, UINT32_MAX));
      return number != nullptr;
    } else if constexpr (std::is_enum_v<T>) {
      const auto* name = std::get_if<std::string>(&value);
      if (name == nullptr) return false;
      const auto named = std::ranges::find(All(field), *name, [](T one) { return Name(one); });
      if (named == All(field).end()) return false;
      field = *named;
      return true;
    } else {
      const auto* figure = std::get_if<T>(&value);
      if (figure != nullptr) field = *figure;
      return figure != nullptr;
    }
  }

  static std::string_view Name(Encoding one) { return EncodingName(one); }
  static std::string_view Name(Preference one) { return PreferenceName(one); }
  static const auto& All(Encoding) {
    static constexpr std::array kAll = {Encoding::kPlanes, Encoding::kRuns,
                                        Encoding::kFingerprints16, Encoding::kDense,
                                        Encoding::kAutomatic};
    return kAll;
  }
  static const auto& All(Preference) {
    static constexpr std::array kAll = {Preference::kMemory, Preference::kSpeed,
                                        Preference::kHeadroom, Preference::kParquet};
    return kAll;
  }

  const Figures& given_;
  std::string names_;  // of all fields
  size_t num_taken_ = 0;
  std::string wrong_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ANY_FILTER_DESCRIPTION_H_
