// Catch2 for the tests, whichever major version is installed; `Approx` needs no qualification.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>) && !defined(NAPKIN_CATCH2_V2)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
