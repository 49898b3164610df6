// RDMA verbs: queue pairs of an RDMA device, driven directly.
#include "program/rank.hpp"
#include "transports/rails/rails.hpp"
#include "transports/verbs/rc.hpp"
#include "transports/verbs/ud.hpp"

int main(int argc, char** argv) {
  using Rail = weft::VerbsRcRail;
  return weft::rank_main<weft::VerbsRc, weft::VerbsUd, weft::Rails<Rail, weft::Stripe>,
                         weft::Rails<Rail, weft::Turn>>(argc, argv);
}
