#include "armature/importer/parameter_file.h"

#include "armature/core/input_file.h"
#include "find_file.h"
#include "printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace armature::importer {
namespace {

constexpr std::size_t kDeepest = 64;         // blocks and lists in each other
constexpr std::size_t kMostSources = 32;     // files in each other
constexpr std::size_t kMostFiles = 1'000;    // in all: a file may be named again
constexpr std::size_t kMostBytes = 1 << 26;  // in all
constexpr std::size_t kMostNames = 10'000;   // of a range, and of all ranges
constexpr std::string_view kPunctuation = ";{},[]:?=";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Token {
  enum Kind { end, punctuation, word };

  Kind kind = end;
  char mark = 0;  // of punctuation
  std::string text;
  Place place;

  bool is(char c) const { return kind == punctuation && mark == c; }
  bool is(std::string_view keyword) const { return kind == word && text == keyword; }
};

std::string shown(const Token& token) {
  if (token.kind == Token::end) return "the end of the file";
  if (token.kind == Token::punctuation) return fmt::format("\"{}\"", token.mark);
  return fmt::format("\"{}\"", printable(token.text));
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Words and marks of a file and of those it names, one after the other.
class Scanner {
 public:
  Scanner(const std::string& path, const ReadFile& read) : read_(read), top_(directory_of(path)) {
    open(path, read(path), Place{path});
  }

  Token next() {
    for (;;) {
      Token token = next_here();
      if (token.kind == Token::end && open_.size() > 1) {
        open_.pop_back();
        continue;
      }
      if (!token.is("source")) return token;
      const Token name = next_here();
      if (name.kind != Token::word)
        throw InputError(name.place, fmt::format("source needs the name of a file, not {}", shown(name)));
      include(name);
    }
  }

  std::vector<std::string> files;
  std::vector<Remark> remarks;

 private:
  struct Open {
    std::string path;
    std::string text;
    std::size_t at = 0;
    std::size_t line = 1;
    std::size_t line_begins = 0;
  };

  void open(const std::string& path, std::string text, const Place& named_at) {
    bytes_ += text.size();
    if (bytes_ > kMostBytes) throw InputError(named_at, "the files are over 64 MiB together");
    if (++opened_ > kMostFiles) throw InputError(named_at, fmt::format("over {} files are named", kMostFiles));
    if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
      const auto line =
          static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n'));
      const std::size_t begins = zero == 0 ? 0 : text.rfind('\n', zero - 1) + 1;
      throw InputError({path, line + 1, zero - begins + 1}, "holds a byte of value 0: it is no text, or damaged");
    }
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
    const bool marked = text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0;
    open_.push_back({path, std::move(text), marked ? kByteOrderMark.size() : 0});
  }

  void include(const Token& name) {
    if (open_.size() >= kMostSources)
      throw InputError(name.place, fmt::format("files name each other more than {} deep", kMostSources));
    for (const char c : name.text)
      if (static_cast<unsigned char>(c) < ' ' || c == 127)
        throw InputError(name.place, fmt::format("source {}: no name of a file", shown(name)));
    const FoundFile found = find_file(name.text, open_.back().path, top_, read_);
    if (found.path.empty())
      throw InputError(name.place,
                       fmt::format("source {}: {} cannot be read", shown(name), printable(found.looked_for_first)));
    if (found.elsewhere)
      remarks.push_back({name.place, fmt::format("source {}: is not there; {} is taken", shown(name),
                                                 printable(name_of(found.path)))});
    open(found.path, found.text, name.place);
  }

  Token next_here() {
    Open& file = open_.back();
    const std::string& text = file.text;
    for (; file.at < text.size(); ++file.at) {
      const char c = text[file.at];
      if (c == '#') {
        while (file.at < text.size() && text[file.at] != '\n' && text[file.at] != '\f') ++file.at;
        if (file.at == text.size()) break;
      }
      if (text[file.at] == '\n') {
        ++file.line;
        file.line_begins = file.at + 1;
      } else if (!is_space(text[file.at])) {
        break;
      }
    }
    Token token;
    token.place = {file.path, file.line, file.at - file.line_begins + 1};
    if (file.at == text.size()) return token;
    const std::size_t begin = file.at;
    if (kPunctuation.find(text[begin]) != std::string_view::npos) {
      ++file.at;
      token.kind = Token::punctuation;
      token.mark = text[begin];
      return token;
    }
    while (file.at < text.size() && !is_space(text[file.at]) &&
           kPunctuation.find(text[file.at]) == std::string_view::npos)
      ++file.at;
    token.kind = Token::word;
    token.text = text.substr(begin, file.at - begin);
    return token;
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

  const ReadFile& read_;
  const std::string top_;
  std::vector<Open> open_;
  std::size_t bytes_ = 0;
  std::size_t opened_ = 0;
};

/// A word as a number, if it looks like one.
ParameterValue value_of(const Token& token) {
  ParameterValue value;
  value.place = token.place;
  const std::string& text = token.text;
  const bool negative = text[0] == '-';
  const std::size_t sign = negative || (text[0] == '+' && text.size() > 1 && text[1] != '-') ? 1 : 0;
  const std::string_view digits = std::string_view(text).substr(sign);
  value.kind = ParameterValue::text;
  value.string = text;
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') ||
                          (digits[0] == '.' && digits.size() > 1 && digits[1] >= '0' && digits[1] <= '9')))
    return value;
  const bool hexadecimal = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const char* const begin = text.data() + (negative ? 0 : sign);  // from_chars reads no "+"
  const char* const first = hexadecimal ? digits.data() + 2 : begin;
  const char* const last = text.data() + text.size();
  const auto whole = std::from_chars(first, last, value.integer, hexadecimal ? 16 : 10);
  if (whole.ptr == last) {
    if (whole.ec != std::errc())
      throw InputError(token.place, fmt::format("{} is out of the range of 64 bits", shown(token)));
    if (hexadecimal && negative) value.integer = -value.integer;
    value.kind = ParameterValue::whole;
    value.number = static_cast<double>(value.integer);
    return value;
  }
  value.integer = 0;
  if (hexadecimal) return value;
  const auto real = std::from_chars(begin, last, value.number);
  if (real.ptr == last) {
    if (real.ec != std::errc() || !std::isfinite(value.number))
      throw InputError(token.place, fmt::format("{} is out of the range of numbers", shown(token)));
    value.kind = ParameterValue::real;
    return value;
  }
  value.number = 0;
  return value;  // a word that begins with a digit
}

