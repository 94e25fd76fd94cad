// sinew render: pictures, strips, sequences and films have the right size, number and pixels.
#include <algorithm>
#include <cmath>

#include "cli/render.h"

namespace sinew::testing {

namespace {

using Render = RenderTest;

// H.264 and VP9 round colours to the limited range and encode them with loss.
constexpr int filmTolerance = 6;
// JPEG at its usual quality, and the 256 colours of a GIF.
constexpr int coarseTolerance = 8;

TEST_F(Render, a_picture_has_the_size_the_time_and_the_look_asked_for)
{
    writePainted("page.html");
    good({"render", "page.html", "-o", "new folder/picture.png", "--size", "101x67", "--time", "0.2",
          "--dark", "--azimuth", "70", "--elevation", "35"});
    const std::string png = readText(at("new folder/picture.png"));
    ASSERT_GT(png.size(), 24u);
    EXPECT_EQ(png.substr(1, 3), "PNG");
    EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x65\0\0\0\x43", 8));
    const Pixels pixels = pixelsOf(at("new folder/picture.png"));
    expectColour(pixels.at(50, 30), {51, 40, 70}, 0);
    expectColour(pixels.at(50, 66), {35, 255, 0}, 0);  // a still picture has fine edges
    EXPECT_FALSE(fs::exists(at("new folder/picture.png.part")));
}

TEST_F(Render, without_a_time_a_picture_shows_the_middle)
{
    writePainted("page.html");
    good({"render", "page.html", "-o", "picture.JPG", "--from", "0.4"});
    const Pixels pixels = pixelsOf(at("picture.JPG"));
    EXPECT_EQ(pixels.width, 1280);
    EXPECT_EQ(pixels.height, 720);
    expectColour(pixels.at(640, 360), {179, 200, 0}, coarseTolerance);
    EXPECT_EQ(readText(at("picture.JPG")).substr(0, 3), "\xff\xd8\xff");
}

TEST_F(Render, a_strip_spans_the_motion)
{
    writePainted("page.html");
    good({"render", "page.html", "-o", "strip.png", "--strip", "5", "--columns", "3", "--from", "0.2",
          "--to", "1", "--size", "40x30"});
    const Pixels pixels = pixelsOf(at("strip.png"));
    EXPECT_EQ(pixels.width, 120);
    EXPECT_EQ(pixels.height, 60);
    expectColour(pixels.at(20, 10), {51, 200, 0}, 0);
    expectColour(pixels.at(60, 10), {102, 200, 0}, 0);
    expectColour(pixels.at(100, 10), {153, 200, 0}, 0);
}

TEST_F(Render, a_sequence_counts_from_one)
{
    writePainted("page.html");
    good({"render", "page.html", "-o", "frames/100% %03d.png", "--size", "32x32", "--fps", "4"});
    EXPECT_EQ(std::distance(fs::directory_iterator(at("frames")), fs::directory_iterator()), 5);
    expectColour(pixelsOf(at("frames/100% 001.png")).at(5, 5), {0, 200, 0}, 0);
    expectColour(pixelsOf(at("frames/100% 004.png")).at(5, 5), {191, 200, 0}, 0);
    expectColour(pixelsOf(at("frames/100% 005.png")).at(5, 5), {255, 200, 0}, 0);
}

TEST_F(Render, an_mp4_plays_everywhere_at_the_rate_of_the_run)
{
    writePainted("page.html");
    const std::string name = "-film: 50% \"of\" #1 ä'.mp4";
    good({"render", "page.html", "-o", name, "--size", "64x48"});
    const FilmFacts facts = factsOf(at(name));
    EXPECT_EQ(facts.format, "h264 yuv420p");
    EXPECT_EQ(facts.width, 64);
    EXPECT_EQ(facts.height, 48);
    EXPECT_EQ(facts.pictures, 31);
    EXPECT_EQ(facts.fps, 30);
    expectColour(pixelsOf(at(name), 0).at(30, 20), {0, 200, 0}, filmTolerance);
    expectColour(pixelsOf(at(name), 24).at(30, 20), {204, 200, 0}, filmTolerance);
    // Players in a page can begin before all of it is there.
    const std::string bytes = readText(at(name));
    EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));
    EXPECT_FALSE(fs::exists(at(name + ".part")));
}

// Several browsers share a film: whoever is done first, the pictures come in their order.
TEST_F(Render, pictures_of_several_browsers_stay_in_order)
{
    // Older pages make one picture at a time, others many, which are ready sooner or later.
    const std::pair<std::string, std::string> many{
        "  async strip(",
        "  async pictures({ times, ...options }) {\n"
        "    await new Promise((done) => setTimeout(done, 40 * Math.random()));\n"
        "    return Promise.all(times.map((time) => sinew.picture({ ...options, time })));\n"
        "  },\n  async strip("};
    writePainted("one.html");
    writePainted("many.html", {many});
    good({"render", "one.html", "-o", "one/%02d.png", "--size", "32x24", "--browsers", "2"});
    good({"render", "many.html", "-o", "many.mp4", "--size", "32x24", "--browsers", "3"});
    EXPECT_EQ(factsOf(at("many.mp4")).pictures, 31);
    for (int i = 0; i <= 30; i += 5) {
        const int red = static_cast<int>(std::lround(255 * i / 30.0));
        const std::string number = (i + 1 < 10 ? "0" : "") + std::to_string(i + 1);
        expectColour(pixelsOf(at("one/" + number + ".png")).at(5, 5), {red, 200, 0}, 0);
        expectColour(pixelsOf(at("many.mp4"), i).at(5, 5), {red, 200, 0}, filmTolerance);
    }
    refused({"render", "one.html", "-o", "f.mp4", "--browsers", "0"}, {"--browsers", "1 to 6"});
    refused({"render", "one.html", "-o", "f.png", "--browsers", "2"},
            {"--browsers", "films and sequences"});
}

