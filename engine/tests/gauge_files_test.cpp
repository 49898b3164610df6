// Gauge files: what is read of whole ones, and what is said of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "apps/gauge_files/gauge_file.hpp"
#include "tests/support/gauge_writer.hpp"

namespace weft::gauge_files {
namespace {

using milc::Matrix;
using milc::Site;

const Extents small{2, 4, 2, 2};

class GaugeFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string put(const std::string& bytes) const {
    file_.put(bytes);
    return file_.path();
  }
  /// What is said of a file with these bytes; empty where it is whole.
  std::string said_of(const std::string& bytes) const {
    try {
      (void)GaugeFile(put(bytes)).check();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

 private:
  written::InMemory file_;
};

std::vector<std::string> every_format(const milc::Gauge& gauge) {
  return {written::milc_v5(gauge, small, std::endian::little),
          written::milc_v5(gauge, small, std::endian::big),
          written::scidac(gauge, small, 4),
          written::scidac(gauge, small, 8),
          written::ildg(gauge, small, 4),
          written::ildg(gauge, small, 8)};
}

// At the ends of all records and of their heads, and in between in steps.
std::set<std::size_t> cuts_of(const std::string& bytes) {
  std::set<std::size_t> cuts;
  for (std::size_t at = 0; at < bytes.size(); at += 61) cuts.insert(at);
  for (std::size_t at = bytes.find("Eg\x89\xab"); at != std::string::npos;
       at = bytes.find("Eg\x89\xab", at + 1)) {
    cuts.insert({std::max<std::size_t>(at, 1) - 1, at, at + 1, at + 143, at + 144, at + 145});
  }
  cuts.insert({95, 96, 97, bytes.size() - 1});
  return cuts;
}

TEST_F(GaugeFiles, EveryFormatGivesTheLinksThatWereWritten) {
  const milc::Gauge gauge = milc::random_gauge(5, small);
  const std::vector<std::string> formats{"MILC v5", "MILC v5", "SciDAC", "SciDAC", "ILDG", "ILDG"};
  std::vector<Sums> sums;
  std::size_t number = 0;
  for (const std::string& bytes : every_format(gauge)) {
    const GaugeFile file(put(bytes));
    EXPECT_EQ(file.data().format, formats[number++]);
    EXPECT_EQ(file.data().extents, small);
    sums.push_back(file.check());
    const milc::Gauge links = file.links();
    for (const Site& site : {Site{0, 0, 0, 0}, Site{1, 3, 1, 1}, Site{0, 2, 1, 0}}) {
      for (std::size_t direction = 0; direction < 4; ++direction) {
        const Matrix<double> link = gauge(site, direction);
        const bool is_double = file.data().is_double;
        EXPECT_EQ(links(site, direction),
                  is_double ? link : milc::as<double>(milc::as<float>(link)));
      }
    }
  }
  // The same links in another format have the same checksums, in another precision others.
  EXPECT_EQ(sums[1], sums[0]);
  EXPECT_EQ(sums[2], sums[0]);
  EXPECT_EQ(sums[4], sums[0]);
  EXPECT_NE(sums[3], sums[0]);
  EXPECT_EQ(sums[5], sums[3]);
}

TEST_F(GaugeFiles, SharesOfRanksGiveTheChecksum) {
  for (const std::string& bytes : every_format(milc::random_gauge(6, small))) {
    const GaugeFile file(put(bytes));
    const Decomposition lattice{.grid = {{1, 2, 1, 2}}, .local = {2, 2, 2, 1}};
    Sums all;
    for (int rank = 0; rank < lattice.grid.size(); ++rank) {
      const Sums own = file.share(lattice.origin(rank), lattice.local);
      all = {all.of_29 ^ own.of_29, all.of_31 ^ own.of_31};
    }
    EXPECT_EQ(all, file.check());
  }
}

TEST_F(GaugeFiles, CutAnywhereTheyAreRefusedByName) {
  for (const std::string& bytes : every_format(milc::random_gauge(7, small))) {
    ASSERT_EQ(said_of(bytes), "");
    for (const std::size_t length : cuts_of(bytes)) {
      // Only zeroes behind a record's last byte may be missing, and a checksum that nobody wrote.
      const bool is_padding = bytes.find_first_not_of('\0', length) == std::string::npos;
      const std::string said = said_of(bytes.substr(0, length));
      if (is_padding || written::ends_before_checksum(bytes, length)) continue;
      ASSERT_NE(said.find("/proc/self/fd/"), std::string::npos) << length << " of " << bytes.size();
      ASSERT_NE(said.find("; "), std::string::npos) << said;
      ASSERT_EQ(said.find('\n'), std::string::npos) << said;
    }
  }
}

TEST_F(GaugeFiles, CutInItsLinksItNamesTheRecord) {
  const std::string bytes = written::scidac(milc::random_gauge(7, small), small, 4);
  const std::size_t links = GaugeFile(put(bytes)).data().begins_at;
  const std::string said = said_of(bytes.substr(0, links + 100));
  EXPECT_NE(said.find("ends in its record scidac-binary-data; copy the whole file"),
            std::string::npos)
      << said;
}

TEST_F(GaugeFiles, AFlippedBitOfTheLinksIsFoundWhereverItIs) {
  for (const std::string& bytes : every_format(milc::random_gauge(8, small))) {
    const std::size_t links = GaugeFile(put(bytes)).data().begins_at;
    for (std::size_t at = links; at < links + volume_of(small) * 288; at += 301) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
      ASSERT_NE(said_of(damaged), "") << at;
    }
  }
}

TEST_F(GaugeFiles, NoFlippedByteOfTheHeadDoesHarm) {
  for (const std::string& bytes : every_format(milc::random_gauge(9, small))) {
    const std::size_t links = GaugeFile(put(bytes)).data().begins_at;
    const Sums sums = GaugeFile(put(bytes)).check();
    for (std::size_t at = 0; at < links; at += 3) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(~damaged[at]);
      // Either it is refused, or the byte means nothing (a date, a flag): then the links are these.
      if (said_of(damaged).empty()) {
        ASSERT_EQ(GaugeFile(put(damaged)).check(), sums);
      }
    }
  }
}

TEST_F(GaugeFiles, WhatIsNoGaugeFieldIsRefusedInWords) {
  const milc::Gauge gauge = milc::random_gauge(1, small);
  const auto with = [](std::string bytes, const std::string& old, const std::string& now) {
    const std::size_t at = bytes.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return bytes.replace(at, old.size(), now);
  };
  const std::string scidac = written::scidac(gauge, small, 4);
  const std::string ildg = written::ildg(gauge, small, 4);
  const std::string milc = written::milc_v5(gauge, small, std::endian::little);
  const milc::Gauge twice = [&](const Site& site, std::size_t direction) {
    return 2.0 * gauge(site, direction);
  };
  const milc::Gauge nowhere = [&](const Site& site, std::size_t direction) {
    Matrix<double> link = gauge(site, direction);
    if (site == Site{1, 3, 0, 1}) link.rows[1][1].im = std::numeric_limits<double>::quiet_NaN();
    return link;
  };
  const std::vector<std::pair<std::string, std::string>> known{
      {said_of(""), "is no gauge field"},
      {said_of("a text\n"), "is no gauge field"},
      {said_of(with(scidac, "<datacount>4<", "<datacount>1<")), "datacount is 1"},
      {said_of(with(scidac, "<typesize>72<", "<typesize>24<")), "typesize is 24"},
      {said_of(with(scidac, "<recordtype>0<", "<recordtype>1<")), "recordtype is 1"},
      {said_of(with(scidac, "<volfmt>0<", "<volfmt>1<")), "parts"},
      {said_of(with(scidac, "2 4 2 2", "2 4 2  ")), "3 dimensions"},
      {said_of(with(scidac, "2 4 2 2", "2 4 2 x")), "no numbers"},
      {said_of(with(scidac, "2 4 2 2", "2 4 2 0")), "cannot be"},
      {said_of(with(scidac, "2 4 2 2", "2 4 8 2")), "bytes of links"},
      {said_of(with(ildg, "su3gauge", "u1gauge ")), "u1gauge"},
      {said_of(with(ildg, "<lx>2<", "<lx>8<")), "differ"},
      {said_of(with(ildg, "<precision>32<", "<precision>16<")), "16 bits"},
      {said_of(std::string("\xda\xe7\x00\x00", 4) + milc), "before version 5"},
      {said_of(with(milc, std::string(4, '\0') + milc.substr(88, 4),
                    std::string("\1\0\0\0", 4) + milc.substr(88, 4))),
       "natural order"},
      {said_of(milc + "x"), "bytes where its lattice takes"},
      {said_of(with(milc, milc.substr(88, 8), "01234567")), "checksums"},
      {said_of(written::scidac(twice, small, 4)), "0,0,0,0 in x is not in SU(3)"},
      {said_of(written::ildg(nowhere, small, 8)), "1,3,0,1 in x is not in SU(3)"},
      {said_of(scidac + scidac), "several records"}};
  for (const auto& [said, word] : known)
    EXPECT_NE(said.find(word), std::string::npos) << said << " without " << word;
  EXPECT_THROW(GaugeFile("/no/such/lattice"), std::runtime_error);
  EXPECT_THROW(GaugeFile("/tmp"), std::runtime_error);
}

TEST_F(GaugeFiles, AChecksumThatNobodyWroteIsNotMissed) {
  const std::string ildg = written::ildg(milc::random_gauge(3, small), small, 4);
  const Sums known = GaugeFile(put(ildg)).check();
  std::string bytes = ildg;
  bytes.replace(bytes.find("scidac-checksum"), 6, "nobody");
  EXPECT_EQ(said_of(bytes), "");
  EXPECT_EQ(GaugeFile(put(bytes)).check(), known);
}

}  // namespace
}  // namespace weft::gauge_files
