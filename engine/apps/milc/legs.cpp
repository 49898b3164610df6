#include "apps/milc/legs.hpp"

namespace weft::milc {

namespace {

// Where a leg of a site ends: on this rank, or in a layer of a neighbour's face.
struct End {
  bool is_remote = false;
  Extents at{};
  std::uint32_t layer = 0;
};

End end_of(const Sublattice& sublattice, Extents at, const LegName& leg) {
  const std::uint32_t extent = sublattice.local[leg.direction];
  std::uint32_t& place = at[leg.direction];
  const bool leaves = leg.is_back ? place < leg.hop : place + leg.hop >= extent;
  const std::uint32_t layer = leg.is_back ? leg.hop - place - 1 : place + leg.hop - extent;
  place = (place + extent + (leg.is_back ? extent - leg.hop : leg.hop)) % extent;
  if (leaves && sublattice.is_split(leg.direction)) return {true, at, layer};
  return {false, at, 0};
}

// Where in a message a site of a layer is: by its other coordinates.
std::uint32_t place_in_message(const Extents& local, std::size_t direction, const Extents& at,
                               std::uint32_t layer) {
  std::uint32_t place = 0;
  for (std::size_t dimension = 4; dimension-- > 0;) {
    if (dimension != direction) place = place * local[dimension] + at[dimension];
  }
  const auto sites = static_cast<std::uint32_t>(sites_of_layer(local, direction));
  return (layer * sites + place / 2) * static_cast<std::uint32_t>(reals_of_site);
}

class Tables {
 public:
  Tables(const Sublattice& sublattice, const Layout& layout, std::size_t long_reals)
      : sublattice_(&sublattice),
        layout_(&layout),
        long_reals_(long_reals),
        rows_(own_row(layout, {2, 0, 0}, 0, 1, long_reals)) {}

  LegTables make() {
    tables_.own_rows = rows_;
    for (std::uint32_t parity = 0; parity < 2; ++parity) {
      for (std::uint32_t block = 0; block < layout_->blocks(); ++block) {
        for (std::size_t leg = 0; leg < legs_of_site; ++leg) add(parity, block, leg);
      }
      pack(parity);
    }
    tables_.all_rows = rows_;
    return std::move(tables_);
  }

 private:
  void add(std::uint32_t parity, std::uint32_t block, std::size_t leg) {
    LocalLeg local;
    RemoteLeg remote;
    reach(parity, block, leg, local, remote);
    const LegName name = leg_name(leg);
    if (!name.is_back) {
      local.link = own_row(*layout_, {parity, block, 0}, name.direction, name.hop, long_reals_);
    } else if (local.is_plain != 0) {
      local.link =
          own_row(*layout_, {1 - parity, local.source, 0}, name.direction, name.hop, long_reals_);
    } else {
      local.link = rows_;
      rows_ += static_cast<std::uint32_t>(name.hop == 1 ? reals_of_link : long_reals_);
    }
    tables_.of_parity[parity].local.push_back(local);
    if (local.present != 0xFF) tables_.of_parity[parity].remote.push_back(remote);
  }

  // Where the lanes of a leg come from, but for their links.
  void reach(std::uint32_t parity, std::uint32_t block, std::size_t leg, LocalLeg& local,
             RemoteLeg& remote) const {
    const LegName name = leg_name(leg);
    remote.block = block;
    remote.face = static_cast<std::uint8_t>(face_of(name.direction, name.is_back));
    remote.leg = static_cast<std::uint8_t>(leg);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const End end = end_of(*sublattice_, layout_->at({parity, block, lane}), name);
      remote.at[lane] = no_lane;
      if (end.is_remote) {
        remote.at[lane] = static_cast<std::int32_t>(
            place_in_message(layout_->local(), name.direction, end.at, end.layer));
      } else {
        take(local, lane, layout_->place(end.at));
      }
    }
    local.is_plain = local.present == 0xFF && local.flip == 0 && local.from_other == 0 ? 1 : 0;
  }

  static void take(LocalLeg& local, std::uint32_t lane, const Layout::Place& source) {
    if (local.present == 0) {
      local.source = local.other = source.block;
      local.flip = (lane ^ source.lane) & (lanes - 1);
    } else if (source.block != local.source) {
      local.other = source.block;
      local.from_other = static_cast<std::uint8_t>(local.from_other | 1U << source.lane);
    }
    local.present = static_cast<std::uint8_t>(local.present | 1U << lane);
  }

  void pack(std::uint32_t parity) {
    const Extents& local = layout_->local();
    for (std::size_t face = 0; face < faces; ++face) {
      const std::size_t direction = face / 2;
      if (!sublattice_->is_split(direction)) continue;
      std::vector<std::uint32_t>& packed = tables_.of_parity[parity].packed[face];
      packed.resize(layers * sites_of_layer(local, direction));
      for (std::uint32_t block = 0; block < layout_->blocks(); ++block) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
          const Layout::Place place{parity, block, lane};
          const Extents at = layout_->at(place);
          const bool is_back = face % 2 == 1;
          const std::uint32_t layer =
              is_back ? at[direction] : local[direction] - 1 - at[direction];
          if (layer >= layers) continue;
          packed[place_in_message(local, direction, at, layer) / reals_of_site] =
              static_cast<std::uint32_t>(first_real(place));
        }
      }
    }
  }

  const Sublattice* sublattice_;
  const Layout* layout_;
  LegTables tables_;
  std::size_t long_reals_;
  std::uint32_t rows_;
};

}  // namespace

LegTables leg_tables(const Sublattice& sublattice, const Layout& layout, std::size_t long_reals) {
  return Tables(sublattice, layout, long_reals).make();
}

}  // namespace weft::milc
