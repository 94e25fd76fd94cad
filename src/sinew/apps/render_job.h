// What `sinew render` is about to do, checked before anything is started.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/apps/commands.h"
#include "sinew/apps/film.h"
#include "sinew/base/result.h"

namespace sinew {

// What a page has to show.
struct MotionSpan {
    double start = 0, end = 0;  // s
    double frames = 0;

    // Frames per second of the run, near enough; 0 if there is only one frame.
    double rate() const;
};

struct RenderJob {
    enum class Source { scene, run, page, character };
    enum class Product { film, sequence, picture, strip };

    Source source = Source::scene;
    Product product = Product::film;
    FilmFormat format = FilmFormat::mp4;  // of a film
    std::string type = "image/png";       // of pictures
    int width = 0, height = 0;
    int columns = 0;  // of a strip
    double fps = 0;   // of films and sequences; 0: the run's, known when the page is open
    double speed = 1;
    double patience = 0;  // s
    int cameras = 0;      // browsers that draw side by side; 0: as many as pay
    bool gpu = false;
    std::string chromium, ffmpeg;
    RunOptions run;  // for a scene; its output is still to be chosen

    bool moves() const { return product == Product::film || product == Product::sequence; }
};

Result<RenderJob> prepareRender(const RenderOptions& options);

// Frames per second of the film of such a motion.
double filmRate(const RenderJob& job, const MotionSpan& motion);

// The time of every picture, or which option is beyond the motion.
Result<std::vector<double>> pictureTimes(const RenderOptions& options, const RenderJob& job,
                                         const MotionSpan& motion);

// The name of a sequence's picture, counted from 1: its one %d, or %04d, becomes the number.
std::string numberedName(const std::string& pattern, std::size_t number);

}  // namespace sinew