class Parser {
  using Block = std::shared_ptr<const ParameterBlock>;

 public:
  Parser(const std::string& path, const ReadFile& read) : scanner_(path, read) { advance(); }

  ParameterFile parse() {
    while (token_.kind != Token::end) {
      if (token_.is("instantiate")) {
        instantiate();
      } else if (token_.is("topology")) {
        topology();
      } else if (token_.is(';')) {
        advance();
      } else {
        top_block();
      }
    }
    file_.files = scanner_.files;
    file_.remarks.insert(file_.remarks.begin(), scanner_.remarks.begin(), scanner_.remarks.end());
    return std::move(file_);
  }

 private:
  void advance() { token_ = scanner_.next(); }

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(token_.place, fmt::format("{} is expected here, not {}", expected, shown(token_)));
  }

  Token take_word(const std::string& what) {
    if (token_.kind != Token::word) fail(what);
    Token token = std::move(token_);
    advance();
    return token;
  }

  void take(char mark) {
    if (!token_.is(mark)) fail(fmt::format("\"{}\"", mark));
    advance();
  }

  void top_block() {
    const Token type = take_word("the type of a block");
    const Token name = take_word(fmt::format("the name of this {}", printable(type.text)));
    for (const Block& earlier : file_.blocks) {
      if (earlier->name != name.text) continue;
      // As in DiskSim, which warns of it.
      file_.remarks.push_back(
          {type.place, fmt::format("{} is described in line {} of {} already: that one counts", printable(name.text),
                                   earlier->place.line, printable(name_of(earlier->place.file)))});
      const std::size_t named = file_.all_named.size();
      block(type, name.text, 0);
      file_.all_named.resize(named);
      return;
    }
    file_.blocks.push_back(block(type, name.text, 0));
  }

  /// `instantiate [ names ] as type`.
  void instantiate() {
    advance();
    if (!token_.is('[')) fail("\"[\"");
    const ParameterValue names = value(1);
    if (!token_.is("as")) fail("\"as\"");
    advance();
    const Token type = take_word("the name of a block");
    for (const ParameterValue& name : names.items) {
      if (name.kind != ParameterValue::text) throw InputError(name.place, "the name of a component is a word");
      file_.instances.push_back({name.string, type.text, name.place});
    }
  }

  /// `topology type name [ what is connected below it ]`.
  void topology() {
    advance();
    const Token type = take_word("a type");
    const Token name = take_word("a name");
    if (!token_.is('[')) fail("\"[\"");
    file_.topologies.push_back(component(type, name.text, 1));
  }

  /// From its "[" on.
  ParameterValue component(const Token& type, const std::string& name, std::size_t depth) {
    ParameterValue component = list(depth);
    component.kind = ParameterValue::topology;
    component.place = type.place;
    component.type = type.text;
    component.string = name;
    return component;
  }

  /// From its "{" on.
  Block block(const Token& type, const std::string& name, std::size_t depth) {
    if (!token_.is('{')) fail("\"{\"");
    if (depth >= kDeepest) throw InputError(token_.place, fmt::format("blocks lie more than {} deep", kDeepest));
    advance();
    auto block = std::make_shared<ParameterBlock>();
    block->type = type.text;
    block->name = name;
    block->place = type.place;
    parameters(*block, depth);
    if (const auto base = file_.named(type.text)) {
      block->type = base->type;
      for (const Parameter& parameter : base->parameters)
        if (!block->find(parameter.key)) block->parameters.push_back(parameter);
    }
    if (!name.empty()) file_.all_named.push_back(block);
    return block;
  }

  void parameters(ParameterBlock& block, std::size_t depth) {
    const auto unfinished = [&block] {
      return InputError(block.place, fmt::format("this {} has no \"}}\"", printable(block.type)));
    };
    while (!token_.is('}')) {
      if (token_.kind == Token::end) throw unfinished();
      std::vector<Parameter> of_one_value;
      if (token_.is('[')) {  // several keys of one value
        const ParameterValue keys = value(depth + 1);
        for (const ParameterValue& key : keys.items) {
          if (key.kind != ParameterValue::text) throw InputError(key.place, "a key is a word");
          of_one_value.push_back({key.string, key.place, {}});
        }
      } else {
        Token word = take_word("a key or \"}\"");
        Parameter parameter{std::move(word.text), word.place, {}};
        while (token_.kind == Token::word) parameter.key += " " + take_word("").text;
        of_one_value.push_back(std::move(parameter));
      }
      if (token_.kind == Token::end) throw unfinished();
      take('=');
      const ParameterValue given = value(depth + 1);
      for (Parameter& parameter : of_one_value) {
        if (const Parameter* const first = block.find(parameter.key))
          throw InputError(parameter.place,
                           fmt::format("\"{}\" stands twice in this block, first in line {} of {}",
                                       printable(parameter.key), first->place.line, printable(first->place.file)));
        parameter.value = given;
        block.parameters.push_back(std::move(parameter));
      }
      if (token_.kind == Token::end) throw unfinished();
      if (!token_.is(',') && !token_.is('}')) fail("\",\" or \"}\"");
      if (token_.is(',')) advance();
    }
    advance();
  }

  ParameterValue value(std::size_t depth) {
    if (depth >= kDeepest) throw InputError(token_.place, fmt::format("values lie more than {} deep", kDeepest));
    if (token_.is('[')) return list(depth);
    const Token first = take_word("a value");
    ParameterValue value = value_of(first);
    if (value.kind != ParameterValue::text) return value;
    std::string name;
    if (token_.kind == Token::word && token_.text != "..") name = take_word("").text;
    if (token_.is('{')) {
      value.kind = ParameterValue::block;
      value.inner = block(first, name, depth + 1);
    } else if (!name.empty() && token_.is('[')) {
      return component(first, name, depth);
    } else if (!name.empty()) {
      fail(fmt::format("a block's \"{{\" behind \"{} {}\"", printable(first.text), printable(name)));
    }
    return value;
  }

  ParameterValue list(std::size_t depth) {
    ParameterValue value;
    value.kind = ParameterValue::list;
    value.place = token_.place;
    advance();
    while (!token_.is(']')) {
      if (token_.kind == Token::end) throw InputError(value.place, "this list has no \"]\"");
      if (token_.is(',')) {
        advance();
        continue;
      }
      value.items.push_back(this->value(depth + 1));
      expand_range(value.items);
      if (token_.kind == Token::end) throw InputError(value.place, "this list has no \"]\"");
      if (!token_.is(',') && !token_.is(']')) fail("\",\" or \"]\"");
    }
    advance();
    return value;
  }

  /// `disk0 .. disk3` (or in one word) in place of the names from the first to the last. The first one is read.
  void expand_range(std::vector<ParameterValue>& items) {
    const ParameterValue first = items.back();
    std::string from = first.string, to;
    if (token_.is("..")) {
      advance();
      to = take_word("the last name of a range").text;
    } else {
      const std::size_t dots = from.find("..");
      if (first.kind != ParameterValue::text || dots == std::string::npos) return;
      to = from.substr(dots + 2);
      from.resize(dots);
      if (!numbered(from) || !numbered(to)) return;  // a word with dots in it
    }
    const auto begin = numbered(from), end = numbered(to);
    if (first.kind != ParameterValue::text || !begin || !end || begin->first != end->first ||
        begin->second > end->second)
      throw InputError(first.place, fmt::format("{} .. {} is no range: two names are expected that end in numbers and "
                                                "are otherwise the same, the lower number first",
                                                printable(from.empty() ? "this" : from), printable(to)));
    names_ += end->second - begin->second;
    if (names_ >= kMostNames) throw InputError(first.place, fmt::format("ranges of over {} names", kMostNames));
    items.pop_back();
    for (std::uint64_t number = begin->second; number <= end->second; ++number) {
      items.push_back(first);
      items.back().string = fmt::format("{}{}", begin->first, number);
    }
  }

  /// A name and the number that it ends with.
  static std::optional<std::pair<std::string, std::uint64_t>> numbered(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789");
    if (digits == std::string::npos || digits + 1 == name.size()) return std::nullopt;
    std::uint64_t number = 0;
    const char* const last = name.data() + name.size();
    if (std::from_chars(name.data() + digits + 1, last, number).ec != std::errc()) return std::nullopt;
    return std::pair{name.substr(0, digits + 1), number};
  }

  Scanner scanner_;
  Token token_;
  ParameterFile file_;
  std::uint64_t names_ = 0;  // that ranges stand for
};

}  // namespace

