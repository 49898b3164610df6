// What a datagram says of its sender.
#include <gtest/gtest.h>

#include "transports/verbs/sender.hpp"

namespace weft {
namespace {

TEST(Datagrams, TellTheirSenderAndItsReceivesAcrossTheEndOfTheNumbers) {
  for (const std::uint32_t rank : {0U, 1U, 32'766U}) {
    for (const bool shares : {false, true}) {
      for (const std::uint32_t known : {0U, 65'530U, 0xfffffffaU}) {
        for (const std::uint32_t more : {0U, 1U, 7U, 32'767U}) {
          const Sender said = sender_of(sender_bits(rank, shares, known + more));
          EXPECT_EQ(said.rank, rank);
          EXPECT_EQ(said.shares, shares);
          EXPECT_EQ(said.more_than(known), more);
          EXPECT_EQ(sender_of(sender_bits(rank, shares, known)).more_than(known + more), 0U)
              << "older";
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft
