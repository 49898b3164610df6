// A rank that ends its run leaves no line behind in a pipe.
#include "bootstrap/output.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "run/lines.hpp"

namespace weft {
namespace {

class Output : public testing::Test {
 protected:
  Output() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Output() override {
    for (const int end : ends_) close(end);
  }
  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void write_bytes(std::size_t count) const {
    const std::string text(count, 'x');
    ASSERT_EQ(write(writing(), text.data(), count), static_cast<ssize_t>(count));
  }

 private:
  std::array<int, 2> ends_{};
};

TEST_F(Output, IsWaitedForUntilItsReaderHasAllOfIt) {
  constexpr std::size_t many = 60'000;
  constexpr std::int64_t minute_ns = 60'000'000'000;
  write_bytes(many);
  std::thread slow([this] {
    char byte = 0;
    for (std::size_t taken = 0; taken < many; ++taken) EXPECT_EQ(read(reading(), &byte, 1), 1);
  });
  wait_until_read(writing(), minute_ns);
  EXPECT_EQ(unread_bytes(writing()), 0);
  slow.join();
}

TEST_F(Output, ThatNobodyReadsIsNotWaitedForWithoutEnd) {
  constexpr std::int64_t few_ns = 2'000'000;
  write_bytes(3);
  wait_until_read(writing(), few_ns);
  EXPECT_EQ(unread_bytes(writing()), 3);
}

TEST(OutputToAFile, IsNotWaitedFor) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(write(fileno(file), "abc", 3), 3);
  EXPECT_EQ(lseek(fileno(file), 0, SEEK_SET), 0);
  EXPECT_EQ(unread_bytes(fileno(file)), 0);
  std::fclose(file);
}

TEST(LinesDeathTest, AreNotWrittenForEverWhereTheReaderIsGone) {
  const auto write_to_nobody = [] {
    alarm(10);
    close(STDOUT_FILENO);
    write_line("a line");
    _exit(0);
  };
  EXPECT_EXIT(write_to_nobody(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weft
