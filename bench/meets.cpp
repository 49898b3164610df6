// Ranks that MPI starts and that meet once, as those of the engine do, and measure nothing: what of
// a start is the library's. They speak the engine's protocol, of which they know its first line and
// its last, and sleep until their input ends.
#include <unistd.h>

#include <iostream>
#include <string>

#include "bootstrap/mpi.hpp"
#include "host/hosts.hpp"

namespace {

constexpr const char* clock_text =
    R"("clock":{"name":"none","tick_ns":1.0,"overhead_ticks":0,"baseline_ns":1})";

std::string facts_of(int rank) {
  return R"({"rank":)" + std::to_string(rank) + R"(,"host":")" + weft::host_name() + R"(","pid":)" +
         std::to_string(getpid()) + R"(,"cpu":0,"numa":0})";
}

}  // namespace

int main(int argc, char** argv) {
  weft::MpiBootstrap boot(&argc, &argv, weft::MpiUse::meeting);
  boot.share_host(boot.size());
  std::string ranks;
  for (const std::string& one : boot.exchange(facts_of(boot.rank()))) {
    ranks += (ranks.empty() ? "" : ",") + one;
  }
  if (boot.rank() == 0) {
    std::cout << R"({"kind":"hello","transport":"none","mpi":")" << boot.library()
              << R"(","ranks":[)" << ranks << "]," << clock_text << "}" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
    }
  }
  (void)boot.broadcast("");
  if (boot.rank() == 0) std::cout << R"({"kind":"bye",)" << clock_text << "}" << std::endl;
  return 0;
}
