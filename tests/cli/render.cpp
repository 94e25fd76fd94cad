#include "cli/render.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace sinew::testing {

namespace {

const char* const painted = R"html(<!doctype html>
<meta charset="utf-8">
<script>
const sheet = (width, height) => Object.assign(document.createElement('canvas'), { width, height });
function paint(context, x, { time, width, height, theme, view, fine }) {
  context.fillStyle = `rgb(${Math.round(255 * time)}, ${theme === 'dark' ? 40 : 200}, ${view.azimuth ?? 0})`;
  context.fillRect(x, 0, width, height);
  context.fillStyle = `rgb(${view.elevation ?? 0}, ${fine ? 255 : 0}, 0)`;
  context.fillRect(x, height - 8, width, 8);
}
window.sinew = {
  ready: Promise.resolve({ start: 0, end: 1, frames: 31 }),
  async picture(options) {
    const canvas = sheet(options.width, options.height);
    paint(canvas.getContext('2d'), 0, options);
    return canvas.toDataURL(options.type, 1);
  },
  async strip({ times, columns, ...options }) {
    const canvas = sheet(columns * options.width, Math.ceil(times.length / columns) * options.height);
    times.slice(0, columns).forEach((time, i) => paint(canvas.getContext('2d'), i * options.width, { ...options, time }));
    return canvas.toDataURL();
  },
};
</script>
)html";

}  // namespace

bool installed(const std::string& program)
{
    std::istringstream folders(std::getenv("PATH"));
    for (std::string each; std::getline(folders, each, ':');) {
        if (::access((each + "/" + program).c_str(), X_OK) == 0) return true;
    }
    return false;
}

std::string outputOf(const std::vector<std::string>& words)
{
    std::vector<std::string> copies = words;
    std::vector<char*> pointers;
    for (std::string& word : copies) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t id = ::fork();
    if (id == 0) {
        if (::dup2(ends[1], 1) == 1 && ::close(ends[0]) == 0) ::execvp(pointers[0], pointers.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    std::string text;
    char bytes[65536];
    for (ssize_t count = 0; (count = ::read(ends[0], bytes, sizeof bytes)) > 0;)
        text.append(bytes, static_cast<std::size_t>(count));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(id, &status, 0);
    EXPECT_EQ(status, 0) << words.front();
    return text;
}

std::array<int, 3> Pixels::at(int x, int y) const
{
    const auto place = static_cast<std::size_t>(3 * (y * width + x));
    EXPECT_LT(place + 2, bytes.size());
    std::array<int, 3> colour{};
    for (std::size_t i = 0; i < 3 && place + i < bytes.size(); ++i)
        colour[i] = static_cast<unsigned char>(bytes[place + i]);
    return colour;
}

Pixels pixelsOf(const fs::path& file, int frame)
{
    const FilmFacts facts = factsOf(file);
    Pixels pixels{static_cast<int>(facts.width), static_cast<int>(facts.height), {}};
    pixels.bytes = outputOf({"ffmpeg", "-v", "error", "-nostdin", "-i", "file:" + file.string(), "-vf",
                             "select=eq(n\\," + std::to_string(frame) + ")", "-frames:v", "1", "-f",
                             "rawvideo", "-pix_fmt", "rgb24", "-"});
    return pixels;
}

FilmFacts factsOf(const fs::path& file)
{
    const json::Value facts = parsed(outputOf({"ffprobe", "-v", "error", "-count_frames", "-show_streams",
                                               "-of", "json", "file:" + file.string()}));
    const json::Value* streams = facts.find("streams");
    if (!streams || streams->items().empty()) {
        ADD_FAILURE() << file << " has no picture";
        return {};
    }
    const json::Value& stream = streams->items().front();
    FilmFacts found{number(stream, "width"), number(stream, "height"), 0, 0,
                    word(stream, "codec_name") + " " + word(stream, "pix_fmt")};
    found.pictures = std::stod(word(stream, "nb_read_frames"));
    double over = 1;
    std::sscanf(word(stream, "r_frame_rate").c_str(), "%lf/%lf", &found.fps, &over);
    found.fps /= over;
    return found;
}

void RenderTest::SetUp()
{
    CommandTest::SetUp();
    std::string place = "/tmp/render-XXXXXX";  // short, as sockets need it
    ASSERT_TRUE(::mkdtemp(place.data()));
    temporary = place;
    ::setenv("TMPDIR", place.c_str(), 1);
    ::unsetenv("CHROMIUM");
    ::unsetenv("FFMPEG");
    if (!installed("chromium")) GTEST_SKIP() << "chromium is not installed (Debian's package chromium)";
    if (!installed("ffprobe")) GTEST_SKIP() << "ffmpeg is not installed (Debian's package ffmpeg)";
}

void RenderTest::TearDown()
{
    EXPECT_TRUE(fs::is_empty(temporary)) << *fs::directory_iterator(temporary);
    fs::remove_all(temporary);
    // The dead need a moment to be gone.
    for (int i = 0; i < 200 && !processes().empty(); ++i) ::usleep(20'000);
    EXPECT_TRUE(processes().empty());
    CommandTest::TearDown();
}

void RenderTest::writePainted(const std::string& name,
                              const std::vector<std::pair<std::string, std::string>>& changes) const
{
    std::string text = painted;
    for (const auto& [before, after] : changes) {
        const auto where = text.find(before);
        ASSERT_NE(where, std::string::npos) << before;
        text.replace(where, before.size(), after);
    }
    writeText(at(name), text);
}

std::vector<int> RenderTest::processes() const
{
    std::vector<int> ids;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (readText(entry.path() / "cmdline").find(temporary.string()) != std::string::npos)
            ids.push_back(std::stoi(name));
    }
    return ids;
}

void expectColour(const std::array<int, 3>& found, const std::array<int, 3>& wanted, int tolerance)
{
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(found[i], wanted[i], tolerance) << (i == 0 ? "red" : i == 1 ? "green" : "blue");
}

}  // namespace sinew::testing
