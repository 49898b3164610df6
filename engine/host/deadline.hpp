// The end of a process that waits for too long: inside a library's call nothing else can end it.
#pragma once

namespace weft {

/// What a rank ends with when its link broke or a deadline passed.
inline constexpr int exit_link_fault = 3;

/// Ends this process when its owner outlives so many seconds.
class Deadline {
 public:
  explicit Deadline(unsigned seconds);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  Deadline(Deadline&&) = delete;
  Deadline& operator=(Deadline&&) = delete;
  ~Deadline();
};

}  // namespace weft
