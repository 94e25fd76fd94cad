// Binary trajectories, and tables at other rates: what goes in comes out, and what is spoilt is refused.
#include "sinew/io/binary/trajectory_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "sinew/io/binary/little_endian.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/csv/trajectory_csv.h"
#include "sinew/rig/resample.h"
#include "support/recorded_run.h"

namespace sinew::test {
namespace {

std::vector<std::string> namesOf(const Description& description)
{
    std::vector<std::string> names;
    for (const BodyDescription& body : description.bodies) names.push_back(body.name);
    return names;
}

void expectSameFrame(const Frame& a, const Frame& b)
{
    EXPECT_EQ(a.time, b.time);
    ASSERT_EQ(a.bodies.size(), b.bodies.size());
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
        EXPECT_EQ(a.bodies[i].position, b.bodies[i].position);
        EXPECT_EQ(a.bodies[i].orientation.coeffs(), b.bodies[i].orientation.coeffs());
    }
}

// Two balls, and a tenth of a second: 7 frames.
class TrajectoryFile : public ::testing::Test {
protected:
    void SetUp() override
    {
        Description scene;
        scene.bodies = {solid("ball", Sphere{1}, Vec3(0, 1, 0)),
                        solid("bäll, 2", Sphere{1}, Vec3(5, 1, 0))};
        run = recordedRun(scene, 0.1);
        path = outputFile(std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
                          ".sinewt");
        ASSERT_TRUE(writeTrajectoryFile(path, namesOf(run.description), run.motion));
        bytes = contentOf(path);
    }
    void TearDown() override { std::filesystem::remove(path); }

    // What the reader says to these bytes, or to their first bad frame.
    std::string verdict(std::string spoilt) const
    {
        std::FILE* stream = fmemopen(spoilt.data(), spoilt.size(), "rb");
        Result<TrajectoryReader> reader = TrajectoryReader::read(stream, "file");
        if (!reader) return reader.error().text();
        const Result<Trajectory> all = reader.value().all();
        return all ? "good" : all.error().text();
    }
    static void put(std::string& to, std::size_t at, std::uint32_t number)
    {
        std::string little;
        appendUnsigned(little, number);
        to.replace(at, 4, little);
    }
    static void fixCrc(std::string& to, std::size_t from, std::size_t size)
    {
        put(to, from + size - 4, crc32(std::string_view(to).substr(from, size - 4)));
    }
    std::size_t headerSize() const { return unsignedAt<std::uint32_t>(bytes, 12); }

    RecordedRun run;
    std::string path, bytes;
};

TEST_F(TrajectoryFile, every_bit_comes_back_and_any_frame_alone)
{
    Result<TrajectoryReader> reader = TrajectoryReader::open(path);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader.value().bodies(), namesOf(run.description));
    EXPECT_EQ(reader.value().fps(), 60);
    ASSERT_EQ(reader.value().frames(), run.motion.size());
    for (std::size_t k : {std::size_t{5}, std::size_t{0}, run.motion.size() - 1}) {
        const Result<Frame> frame = reader.value().frame(k);
        ASSERT_TRUE(frame);
        expectSameFrame(frame.value(), run.motion[k]);
    }
    EXPECT_EQ(reader.value().frameAt(-1).value(), 0u);
    EXPECT_EQ(reader.value().frameAt(run.motion[3].time).value(), 3u);
    EXPECT_EQ(reader.value().frameAt(run.motion[3].time + 0.01).value(), 3u);
    EXPECT_EQ(reader.value().frameAt(99).value(), run.motion.size() - 1);
    const Result<Trajectory> all = reader.value().all();
    ASSERT_TRUE(all);
    for (std::size_t k = 0; k < run.motion.size(); ++k) expectSameFrame(all.value()[k], run.motion[k]);
}

TEST_F(TrajectoryFile, the_reader_of_the_documentation_reads_the_same_numbers)
{
    if (!hasTool("python3")) GTEST_SKIP() << "python3 is not installed";
    const std::string page = contentOf(SINEW_DOC_DIR "/trajectory_format.md");
    const std::string fence = "```python\n";
    const std::size_t begin = page.find(fence) + fence.size();
    const std::string script = outputFile("read_trajectory.py");
    std::ofstream(script) << page.substr(begin, page.find("```", begin) - begin)
                          << "import sys\n"
                             "names, fps, frames = read_trajectory(sys.argv[1])\n"
                             "print('|'.join(names), fps, len(frames), frames[3][1][1][1].hex())\n";
    char height[64];
    std::snprintf(height, sizeof height, "%a", run.motion[3].bodies[1].position.y());
    const ToolOutcome outcome = runTool("python3 '" + script + "' '" + path + "'");
    EXPECT_EQ(outcome.exitCode, 0);
    double back = 0;
    const std::size_t last = outcome.text.rfind(' ');
    back = std::strtod(outcome.text.c_str() + last, nullptr);
    EXPECT_EQ(outcome.text.substr(0, last), "ball|bäll, 2 60.0 7");
    EXPECT_EQ(back, run.motion[3].bodies[1].position.y()) << height;
}

