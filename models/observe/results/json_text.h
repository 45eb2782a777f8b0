#pragma once

#include "csv_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace armature::observe {

/// JSON written as it comes, without a document in memory: the charts of a report have some twenty thousand numbers a
/// drive. Numbers look as in nlohmann's text, but for one in some thousands, of which nlohmann's has more digits than
/// tell it from its neighbours. The text may stand in an HTML script element: "<" of strings is escaped.
class JsonText {
 public:
  using Json = nlohmann::ordered_json;

  /// @param out  to which the text is appended
  explicit JsonText(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { out_ += '}'; }
  void begin_array() { open('['); }
  void end_array() { out_ += ']'; }
  /// A member's name, which needs no escape; its value comes next.
  void key(std::string_view name) {
    comma();
    out_.append(1, '"').append(name).append("\":");
  }
  template <class T>
  void value(const T& value) {
    comma();
    if constexpr (std::is_same_v<T, bool>)
      out_ += value ? "true" : "false";
    else if constexpr (std::is_floating_point_v<T>)
      put_real(value);
    else if constexpr (std::is_integral_v<T>)
      put_integer(value);
    else if constexpr (std::is_same_v<T, std::string>)
      put_text(value);
    else
      put_json(value);
  }
  template <class T>
  void member(std::string_view name, const T& value) {
    key(name);
    this->value(value);
  }
  /// An array of few values.
  template <class... T>
  void row(const T&... values) {
    begin_array();
    (value(values), ...);
    end_array();
  }

 private:
  void open(char bracket) {
    comma();
    out_ += bracket;
  }
  void comma() {
    if (out_.empty()) return;
    const char last = out_.back();
    if (last != '[' && last != '{' && last != ':' && last != '>') out_ += ',';  // '>': of the script element
  }
  void put_real(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";
      return;
    }
    std::array<char, 64> text;
    const char* end = put_decimal(text.data(), value);
    if (!end) end = nlohmann::detail::to_chars(text.data(), text.data() + text.size(), value);
    out_.append(text.data(), static_cast<std::size_t>(end - text.data()));
  }
  /// A number that is one of at most fifteen digits and nine decimal places, as most of a report are: these digits,
  /// which no other such decimal shares. Takes a fifth of the general way's instructions.
  /// @return the end of the text, null if the number is none of these
  static char* put_decimal(char* out, double value) {
    constexpr double kScale = 1e9;
    const double size = std::fabs(value);
    if (size < 1e-4 || size >= 1e6) return nullptr;
    const double scaled = std::nearbyint(size * kScale);
    if (scaled / kScale != size) return nullptr;  // correctly rounded, both of them being exact
    const auto all = static_cast<std::uint64_t>(scaled);
    constexpr std::uint64_t kOne = 1'000'000'000;
    if (value < 0) *out++ = '-';
    out = put(out, all / kOne);
    *out++ = '.';
    auto decimals = static_cast<std::uint32_t>(all % kOne);
    char* const end = out + 9;
    for (char* digit = end; digit > out; decimals /= 10) *--digit = static_cast<char>('0' + decimals % 10);
    char* last = end;
    while (last - out > 1 && last[-1] == '0') --last;
    return last;
  }
  template <class T>
  void put_integer(T value) {
    std::array<char, 24> text;
    const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    out_.append(text.data(), static_cast<std::size_t>(end - text.data()));
  }
  /// The configuration of many drives is a megabyte: what needs no look at its UTF-8 is written directly.
  void put_text(const std::string& text) {
    const auto simple = [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; };
    if (!std::all_of(text.begin(), text.end(), simple)) return put_json(text);
    out_ += '"';
    for (const char c : text) {
      if (c == '\n') {
        out_ += "\\n";
      } else if (c == '<') {
        out_ += "\\u003c";
      } else {
        if (c == '"' || c == '\\') out_ += '\\';
        out_ += c;
      }
    }
    out_ += '"';
  }
  /// Inside a script element only "</" and "<!" can end or change what follows; in JSON both can be written otherwise.
  void put_json(const Json& json) {
    // Bytes of a file name that are no UTF-8 must not end the run.
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::size_t begin = 0;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', begin)) {
      out_.append(text, begin, at - begin).append("\\u003c");
      begin = at + 1;
    }
    out_.append(text, begin);
  }

  std::string& out_;
};

}  // namespace armature::observe
