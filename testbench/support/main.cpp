// SystemC's library owns main(); a warning of the kernel or of a model fails the test that caused it.
#include <gtest/gtest.h>
#include <systemc>

namespace {

void report(const sc_core::sc_report& what, const sc_core::sc_actions& actions) {
  if (what.get_severity() == sc_core::SC_WARNING) ADD_FAILURE() << what.get_msg_type() << ": " << what.get_msg();
  // A fatal report is an exception here, so that a test can expect it.
  const bool fatal = what.get_severity() == sc_core::SC_FATAL;
  sc_core::sc_report_handler::default_handler(what, fatal ? sc_core::SC_DISPLAY | sc_core::SC_THROW : actions);
}

}  // namespace

int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  sc_core::sc_report_handler::set_handler(report);
  return RUN_ALL_TESTS();
}
