/* Gives each test of GoogleTest a label, "Suite.Test": see docs/labels.md of pathcc. Include it in
 * one source file of the program that runs the tests.
 */
#ifndef PATHCC_GOOGLETEST_H
#define PATHCC_GOOGLETEST_H

#include <gtest/gtest.h>

#include <string>

#include "profile.h"

namespace pathcc {
namespace {

class LabelTests : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo &test) override {
    pathcc_label((std::string(test.test_suite_name()) + "." + test.name()).c_str());
  }
  void OnTestEnd(const ::testing::TestInfo &) override { pathcc_label(nullptr); }
};

// GoogleTest deletes what is appended.
const bool labels_tests =
    (::testing::UnitTest::GetInstance()->listeners().Append(new LabelTests), true);

} // namespace
} // namespace pathcc

#endif
