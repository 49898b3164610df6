#include "transports/sim/shared_memory.hpp"

#include <smpi/smpi.h>

#include <simgrid/s4u.hpp>
#include <string>
#include <xbt/config.hpp>

#include "transports/sim/pieces.hpp"

namespace weft {

namespace {

void charge(SmpiOperation operation, const char* on_a_node, const std::string& setting) {
  if (on_a_node == nullptr) return;
  smpi_register_op_cost_callback(
      operation,
      [within = Pieces(on_a_node),
       between = Pieces(simgrid::config::get_value<std::string>(setting))](
          std::size_t bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) {
        return (from == to ? within : between).at(static_cast<double>(bytes));
      });
}

}  // namespace

void add_shared_memory(const simgrid::s4u::NetZone& fabric) {
  charge(SmpiOperation::SEND, fabric.get_property("shared-os"), "smpi/os");
  charge(SmpiOperation::ISEND, fabric.get_property("shared-ois"), "smpi/ois");
  charge(SmpiOperation::RECV, fabric.get_property("shared-or"), "smpi/or");
}

}  // namespace weft
