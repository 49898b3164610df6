// What the staggered solver can be given beside its lattice, and what it finds out.
#pragma once

#include <array>
#include <string_view>

#include "apps/milc/layout.hpp"
#include "contract/values.hpp"

namespace weft::milc::options {

/// Real numbers that are kept of a link of three steps: all, or two rows.
inline constexpr ApplicationOption long_links{.name = "long_links",
                                              .summary = "numbers kept of a long link: 18, or 12",
                                              .usual = 18,
                                              .least = rebuilt_reals,
                                              .most = 18,
                                              .step = 6,
                                              .moved_bytes_per_site = 32,
                                              .set_bytes_per_site = 16};
inline constexpr ApplicationOption mass{.name = "mass",
                                        .summary = "quark mass in units of the lattice",
                                        .usual = 0.1,
                                        .least = 1e-3,
                                        .most = 10};
inline constexpr ApplicationOption u0{
    .name = "u0", .summary = "tadpole factor", .usual = 1, .least = 0.1, .most = 10};
/// A file with the links; none: they are drawn.
inline constexpr ApplicationOption gauge{
    .name = "gauge", .summary = "a MILC, SciDAC or ILDG file of the links", .is_text = true};
/// SciDAC's checksums of its sites, which the ranks compare with what they read.
inline constexpr ApplicationOption gauge_checksums{
    .name = "gauge_checksums", .summary = "of the file's sites", .is_text = true};
inline constexpr std::array all{long_links, mass, u0, gauge, gauge_checksums};

}  // namespace weft::milc::options

namespace weft::milc::answers_of {

/// Of the last solution |b - A x| over |b|.
inline constexpr std::string_view residual = "residual";
/// The mean Re Tr of the links' plaquettes, in space and with t: 3 on a field of ones.
inline constexpr std::string_view plaquette_space = "plaquette_space";
inline constexpr std::string_view plaquette_time = "plaquette_time";
inline constexpr std::array all{residual, plaquette_space, plaquette_time};

}  // namespace weft::milc::answers_of