TEST_F(TrajectoryFile, no_changed_byte_goes_unnoticed)
{
    ASSERT_EQ(verdict(bytes), "good");
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string spoilt = bytes;
        spoilt[at] = static_cast<char>(spoilt[at] ^ 0x10);
        EXPECT_NE(verdict(spoilt), "good") << "byte " << at;
    }
    for (std::size_t size = 1; size < bytes.size(); ++size)
        EXPECT_NE(verdict(bytes.substr(0, size)), "good") << size << " bytes";
}

TEST_F(TrajectoryFile, what_cannot_be_is_refused_though_its_check_sums_fit)
{
    const auto headed = [&](std::size_t at, std::uint32_t number) {
        std::string spoilt = bytes;
        put(spoilt, at, number);
        fixCrc(spoilt, 0, headerSize());
        return verdict(spoilt);
    };
    EXPECT_NE(headed(8, 2).find("version 2"), std::string::npos);
    EXPECT_NE(headed(16, 0xffffffff).find("bodies"), std::string::npos);
    EXPECT_NE(headed(16, 0).find("bodies"), std::string::npos);
    EXPECT_NE(headed(20, 0).find("frames are said"), std::string::npos);
    EXPECT_NE(headed(28, 0x7ff80000).find("frame rate"), std::string::npos);
    EXPECT_NE(headed(32, 0xfffffff0).find("names"), std::string::npos);
    std::string longHeader = bytes;
    put(longHeader, 12, 0xfffffff8);
    EXPECT_NE(verdict(longHeader).find("header"), std::string::npos);

    const std::size_t frameSize = unsignedAt<std::uint32_t>(bytes, 20);
    const auto framed = [&](std::size_t frame, std::size_t at, double number) {
        std::string spoilt = bytes, little;
        appendDouble(little, number);
        spoilt.replace(headerSize() + frame * frameSize + at, 8, little);
        fixCrc(spoilt, headerSize() + frame * frameSize, frameSize);
        return verdict(spoilt);
    };
    EXPECT_NE(framed(2, 0, 0).find("frame 2: its time"), std::string::npos);
    EXPECT_NE(framed(2, 8, std::numeric_limits<double>::infinity()).find("frame 2 holds"),
              std::string::npos);
    EXPECT_NE(framed(2, 8 + 6 * 8, 0).find("frame 2: a quaternion"), std::string::npos);
    EXPECT_NE(verdict(bytes.substr(0, bytes.size() - 30)).find("6 whole frames"), std::string::npos);
}

TEST(TrajectoryTable, is_read_back_to_the_bit_and_written_at_another_rate)
{
    const RecordedRun run = recordedRun(shippedScene("finger"), 0.5);
    const Simulation s = started(run.description);
    const std::string path = outputFile("table.csv");
    ASSERT_TRUE(writeTrajectory(path, s.model(), run.motion));
    EXPECT_EQ(contentOf(path).rfind(trajectoryHeader(s.model()), 0), 0u);
    const Result<Trajectory> back = readTrajectory(path, s.model());
    ASSERT_TRUE(back);
    ASSERT_EQ(back.value().size(), run.motion.size());
    for (std::size_t k = 0; k < run.motion.size(); ++k) expectSameFrame(back.value()[k], run.motion[k]);

    const Result<Trajectory> fewer = resampled(back.value(), 24);
    ASSERT_TRUE(fewer);
    ASSERT_TRUE(writeTrajectory(path, s.model(), fewer.value()));
    const Result<Trajectory> again = readTrajectory(path, s.model());
    ASSERT_TRUE(again);
    EXPECT_EQ(again.value().size(), 13u);
    EXPECT_EQ(again.value()[12].time, 0.5);
}

TEST(TrajectoryTable, faults_are_named_by_their_row)
{
    const Description scene = shippedScene("finger");
    const Simulation s = started(scene);
    const std::string path = outputFile("faults.csv");
    std::string row;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) row += ",0,0,0,0,0,0,1";
    const auto verdict = [&](const std::string& rows) {
        std::ofstream(path) << trajectoryHeader(s.model()) << rows;
        const Result<Trajectory> read = readTrajectory(path, s.model());
        return read ? "good" : read.error().text();
    };
    EXPECT_EQ(verdict("0" + row + "\n1" + row + "\n"), "good");
    EXPECT_NE(verdict("").find("no frames"), std::string::npos);
    EXPECT_NE(verdict("0" + row + "\n0" + row + "\n").find("row 2"), std::string::npos);
    EXPECT_NE(verdict("inf" + row + "\n").find("row 1"), std::string::npos);
    row.back() = '0';
    EXPECT_NE(verdict("0" + row + "\n").find("quaternion"), std::string::npos);
}

}  // namespace
}  // namespace sinew::test
