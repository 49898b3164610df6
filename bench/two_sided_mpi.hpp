// The two-sided half of rank-mpi, which is all that the loops measured here use.
#pragma once

#include <string_view>

#include "transports/mpi/queues.hpp"

class Link final : public weft::MpiQueues<weft::FreshRequests> {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr std::string_view summary = "for the bench";
  using MpiQueues::MpiQueues;
  static weft::Buffer adopt(const weft::Buffer& memory) { return memory; }
  void disown(const weft::Buffer& /*buffer*/) const {}
};
