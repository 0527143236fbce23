// Json: a value as JSON text, for reports. How numbers and strings are written is nlohmann/json's
// business; that library is seen by json.cc alone, for it is slow to compile.
#ifndef TROMMEL_TOOLS_JSON_H_
#define TROMMEL_TOOLS_JSON_H_

#include <concepts>
#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>

namespace trommel::tool {

struct JsonField;

class Json {
 public:
  Json();               // null
  Json(double number);  // null unless finite
  Json(bool value);
  template <std::integral T>
  Json(T number) : Json(Whole{std::to_string(number)}) {}
  Json(std::string_view text);  // bytes that are not UTF-8 are replaced: file names need not be
  Json(const std::string& text);
  Json(const char* text);
  Json(std::initializer_list<JsonField> fields);  // an object

  static Json Object();
  static Json Array();
  template <std::ranges::input_range Values>
  static Json Array(const Values& values) {
    Json array = Array();
    for (const auto& value : values) array.Append(value);
    return array;
  }

  // Out of line, because reports make hundreds of these.
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  // Requires an object, and a name that is not in it; an array.
  void Add(std::string_view name, const Json& value);
  void Append(const Json& value);

  // Without spaces or newlines.
  const std::string& text() const noexcept { return text_; }

 private:
  struct Whole {
    std::string digits;
  };
  explicit Json(Whole whole);

  std::string text_;
};

struct JsonField {
  std::string_view name;
  Json value;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_JSON_H_
