// JSON text: values by nlohmann/json, objects and arrays by appending before the last bracket.
#include "tools/trommel/output/json.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace trommel::tool {
namespace {

template <class T>
std::string TextOf(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Json::Json() : text_("null") {}
Json::Json(double number) : text_(TextOf(number)) {}
Json::Json(bool value) : text_(value ? "true" : "false") {}
Json::Json(Whole whole) : text_(std::move(whole.digits)) {}
Json::Json(std::string_view text) : text_(TextOf(text)) {}
Json::Json(const std::string& text) : Json(std::string_view(text)) {}
Json::Json(const char* text) : Json(std::string_view(text)) {}

Json::Json(std::initializer_list<JsonField> fields) : text_("{}") {
  for (const JsonField& field : fields) Add(field.name, field.value);
}

Json Json::Object() {
  Json object;
  object.text_ = "{}";
  return object;
}

Json Json::Array() {
  Json array;
  array.text_ = "[]";
  return array;
}

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

void Json::Add(std::string_view name, const Json& value) {
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  text_ += TextOf(name) + ":" + value.text_ + "}";
}

void Json::Append(const Json& value) {
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  text_ += value.text_ + "]";
}

}  // namespace trommel::tool
