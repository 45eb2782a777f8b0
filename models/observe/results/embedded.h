#pragma once

#include <string_view>

/// Files that are built into the program, so that the report is one file.
namespace armature::observe::embedded {

std::string_view dygraphs_js();
std::string_view dygraphs_css();
std::string_view dygraphs_licence();
std::string_view palette_js();
std::string_view report_overview_js();
std::string_view report_medium_js();
std::string_view report_energy_js();
std::string_view report_jobs_js();
std::string_view report_rebuild_js();
std::string_view report_faults_js();
std::string_view report_requests_js();
std::string_view report_js();
std::string_view report_css();

}  // namespace armature::observe::embedded
