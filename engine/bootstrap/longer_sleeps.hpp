// Ranks that share cores look for each other less often while MPI starts them.
#pragma once

#include <sys/prctl.h>

namespace weft {

/// While it lives, each sleep of this thread, and of those that it starts, may be so much longer
/// than it was asked for, and the kernel wakes many sleepers at once. Not for a time of 0.
class LongerSleeps {
 public:
  explicit LongerSleeps(long most_ns) : is_set_(most_ns > 0) {
    if (is_set_) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(most_ns), 0, 0, 0);
  }
  LongerSleeps(const LongerSleeps&) = delete;
  LongerSleeps& operator=(const LongerSleeps&) = delete;
  LongerSleeps(LongerSleeps&&) = delete;
  LongerSleeps& operator=(LongerSleeps&&) = delete;
  ~LongerSleeps() {
    constexpr unsigned long as_at_first = 0;
    if (is_set_) prctl(PR_SET_TIMERSLACK, as_at_first, 0, 0, 0);
  }

 private:
  bool is_set_;
};

}  // namespace weft
