#include "armature/core/log.h"

#include "armature/core/error.h"

#include "armature/core/kernel_time.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>

namespace armature {
namespace {

constexpr std::array<std::string_view, 6> kLevelNames = {"trace", "debug", "info", "warning", "error", "off"};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  constexpr std::array kLevels = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                  spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};
  return kLevels[static_cast<std::size_t>(level)];
}

// Standard error belongs to the process and not to a drive: the one place where state is shared on purpose.
struct Output {
  LogRules rules;
  std::shared_ptr<spdlog::logger> logger;
  std::uint64_t lines = 0;  ///< that came in the life of this process, as far as it has not gone back
  std::uint64_t* shown = nullptr;
};

Output& output() {
  static Output the_output;
  return the_output;
}

/// Set while a report is handed to SystemC's own handler, which would print it a second time.
sc_core::sc_actions without_display(sc_core::sc_actions actions) {
  return actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY | sc_core::SC_LOG);
}

void handle_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  constexpr std::array kLevels = {LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::error};
  const auto severity = static_cast<std::size_t>(report.get_severity());
  const LogLevel level = kLevels[severity];
  if ((actions & sc_core::SC_DISPLAY) != 0 && level >= LogOutput::level_of(report.get_msg_type()))
    LogOutput::write(report.get_msg_type(), level, report.get_msg());
  sc_core::sc_report_handler::default_handler(report, without_display(actions));
}

void open_with(LogRules rules, spdlog::sink_ptr sink) {
  auto logger = std::make_shared<spdlog::logger>("armature", std::move(sink));
  logger->set_pattern("%l %v");
  logger->set_level(spdlog::level::trace);  // the rules have decided before
  output().rules = std::move(rules);
  output().logger = std::move(logger);
  sc_core::sc_report_handler::set_handler(handle_report);
}

}  // namespace

LogLevel parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i)
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  throw InputError(fmt::format("\"{}\" is no log level; one of: {}", name, fmt::join(kLevelNames, ", ")));
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  // The greedy algorithm: on a mismatch only the last star can take one character more.
  std::size_t p = 0, t = 0, star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void LogRules::add(std::string_view rule) {
  const std::size_t equals = rule.rfind('=');
  if (equals == std::string_view::npos || equals == 0)
    throw InputError(Place{fmt::format("--log {}", rule)}, "GLOB=LEVEL is expected, for instance *.disk.*=debug");
  try {
    rules_.push_back({std::string(rule.substr(0, equals)), parse_log_level(rule.substr(equals + 1))});
  } catch (const InputError& error) {
    throw InputError(Place{fmt::format("--log {}", rule)}, error.what());
  }
}

LogLevel LogRules::level_of(std::string_view module) const {
  LogLevel level = LogLevel::warning;
  for (const Rule& rule : rules_)
    if (matches_glob(rule.glob, module)) level = rule.level;
  return level;
}

void LogOutput::open(LogRules rules) {
  open_with(std::move(rules), std::make_shared<spdlog::sinks::stderr_sink_st>());
}

void LogOutput::open(LogRules rules, const std::string& path) {
  try {
    open_with(std::move(rules), std::make_shared<spdlog::sinks::basic_file_sink_st>(path, /*truncate=*/true));
  } catch (const spdlog::spdlog_ex& error) {
    throw InputError(Place{path}, error.what());
  }
}

LogLevel LogOutput::level_of(std::string_view module) {
  return output().rules.level_of(module);
}

void LogOutput::write(std::string_view module, LogLevel level, std::string_view text) {
  if (!output().logger) return;
  if (std::uint64_t* const shown = output().shown) {
    if (++output().lines <= *shown) return;
    *shown = output().lines;
  }
  output().logger->log(to_spdlog(level), "{:.9f} s {}: {}", to_seconds(now()), module, text);
}

void LogOutput::write_once(std::uint64_t& shown) {
  output().shown = &shown;
}

void LogOutput::new_lines() {
  if (output().shown) *output().shown = output().lines;
}

void LogOutput::flush() {
  if (output().logger) output().logger->flush();
}

}  // namespace armature
