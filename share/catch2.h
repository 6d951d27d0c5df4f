/* Gives each test case of Catch2 a label, its name: see docs/labels.md of pathcc. Include it in one
 * source file of the program that runs the tests.
 */
#ifndef PATHCC_CATCH2_H
#define PATHCC_CATCH2_H

#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#define PATHCC_LISTENER EventListenerBase
#else
#include <catch2/catch.hpp>
#define PATHCC_LISTENER TestEventListenerBase
#endif

#include "profile.h"

namespace pathcc {
namespace {

using Listener = Catch::PATHCC_LISTENER;

struct LabelTests : Listener {
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo &test) override {
    pathcc_label(test.name.c_str());
  }
  void testCaseEnded(const Catch::TestCaseStats &) override { pathcc_label(nullptr); }
};

CATCH_REGISTER_LISTENER(LabelTests)

} // namespace
} // namespace pathcc

#undef PATHCC_LISTENER
#endif
