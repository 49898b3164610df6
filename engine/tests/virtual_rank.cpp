// A rank program over the fake fabric: it speaks the engine's protocol, its ranks are threads, and
// every time in its answers follows from the costs that VIRTUAL_COSTS names ("latency=500
// per_byte=2 ranks=3 tick_ns=0.5"). So a test can follow known times to the last table.
//
// With --needed RANKS it tells of each case line how many bytes of memory the case needs.
#include <array>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include "run/footprint.hpp"
#include "run/ranks_of_case.hpp"
#include "tests/support/fake_fabric.hpp"

namespace weft::fake {
namespace {

struct Script {
  Costs costs;
  int ranks = 2;
  double tick_ns = 1;
};

Script read_script(const char* text) {
  Script script;
  std::istringstream words(text == nullptr ? "" : text);
  const auto known = std::to_array<std::pair<std::string_view, Ticks*>>(
      {{"send_overhead", &script.costs.send_overhead},
       {"receive_overhead", &script.costs.receive_overhead},
       {"latency", &script.costs.latency},
       {"per_byte", &script.costs.per_byte},
       {"gap", &script.costs.gap},
       {"clock_read", &script.costs.clock_read},
       {"register_buffer", &script.costs.register_buffer},
       {"deregister_buffer", &script.costs.deregister_buffer},
       {"empty_poll", &script.costs.empty_poll}});
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    bool is_cost = false;
    for (const auto& [own, cost] : known) {
      if (own != name) continue;
      *cost = std::stoull(value);
      is_cost = true;
    }
    if (name == "ranks") {
      script.ranks = std::stoi(value);
    } else if (name == "tick_ns") {
      script.tick_ns = std::stod(value);
    } else if (name == "idle_polls") {
      script.costs.idle_polls = value == "1";
    } else if (!is_cost) {
      throw std::invalid_argument("no cost " + name);
    }
  }
  return script;
}

std::vector<Support> patterns() {
  return supported<Link, VirtualClock>(static_cast<AllPatterns*>(nullptr));
}

void describe() {
  const std::vector<Support> list = patterns();
  std::cout << describe_line({.transport = "virtual",
                              .mode = "",
                              .mpi = "openmpi",
                              .summary = Link::summary,
                              .reason = "",
                              .settings = {},
                              .waits = waits_of<Link>(),
                              .patterns = list})
            << std::endl;
}

// Of the first ranks, as many as a host has; 0: all.
void tell_needed(int ranks, int ranks_here) {
  const auto list = patterns_on<Link, VirtualClock>(static_cast<AllPatterns*>(nullptr));
  for (std::string line; std::getline(std::cin, line);) {
    Case spec = parse_case(line);
    spec.ranks_here.resize(static_cast<std::size_t>(ranks_here));
    std::iota(spec.ranks_here.begin(), spec.ranks_here.end(), 0);
    for (const PatternOn& one : list) {
      if (one.info.name != spec.test) continue;
      const RanksOfCase here = ranks_of_case(spec, one, ranks);
      std::cout << std::fixed << needed_bytes(spec, one.footprint, ranks, here) << '\n';
    }
  }
}

void measure(const Script& script) {
  constexpr std::int64_t baseline_ns = 20'000'000;
  const Calibration clock{script.tick_ns, script.costs.clock_read, baseline_ns};
  std::vector<std::string> locations;
  for (int rank = 0; rank < script.ranks; ++rank) {
    locations.push_back(
        to_line(Location{.host = "virtual", .pid = rank + 1, .cpu = rank, .numa = 0}));
  }
  std::cout << hello_line("virtual", "threads", locations, clock, {}) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const Result result = run(parse_case(line), script.costs, {}, script.ranks);
    std::cout << to_line(result.batch) << std::endl;
  }
  std::cout << bye_line(clock) << std::endl;
}

}  // namespace
}  // namespace weft::fake

int main(int argc, char** argv) {
  try {
    const std::span<char*> words(argv, static_cast<std::size_t>(argc));
    if (argc > 1 && std::string_view(words[1]) == "--describe") {
      weft::fake::describe();
    } else if (argc > 2 && std::string_view(words[1]) == "--needed") {
      weft::fake::tell_needed(std::stoi(words[2]), words.size() > 3 ? std::stoi(words[3]) : 0);
    } else {
      weft::fake::measure(weft::fake::read_script(std::getenv("VIRTUAL_COSTS")));
    }
  } catch (const std::exception& error) {
    std::cerr << "rank-virtual: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