std::string read_file(const std::string& path) {
  return read_input_file(path, kMostBytes);
}

FoundFile find_file(const std::string& name, const std::string& named_in, const std::string& first_directory,
                    const ReadFile& read) {
  const std::string here = directory_of(named_in), base = name_of(name);
  std::vector<std::string> paths{name};
  if (name[0] != '/') paths = {here + name, first_directory + name};
  const std::size_t as_named = paths.size();
  if (base != name && !base.empty()) {
    paths.push_back(here + base);
    paths.push_back(first_directory + base);
  }
  FoundFile found;
  found.looked_for_first = paths.front();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    try {
      found.text = read(paths[i]);
    } catch (const InputError&) {
      continue;
    }
    found.path = paths[i];
    found.elsewhere = i >= as_named;
    break;
  }
  return found;
}

const Parameter* ParameterBlock::find(std::string_view key) const {
  for (const Parameter& parameter : parameters)
    if (parameter.key == key) return &parameter;
  return nullptr;
}

std::shared_ptr<const ParameterBlock> ParameterFile::named(std::string_view name) const {
  for (const auto& block : all_named)
    if (block->name == name) return block;
  return nullptr;
}

ParameterFile parse_parameters(const std::string& path, const ReadFile& read) {
  return Parser(path, read).parse();
}

}  // namespace armature::importer
