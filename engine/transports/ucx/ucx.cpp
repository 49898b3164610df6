// UCX through its protocol layer, UCP: tagged messages, active messages, put and get.
#include "program/rank.hpp"
#include "transports/ucx/active_messages.hpp"
#include "transports/ucx/log.hpp"
#include "transports/ucx/tagged.hpp"

int main(int argc, char** argv) {
  weft::take_ucx_log();
  return weft::rank_main<weft::UcxTag, weft::UcxWaiting, weft::UcxAm>(argc, argv);
}
