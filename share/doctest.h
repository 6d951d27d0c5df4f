/* Gives each test case of doctest a label, its name: see docs/labels.md of pathcc. Include it in
 * one source file of the program that runs the tests.
 */
#ifndef PATHCC_DOCTEST_H
#define PATHCC_DOCTEST_H

#if __has_include(<doctest/doctest.h>)
#include <doctest/doctest.h>
#else
#include <doctest.h>
#endif

#include "profile.h"

namespace pathcc {
namespace {

struct LabelTests : doctest::IReporter {
  explicit LabelTests(const doctest::ContextOptions &) {}
  void test_case_start(const doctest::TestCaseData &test) override { pathcc_label(test.m_name); }
  void test_case_reenter(const doctest::TestCaseData &) override {}
  void test_case_end(const doctest::CurrentTestCaseStats &) override { pathcc_label(nullptr); }
  void report_query(const doctest::QueryData &) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats &) override {}
  void test_case_exception(const doctest::TestCaseException &) override {}
  void subcase_start(const doctest::SubcaseSignature &) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData &) override {}
  void log_message(const doctest::MessageData &) override {}
  void test_case_skipped(const doctest::TestCaseData &) override {}
};

DOCTEST_REGISTER_LISTENER("pathcc", 1, LabelTests);

} // namespace
} // namespace pathcc

#endif
