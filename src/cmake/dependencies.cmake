# Debian 12's packages where they are installed, else the same versions, pinned by hash.
include(FetchContent)

set(JSON_Install OFF)
set(FMT_INSTALL OFF)

FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
  URL_HASH SHA256=26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb
  FIND_PACKAGE_ARGS 2.1)
FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
  FIND_PACKAGE_ARGS 9)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
  URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
  FIND_PACKAGE_ARGS 3.11)
FetchContent_MakeAvailable(CLI11 fmt nlohmann_json)

if(NAPKIN_TESTS)
  FetchContent_Declare(Catch2
    URL https://github.com/catchorg/Catch2/archive/refs/tags/v2.13.10.tar.gz
    URL_HASH SHA256=d54a712b7b1d7708bc7a819a8e6e47b2fde9536f487b89ccbca295072a7d9943
    FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(Catch2)
endif()