TEST_F(Render, a_browser_that_fails_beside_others_ends_the_film_in_one_line)
{
    writePainted("page.html", {{"async picture(options) {",
                                "async picture(options) {\n    if (options.time > 0.7) "
                                "throw new Error('no more paint');"}});
    const Outcome outcome =
        run({"render", "page.html", "-o", "f.mp4", "--size", "32x24", "--browsers", "3"});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("no more paint"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(at("f.mp4")));
}

TEST_F(Render, slow_motion_has_more_pictures_of_the_same_part)
{
    writePainted("page.html");
    good({"render", "page.html", "-o", "slow.webm", "--size", "63x49", "--fps", "10", "--speed", "0.25",
          "--from", "0.5", "--to", "1"});
    const FilmFacts facts = factsOf(at("slow.webm"));
    EXPECT_EQ(facts.format, "vp9 yuv420p");
    EXPECT_EQ(facts.width, 63);
    EXPECT_EQ(facts.pictures, 21);
    EXPECT_EQ(facts.fps, 10);
    expectColour(pixelsOf(at("slow.webm"), 10).at(30, 20), {191, 200, 0}, filmTolerance);
}

TEST_F(Render, a_gif_has_twenty_pictures_a_second)
{
    writePainted("page.html");
    good({"render", "page.html", "-o", "film.gif", "--size", "64x48"});
    const FilmFacts facts = factsOf(at("film.gif"));
    EXPECT_EQ(facts.width, 64);
    EXPECT_EQ(facts.pictures, 21);
    EXPECT_EQ(facts.fps, 20);
    expectColour(pixelsOf(at("film.gif"), 10).at(30, 20), {128, 200, 0}, coarseTolerance);
}

TEST_F(Render, a_page_may_have_any_name)
{
    for (const std::string name : {"a b 100% #1?.html", "\"it's\" größe;$HOME.htm"}) {
        writePainted(name);
        good({"render", name, "-o", "picture.png", "--size", "16x16", "--time", "1"});
        expectColour(pixelsOf(at("picture.png")).at(5, 5), {255, 200, 0}, 0);
        fs::remove(at("picture.png"));
    }
}

// From here on the real page, with WebGL in software.

// How much the pixels of a picture differ: none in one that is empty.
int range(const Pixels& pixels)
{
    const auto [least, most] = std::minmax_element(
        pixels.bytes.begin(), pixels.bytes.end(),
        [](char a, char b) { return static_cast<unsigned char>(a) < static_cast<unsigned char>(b); });
    return static_cast<unsigned char>(*most) - static_cast<unsigned char>(*least);
}

TEST_F(Render, a_scene_becomes_a_film)
{
    makeChain();
    good({"render", "chain.json", "-o", "film.mp4", "--size", "64x48", "--duration", "0.2", "--fps", "25",
          "--speed", "0.5"});
    const FilmFacts facts = factsOf(at("film.mp4"));
    EXPECT_EQ(facts.pictures, 11);
    EXPECT_EQ(facts.fps, 25);
    const Pixels first = pixelsOf(at("film.mp4"), 0), last = pixelsOf(at("film.mp4"), 10);
    EXPECT_GT(range(first), 50);
    EXPECT_NE(first.bytes, last.bytes);
    // Still pictures and films have the same colours, also of the empty corner.
    good(
        {"render", "chain.json", "-o", "still.png", "--size", "64x48", "--duration", "0.2", "--time", "0"});
    for (const int x : {1, 62}) expectColour(first.at(x, 1), pixelsOf(at("still.png")).at(x, 1), 3);
}

TEST_F(Render, a_run_and_its_page_give_the_same_picture)
{
    makeChain();
    good({"run", "chain.json", "-o", "out", "--duration", "0.2"});
    good({"render", "out", "-o", "run.png", "--size", "64x48"});
    good({"render", "out/index.html", "-o", "page.png", "--size", "64x48", "--time", "0.1"});
    EXPECT_GT(range(pixelsOf(at("run.png"))), 50);
    EXPECT_EQ(readText(at("run.png")), readText(at("page.png")));
    good({"render", "out", "-o", "strip.png", "--strip", "3", "--size", "64x48", "--dark"});
    const Pixels strip = pixelsOf(at("strip.png"));
    EXPECT_EQ(strip.width, 3 * 64 + 2 * 4);
    EXPECT_EQ(strip.height, 48);
}

TEST_F(Render, a_motion_that_diverged_is_drawn_as_far_as_it_was_good)
{
    good({"make", "chain", "--links", "5", "--stiffness", "1e6", "--start", "horizontal", "-o",
          "stiff.json"});
    const Outcome outcome = run({"render", "stiff.json", "-o", "film.mp4", "--size", "32x32",
                                 "--integrator", "explicit_euler", "--step", "0.02", "--duration", "5"});
    EXPECT_EQ(outcome.exitCode, 3) << outcome.err;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_GE(factsOf(at("film.mp4")).pictures, 1);
}

}  // namespace

}  // namespace sinew::testing
