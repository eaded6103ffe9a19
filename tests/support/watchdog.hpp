// Ends a test program that hangs: what must stay bounded is run under it, and no clock is read.
#pragma once

#include <unistd.h>

namespace napkin::test {

class Watchdog {
  public:
    explicit Watchdog(unsigned seconds) { ::alarm(seconds); }
    ~Watchdog() { ::alarm(0); }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
};

}  // namespace napkin::test
