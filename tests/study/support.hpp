// Shared by the tests of the analysis verbs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"

namespace rattleback::testing {

template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace rattleback::testing
