// sinew render: what it refuses, and what it says when a program or a page fails. Nothing is left behind.
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cli/render.h"

namespace sinew::testing {

namespace {

class RenderFault : public RenderTest {
protected:
    void SetUp() override
    {
        RenderTest::SetUp();
        writePainted("page.html");
    }
    // Refuses, and leaves neither film nor picture nor part of one.
    void refuses(std::vector<std::string> arguments, const std::vector<std::string>& says) const
    {
        arguments.insert(arguments.begin(), "render");
        refused(arguments, says);
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string ending = entry.path().extension();
            EXPECT_TRUE(ending == ".html" || ending == ".json" || ending == "") << entry.path();
        }
    }
    // A program of these lines, by the name of the file.
    void writeScript(const std::string& name, const std::string& text) const
    {
        writeText(at(name), "#!/bin/sh\n" + text + "\n");
        fs::permissions(at(name), fs::perms::owner_all);
    }
    // Whether a film is in the making.
    bool hasBegun() const
    {
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().filename().string().starts_with(".")) return true;
        return false;
    }
    // Waits until the film has begun.
    bool begins() const
    {
        for (int i = 0; i < 6000; ++i) {
            if (hasBegun()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    const std::vector<std::string> longFilm{"render", "page.html", "-o",      "film.mp4",
                                            "--size", "64x48",     "--speed", "0.00052"};
};

TEST_F(RenderFault, options_are_checked_before_anything_starts)
{
    // Whoever starts a program now gets another answer.
    ::setenv("CHROMIUM", "/bin/false", 1);
    ::setenv("FFMPEG", "/bin/false", 1);
    refuses({"none.html", "-o", "f.mp4"}, {"none.html", "no such file"});
    refuses({"page.html", "-o", "film"}, {"--output", ".mp4"});
    refuses({"page.html", "-o", "film.avi"}, {"--output", "film.avi", ".webm"});
    refuses({"page.html", "-o", "%d-%d.png"}, {"--output", "more than one"});
    refuses({"page.html", "-o", "%4d.png"}, {"--output", "%04d"});
    refuses({"page.html", "-o", "%d/a.png"}, {"--output", "folder"});
    refuses({"page.html", "-o", "f.mp4", "--size", "big"}, {"--size", "1280x720"});
    refuses({"page.html", "-o", "f.mp4", "--size", "15x16"}, {"--size", "16 to 7680"});
    refuses({"page.html", "-o", "f.mp4", "--size", "7682x16"}, {"--size", "16 to 7680"});
    refuses({"page.html", "-o", "f.mp4", "--size", "641x360"}, {"--size", "642x360"});
    refuses({"page.html", "-o", "f.mp4", "--fps", "0"}, {"--fps", "240"});
    refuses({"page.html", "-o", "f.gif", "--fps", "60"}, {"--fps", "50"});
    refuses({"page.html", "-o", "f.mp4", "--speed", "-1"}, {"--speed"});
    refuses({"page.html", "-o", "f.mp4", "--speed", "nan"}, {"--speed"});
    refuses({"page.html", "-o", "f.mp4", "--elevation", "91"}, {"--elevation", "90"});
    refuses({"page.html", "-o", "f.mp4", "--from", "2", "--to", "1"}, {"--to", "before"});
    refuses({"page.html", "-o", "f.mp4", "--time", "1"}, {"--time"});
    refuses({"page.html", "-o", "f.mp4", "--strip", "4"}, {"--strip", ".png"});
    refuses({"page.html", "-o", "f.png", "--strip", "0"}, {"--strip", "1 to 200"});
    refuses({"page.html", "-o", "f.png", "--strip", "100"}, {"--strip", "--columns"});
    refuses({"page.html", "-o", "f.png", "--columns", "4"}, {"--columns", "--strip"});
    refuses({"page.html", "-o", "f.png", "--fps", "4"}, {"--fps", "films"});
    refuses({"page.html", "-o", "f.mp4", "--duration", "4"}, {"--duration", "simulated already"});
    makeChain();
    refuses({"chain.json", "-o", "f.mp4", "--solver", "none"}, {"--solver", "none"});
    refuses({"chain.json", "-o", "f.mp4", "--duration", "1", "--from", "2"}, {"--from", "from 0 to 1 s"});
}

TEST_F(RenderFault, a_missing_program_is_named_with_its_package)
{
    ::setenv("CHROMIUM", "no-such-browser", 1);
    refuses({"page.html", "-o", "f.mp4"}, {"CHROMIUM", "no-such-browser", "package chromium"});
    ::unsetenv("CHROMIUM");
    ::setenv("FFMPEG", at("page.html").c_str(), 1);  // no program
    refuses({"page.html", "-o", "f.mp4"}, {"FFMPEG", "page.html", "package ffmpeg"});
    ::unsetenv("FFMPEG");
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", "/nowhere", 1);
    refuses({"page.html", "-o", "f.mp4"}, {"chromium is missing", "package chromium", "CHROMIUM"});
    ::setenv("PATH", path.c_str(), 1);
}

TEST_F(RenderFault, a_browser_that_fails_is_quoted)
{
    writeScript("browser", "echo oh no >&2; echo 'no display' >&2; exit 7");
    ::setenv("CHROMIUM", at("browser").c_str(), 1);
    refuses({"page.html", "-o", "f.mp4"}, {"chromium: ended by exit code 7", "no display"});
    writeScript("browser", "printf 'nonsense\\0' >&4; sleep 60");
    refuses({"page.html", "-o", "f.mp4"}, {"chromium"});
    // What it has started must end with it; the folder's name lets processes() see it.
    writeScript("browser", "sh -c 'sleep 60; exit' \"$TMPDIR\"; exit");
    refuses({"page.html", "-o", "f.mp4", "--timeout", "0.5"}, {"no answer within 0.5 s", "--timeout"});
}

TEST_F(RenderFault, a_film_program_that_fails_is_quoted)
{
    writeScript("ffmpeg", "echo 'disk is full' >&2; exit 1");
    ::setenv("FFMPEG", at("ffmpeg").c_str(), 1);
    refuses({"page.html", "-o", "f.mp4", "--size", "16x16"},
            {"ffmpeg: ended by exit code 1", "disk is full"});
    writeScript("ffmpeg", "cat >/dev/null; echo 'it broke at the end' >&2; exit 3");
    refuses({"page.html", "-o", "f.gif", "--size", "16x16"}, {"exit code 3", "it broke at the end"});
}

TEST_F(RenderFault, times_outside_the_motion_of_a_page_are_refused)
{
    refuses({"page.html", "-o", "f.mp4", "--to", "1.5"}, {"--to", "1.5", "from 0 to 1 s"});
    refuses({"page.html", "-o", "f.png", "--time", "-1"}, {"--time", "-1", "from 0 to 1 s"});
}

TEST_F(RenderFault, pages_that_cannot_be_drawn_are_told_apart)
{
    writeText(at("plain.html"), "<!doctype html><p>Hello");
    refuses({"plain.html", "-o", "f.png"}, {"plain.html", "offers no pictures"});
    writePainted("sad.html", {{"ready: Promise.resolve({ start: 0, end: 1, frames: 31 })",
                               "ready: Promise.reject(new Error('no WebGL <here>'))"}});
    refuses({"sad.html", "-o", "f.png"}, {"sad.html: no WebGL <here>"});
    writePainted("odd.html", {{"return canvas.toDataURL(options.type, 1)", "return 'data:,'"}});
    refuses({"odd.html", "-o", "f.png"}, {"odd.html", "no picture of 1280x720"});
    writePainted("odd.html",
                 {{"return canvas.toDataURL(options.type, 1)", "return 'data:image/png;base64,A*=='"}});
    refuses({"odd.html", "-o", "f.png"}, {"odd.html", "no picture"});
    writePainted("stuck.html", {{"ready: Promise.resolve({ start: 0, end: 1, frames: 31 })",
                                 "ready: new Promise(() => {})"}});
    refuses({"stuck.html", "-o", "f.png", "--timeout", "3"}, {"no answer within 3 s"});
}

TEST_F(RenderFault, a_browser_that_is_killed_takes_the_film_with_it)
{
    Process process(folder, longFilm);
    ASSERT_TRUE(begins());
    for (int id : processes()) ::kill(id, SIGKILL);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("signal 9"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(at("film.mp4")));
    EXPECT_FALSE(hasBegun());
}

TEST_F(RenderFault, an_interrupt_leaves_nothing)
{
    Process process(folder, longFilm);
    ASSERT_TRUE(begins());
    process.signal(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exitCode, 130);
    EXPECT_EQ(outcome.err, "interrupted; nothing was written\n");
    EXPECT_FALSE(fs::exists(at("film.mp4")));
    EXPECT_FALSE(hasBegun());
}

TEST_F(RenderFault, a_second_interrupt_leaves_nothing_either)
{
    writeText(at("film.mp4"), "the old one");
    Process process(folder, longFilm);
    ASSERT_TRUE(begins());
    process.signal(SIGINT);
    process.signal(SIGTERM);
    const int exitCode = process.wait().exitCode;
    EXPECT_TRUE(exitCode == 128 + SIGTERM || exitCode == 128 + SIGINT) << exitCode;
    EXPECT_EQ(readText(at("film.mp4")), "the old one");
    EXPECT_FALSE(hasBegun());
    for (int i = 0; i < 500 && !(fs::is_empty(temporary) && processes().empty()); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

TEST_F(RenderFault, an_interrupted_sequence_keeps_its_pictures)
{
    Process process(folder,
                    {"render", "page.html", "-o", "%d.png", "--size", "16x16", "--speed", "0.0005"});
    ASSERT_TRUE(grows("3.png", 1));
    process.signal(SIGTERM);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exitCode, 130);
    EXPECT_EQ(outcome.err, "interrupted; the pictures so far are kept\n");
    EXPECT_TRUE(fs::exists(at("1.png")));
}

TEST_F(RenderFault, a_simulation_is_interrupted_without_a_word_of_its_folder)
{
    makeChain();
    Process process(folder, {"render", "chain.json", "-o", "picture.png", "--duration", "100000"});
    for (int i = 0; i < 6000 && fs::is_empty(temporary); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    process.signal(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exitCode, 130);
    EXPECT_EQ(outcome.err, "interrupted; nothing was written\n");
}

}  // namespace

}  // namespace sinew::testing
