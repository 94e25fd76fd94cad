// Pictures into films, by ffmpeg.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/apps/child_process.h"
#include "sinew/apps/temporary_folder.h"
#include "sinew/io/temporary_file.h"

namespace sinew {

// The film program, or what is wrong: it is looked for, not started.
Result<std::string> findFfmpeg();

enum class FilmFormat { mp4, webm, gif };

// A film that grows beside its place and is moved there by finish(), so that it is whole or not there at
// all. Each function gives an empty string, or the line that says what went wrong.
class Film {
public:
    struct Settings {
        std::string ffmpeg;
        std::string path;
        FilmFormat format = FilmFormat::mp4;
        double fps = 0;
        std::chrono::duration<double> patience{};  // with ffmpeg, for each picture
    };

    // `folder` is for what only the making needs, and must outlive the film.
    Film(Settings settings, const TemporaryFolder& folder);

    std::string add(std::string_view picture);  // a whole PNG or JPEG file
    std::string finish();

private:
    std::string start(std::vector<std::string> arguments);
    std::string wait();
    std::string trouble(Wait wait) const;
    ChildProcess::Clock::time_point deadline(double factor = 1) const;

    Settings settings_;
    const TemporaryFolder& folder_;
    std::optional<TemporaryFile> temporary_;  // the film beside its place
    std::optional<ChildProcess> process_;     // killed before its file is removed
};

}  // namespace sinew
