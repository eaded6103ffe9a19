// Catch2 v2 makes the main function here; v3 links Catch2WithMain, and this file is empty.
#ifdef NAPKIN_CATCH2_V2
#define CATCH_CONFIG_MAIN
#include "tests/support/catch.hpp"
#endif
