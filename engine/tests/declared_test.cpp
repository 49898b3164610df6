// What every benchmark declares, beside a table that was written for this test: each constant has a
// place in it, whether or not a measurement would tell.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/engine_patterns.hpp"

namespace weft::fake {
namespace {

/// Name, kind of figure, ranks, latency_divisor, bandwidth_factor, least_bytes, time_factor,
/// latencies_per_sample, messages_per_burst, pause_trips, clock_reads, those of the parts, and
/// whether: has_size, every_operation, has_queue, splits_operations; axis, its unit and points.
std::string figures_of(const PatternOn& one) {
  const PatternInfo& info = one.info;
  std::ostringstream out;
  out << info.name << ' ' << static_cast<int>(info.figure) << ' ' << info.ranks << ' '
      << info.latency_divisor << ' ' << info.bandwidth_factor << ' ' << info.least_bytes << ' '
      << info.time_factor << ' ' << info.latencies_per_sample << ' ' << info.messages_per_burst
      << ' ' << info.pause_trips << ' ' << info.clock_reads << ' ';
  for (const std::uint32_t reads : info.part_clock_reads) out << reads;
  out << ' ' << info.has_size << info.every_operation << info.has_queue << info.splits_operations;
  if (!info.axis.name.empty()) {
    out << ' ' << info.axis.name << '/' << info.axis.unit << '/' << info.axis.points;
  }
  return out.str();
}

/// Name, messages_per_operation, messages_before, series, streams, receives, those for each of Q
/// and of the point, buffers, bytes_per_site, own_messages, those for each rank; ranks, those for
/// each unit of the point, is_star; what it opens, and whether: every_rank, every_rank_times,
/// polls_memory, registers, keeps_time, is_collective; its loops' waits and receives under way, and
/// its parts.
std::string needs_of(const PatternOn& one) {
  const Footprint& needs = one.footprint;
  std::ostringstream out;
  out << one.info.name << ' ' << needs.messages_per_operation << ' ' << needs.messages_before << ' '
      << needs.series << ' ' << needs.streams << ' ' << needs.receives << ' '
      << needs.receives_per_queue << ' ' << needs.receives_per_point << ' ' << needs.buffers << ' '
      << needs.bytes_per_site << ' ' << needs.own_messages << ' ' << needs.own_messages_per_rank
      << ' ' << needs.ranks << ' ' << needs.ranks_per_point << ' ' << needs.is_star << ' '
      << static_cast<int>(one.opens) << ' ' << one.every_rank << one.every_rank_times
      << one.polls_memory << one.registers << one.keeps_time << one.is_collective;
  for (const LoopOn& loop : one.loops) out << ' ' << loop.wait;
  for (const std::string_view part : one.parts) out << ' ' << part;
  return out.str();
}

/// Name, dimensions, extents, bytes, least extent, multiple, sums, arithmetic, moved and kept bytes
/// of a site, rest, options and answers.
std::string lattice_of(const PatternOn& one) {
  const LatticeInfo& info = one.info.lattice;
  std::ostringstream out;
  out << one.info.name << ' ' << info.dimensions << ' ' << info.extents << ' ' << info.bytes << ' '
      << info.least_extent << ' ' << info.multiple << ' ' << info.sums << ' ' << info.flops_per_site
      << ' ' << info.moved_bytes_per_site << ' ' << info.set_bytes_per_site << ' ' << info.rest;
  for (const ApplicationOption& option : info.options) out << ' ' << option.name;
  for (const std::string_view answer : info.answers) out << ' ' << answer;
  return out.str();
}

template <std::size_t N>
void expect(const std::array<const char*, N>& wanted, std::string (*line_of)(const PatternOn&)) {
  const std::vector<PatternOn> patterns = engine_patterns();
  ASSERT_EQ(patterns.size(), wanted.size());
  for (std::size_t at = 0; at < N; ++at) EXPECT_EQ(line_of(patterns[at]), wanted[at]);
}

TEST(Declared, FiguresAreThoseOfTheTable) {
  constexpr std::array wanted{
      "ping_pong 0 2 2 2 0 1 0 0 0 0 00000 1000",
      "ping_ping 0 2 1 1 0 1 0 0 0 0 00000 1000",
      "stream 3 2 0 1 1 1 2 0 0 0 00000 1010",
      "bidirectional_stream 3 2 0 2 1 1 4 0 0 0 00000 1010",
      "sendrecv 1 2 1 2 0 1 0 0 0 0 00000 1000",
      "put_ping_pong 2 2 2 2 1 1 0 0 0 0 00000 1000",
      "put_notify_ping_pong 2 2 2 2 0 1 0 0 0 0 00000 1000",
      "put_latency 2 2 1 1 0 1 0 0 0 0 00000 1000",
      "get_latency 2 2 1 1 0 1 0 0 0 0 00000 1000",
      "put_stream 3 2 0 1 1 1 2 0 0 0 00000 1010",
      "get_stream 3 2 0 1 1 1 2 0 0 0 00000 1010",
      "burst 4 2 1 0 0 2 0 8 0 1 10000 1000",
      "paused_burst 4 2 1 0 0 30 0 8 4 8 10000 1000",
      "late_receive 5 2 1 0 0 100 0 0 4 1 00000 1000",
      "host_overhead 5 2 2 0 0 1 0 0 0 0 11110 1000",
      "send_overlap 6 2 1 0 0 4 0 0 0 1 11100 1000 work/%/100,200",
      "receive_overlap 6 2 1 0 0 4 0 0 0 1 11200 1000 work/%/100,200",
      "put_overlap 6 2 1 0 0 3 0 0 0 1 11000 1000 work/%/100,200",
      "get_overlap 6 2 1 0 0 3 0 0 0 1 11000 1000 work/%/100,200",
      "busy_stream 3 2 0 1 1 3 2 0 0 0 00000 1010 work/%/0,20,40,60,80,90,100,110,120,150,200",
      "hot_spot_send 3 2 0 1 1 1 2 0 0 0 00000 1011 peers//1..ranks-1",
      "hot_spot_receive 3 2 0 1 1 1 2 0 0 0 00000 1011 peers//1..ranks-1",
      "random_pairs 3 2 0 1 1 1 4 0 0 0 00000 1011",
      "message_rate 3 2 0 1 1 1 4 0 0 0 00000 1011 pairs//1..ranks/2",
      "offered_load 7 2 1 0 0 1 0 0 0 0 00000 1110 load/%/10,20,30,40,50,60,70,75,80,85,90,95,100",
      "register_ping_pong 0 2 2 2 0 1 0 0 0 0 00000 1000",
      "register_stream 3 2 0 1 1 1 2 0 0 0 00000 1010",
      "registration 8 2 1 0 1 1 0 0 0 0 00000 1000",
      "copy 9 2 1 1 1 1 0 0 0 0 00000 1000",
      "halo 10 1 1 0 1 1 0 0 0 0 00000 1000",
      "milc 10 1 1 0 1 1 0 0 0 0 00000 1000",
      "allreduce 11 2 1 0 4 2 0 0 0 1 00000 1000",
      "broadcast 11 2 1 0 1 2 0 0 0 1 00000 1000",
      "alltoall 11 2 1 0 1 2 0 0 0 1 00000 1000",
      "allgather 11 2 1 0 1 2 0 0 0 1 00000 1000",
      "barrier 11 2 1 0 0 2 0 0 0 1 00000 0000",
      "shift 1 2 1 2 0 1 0 0 0 0 00000 1000 places//1,ranks/2",
      "pair_rounds 12 2 1 1 0 2 0 0 0 0 00000 1000 round//0",
      "window_stream 3 2 0 1 1 1 2 0 0 0 00000 1010",
      "bidirectional_window_stream 3 2 0 2 1 1 4 0 0 0 00000 1010",
  };
  expect(wanted, figures_of);
}

TEST(Declared, NeedsAreThoseOfTheTable) {
  constexpr std::array wanted{
      "ping_pong 1 0 1 0 2 0 0 1 0 0 0 2 0 0 0 000000 spin block",
      "ping_ping 1 0 1 0 3 0 0 1 0 0 0 2 0 0 0 000000 spin block",
      "stream 1 0 1 1 0 2 0 1 0 0 0 2 0 0 0 000000 spin block",
      "bidirectional_stream 1 0 1 1 0 2 0 1 0 0 0 2 0 0 0 000000 spin block",
      "sendrecv 1 0 1 0 1 0 0 1 0 0 0 0 0 0 0 110000 spin block",
      "put_ping_pong 1 0 1 0 1 0 0 1 0 0 0 2 0 0 1 001000 spin block",
      "put_notify_ping_pong 1 0 1 0 1 0 0 1 0 0 0 2 0 0 1 000000 spin block",
      "put_latency 1 0 1 0 1 0 0 1 0 0 0 2 0 0 1 000000 spin block",
      "get_latency 1 0 1 0 1 0 0 1 0 0 0 2 0 0 2 000000 spin block",
      "put_stream 1 0 1 1 0 1 0 1 0 0 0 2 0 0 1 000000 spin block",
      "get_stream 1 0 1 1 0 1 0 1 0 0 0 2 0 0 2 000000 spin block",
      "burst 9 0 2 0 18 0 0 1 0 0 0 2 0 0 0 000000 spin block single",
      "paused_burst 9 4 2 0 18 0 0 1 0 0 0 2 0 0 0 000000 spin block single",
      "late_receive 1 4 1 0 1 0 0 1 0 0 0 2 0 0 0 000000 spin block",
      "host_overhead 1 0 5 0 1 0 0 1 0 0 0 2 0 0 0 000000 spin block post_send complete_send "
      "post_receive complete_receive",
      "send_overlap 3 4 4 0 3 0 0 1 0 0 0 2 0 0 0 000000 spin block alone work call",
      "receive_overlap 3 4 4 0 1 0 0 1 0 0 0 2 0 0 0 000000 spin block alone work call",
      "put_overlap 2 4 3 0 1 0 0 1 0 0 0 2 0 0 1 000000 spin block alone work",
      "get_overlap 2 4 3 0 1 0 0 1 0 0 0 2 0 0 2 000000 spin block alone work",
      "busy_stream 3 0 3 1 0 2 0 1 0 0 0 2 0 0 0 000000 spin block alone work",
      "hot_spot_send 1 0 1 1 0 2 0 1 0 0 0 1 1 1 0 010000 spin block",
      "hot_spot_receive 1 0 1 1 0 2 0 1 0 0 0 1 1 1 0 010000 spin block",
      "random_pairs 1 0 2 1 0 2 0 1 0 0 0 0 0 0 0 010000 spin block own",
      "message_rate 1 0 2 1 0 2 0 1 0 0 0 0 2 0 0 010000 spin block own",
      "offered_load 1 0 3 0 0 2 0 1 0 0 0 2 0 0 0 000010 spin block interval late",
      "register_ping_pong 1 0 1 0 2 0 0 1 0 0 0 2 0 0 0 000100 spin block",
      "register_stream 1 0 1 1 0 2 0 1 0 0 0 2 0 0 0 000100 spin block",
      "registration 1 0 2 0 1 0 0 2 0 0 0 2 0 0 0 000100 spin block deregister",
      "copy 1 0 1 0 1 0 0 1 0 0 0 2 0 0 0 000000 spin block",
      "halo 1 0 5 0 2 0 0 1 0 0 0 0 0 0 0 110000 spin block post compute wait sum",
      "milc 2 0 6 0 2 0 0 1 6000 0 0 0 0 0 0 110000 spin block pack local wait remote sum",
      "allreduce 1 0 1 0 1 0 0 1 0 2 0 0 0 0 0 110001 spin",
      "broadcast 1 0 1 0 1 0 0 1 0 1 0 0 0 0 0 110001 spin",
      "alltoall 1 0 1 0 1 0 0 1 0 0 2 0 0 0 0 110001 spin",
      "allgather 1 0 1 0 1 0 0 1 0 1 1 0 0 0 0 110001 spin",
      "barrier 1 0 1 0 1 0 0 1 0 0 0 0 0 0 0 110001 spin",
      "shift 1 0 1 0 1 0 0 1 0 0 0 0 0 0 0 110000 spin block",
      "pair_rounds 1 0 1 0 2 0 0 1 0 0 0 0 0 0 0 010000 spin block",
      "window_stream 1 0 1 1 0 1 0 1 0 0 0 2 0 0 0 000000 spin block",
      "bidirectional_window_stream 1 0 1 1 0 1 0 1 0 0 0 2 0 0 0 000000 spin block",
  };
  expect(wanted, needs_of);
}

// As tables and charts have it; sentences beside it are for a reader.
TEST(Declared, TitlesAreThoseOfTheTableAndEachHasASentence) {
  constexpr std::array titles{
      "Latency",
      "Bidirectional latency",
      "Bandwidth",
      "Bidirectional bandwidth",
      "SendRecv",
      "Put latency with polled memory",
      "Put latency with notification",
      "Put latency to remote completion",
      "Get latency",
      "Put bandwidth",
      "Get bandwidth",
      "Round trip of a burst",
      "Round trip of a burst with pauses",
      "Receive overhead",
      "Host overhead of a round trip",
      "Send overlapped with work",
      "Receive overlapped with work",
      "Put overlapped with work",
      "Get overlapped with work",
      "Bandwidth under computation",
      "Hot spot, one sender",
      "Hot spot, one receiver (incast)",
      "Random pairs",
      "Message rate",
      "Latency under offered load",
      "Latency with registration per message",
      "Bandwidth with registration per message",
      "Memory registration",
      "Memory copy",
      "Halo exchange",
      "Improved staggered solver",
      "Allreduce",
      "Broadcast",
      "Alltoall",
      "Allgather",
      "Barrier",
      "Shift",
      "Rounds of all pairs",
      "Bandwidth by windows",
      "Bidirectional bandwidth by windows",
  };
  const std::vector<PatternOn> patterns = engine_patterns();
  ASSERT_EQ(patterns.size(), titles.size());
  for (std::size_t at = 0; at < titles.size(); ++at) {
    EXPECT_EQ(patterns[at].info.title, titles.at(at));
    EXPECT_GT(patterns[at].info.summary.size(), 12U) << titles.at(at);
    for (const ApplicationOption& option : patterns[at].info.lattice.options) {
      EXPECT_GT(option.summary.size(), 12U) << option.name;
    }
  }
}

TEST(Declared, LatticesAreThoseOfTheTable) {
  int lattices = 0;
  for (const PatternOn& one : engine_patterns()) {
    if (one.info.lattice.dimensions == 0) continue;
    EXPECT_EQ(lattice_of(one),
              lattices == 0 ? "halo 4 4..14:2 36 1 1 0 0 0 0 other"
                            : "milc 4 4..14:2 36 4 2 2 1187 1344 636 fields long_links mass u0 "
                              "gauge gauge_checksums residual plaquette_space plaquette_time");
    ++lattices;
  }
  EXPECT_EQ(lattices, 2);
}

}  // namespace
}  // namespace weft::fake
