// bench/json.h: a JSON value that prints itself; enough for results, members in the order in which they were added.
//
// What:       Json: null, number, text, true/false, array, object.
// Callers:    bench/. Not thread-safe.
// Held by:    bench/selftest (Python's json reads what this wrote)
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hdb::bench {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(double value) : value_(value) {}
  Json(uint64_t value) : value_(static_cast<double>(value)) {}
  Json(bool value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  static Json array() { return Json(Value(Array())); }
  static Json object() { return Json(Value(Object())); }
  template <class T>
  static Json array_of(const std::vector<T>& values) {
    Json json = array();
    for (const T& value : values) json.add(Json(value));
    return json;
  }

  Json& add(Json value) {
    auto& values = std::get<Array>(value_);
    values.push_back(std::move(value));
    return values.back();
  }
  // The member of this name, added (as an empty object) if it is not there.
  Json& operator[](std::string_view name) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Object();
    auto& members = std::get<Object>(value_);
    for (auto& [key, member] : members) {
      if (key == name) return member;
    }
    members.emplace_back(std::string(name), Json());
    return members.back().second;
  }
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  std::string to_text(int depth = 0) const {
    std::string text;
    print(text, depth);
    return text;
  }

 private:
  using Value = std::variant<std::monostate, double, bool, std::string, Array, Object>;
  explicit Json(Value value) : value_(std::move(value)) {}

  static void print_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
        out += escape;
      } else {
        out += c;
      }
    }
    out += '"';
  }
  void print(std::string& out, int depth) const {
    const auto line = [&](int indent) { out.append("\n").append(static_cast<size_t>(indent), ' '); };
    if (const auto* number = std::get_if<double>(&value_)) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.9g", *number);
      const bool exact_integer = *number == std::floor(*number) && std::fabs(*number) < 9e15;
      if (exact_integer) std::snprintf(digits, sizeof digits, "%.0f", *number);
      out += std::isfinite(*number) ? digits : "null";
    } else if (const auto* truth = std::get_if<bool>(&value_)) {
      out += *truth ? "true" : "false";
    } else if (const auto* text = std::get_if<std::string>(&value_)) {
      print_string(out, *text);
    } else if (const auto* values = std::get_if<Array>(&value_)) {
      out += '[';
      for (size_t i = 0; i < values->size(); ++i) {
        if (i > 0) out += ", ";
        (*values)[i].print(out, depth + 1);
      }
      out += ']';
    } else if (const auto* members = std::get_if<Object>(&value_)) {
      out += '{';
      for (size_t i = 0; i < members->size(); ++i) {
        if (i > 0) out += ',';
        line(depth + 1);
        print_string(out, (*members)[i].first);
        out += ": ";
        (*members)[i].second.print(out, depth + 1);
      }
      line(depth);
      out += '}';
    } else {
      out += "null";
    }
  }

  Value value_;
};

}  // namespace hdb::bench
