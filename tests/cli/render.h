// What the tests of `sinew render` share: a page that paints known pixels, and a look at what came out.
#pragma once

#include <array>
#include <vector>

#include "cli/command.h"

namespace sinew::testing {

// Whether a program is on the path.
bool installed(const std::string& program);

// What a program prints on stdout; it must end well. No shell is in between.
std::string outputOf(const std::vector<std::string>& words);

// The pixels of a picture, or of one frame of a film, by ffmpeg.
struct Pixels {
    int width = 0, height = 0;
    std::string bytes;  // red, green, blue

    std::array<int, 3> at(int x, int y) const;
};
Pixels pixelsOf(const fs::path& file, int frame = 0);

// Width, height, pictures and pictures per second of a film, by ffprobe.
struct FilmFacts {
    double width = 0, height = 0, pictures = 0, fps = 0;
    std::string format;  // codec and layout of pixels
};
FilmFacts factsOf(const fs::path& file);

// Every test has a temporary folder of its own, which must be empty in the end, and no process may be left.
class RenderTest : public CommandTest {
protected:
    void SetUp() override;
    void TearDown() override;
    // Writes a page of a motion from 0 to 1 s with 31 frames. In its pictures red is the time (255 at the
    // end), green is 200 (40 when dark), blue is the azimuth; the lowest row has the elevation and 255
    // where fine edges are asked for. The page needs no WebGL. Texts in it may be replaced.
    void writePainted(const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& changes = {}) const;
    // Ids of processes that the running command has started.
    std::vector<int> processes() const;

    fs::path temporary;
};

// Two colours are one, but for what a lossy format does to them.
void expectColour(const std::array<int, 3>& found, const std::array<int, 3>& wanted, int tolerance);

}  // namespace sinew::testing
