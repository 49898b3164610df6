#include "host/team.hpp"

#include <pthread.h>
#include <sched.h>

#include <stdexcept>
#include <string>

namespace weft {

void bind_to(std::thread::native_handle_type thread, int cpu) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(cpu), &only);
  if (pthread_setaffinity_np(thread, sizeof only, &only) != 0) {
    throw std::runtime_error("cannot bind a thread to CPU " + std::to_string(cpu) +
                             "; omit --threads, or see taskset and cgroups");
  }
}

}  // namespace weft
