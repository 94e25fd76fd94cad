#include "sinew/apps/film.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sinew {

namespace {

using Words = std::vector<std::string>;

// A path as ffmpeg takes it for one, whatever stands in it: without a word before it, "a:b.mp4" would be a
// protocol and "-y" an option.
std::string fileOf(const std::string& path)
{
    return "file:" + path;
}

// The pictures come over stdin, one after the other, all as the first one is. Small ones in JPEG would not
// be recognised.
Words pictures(double fps, std::string_view first)
{
    const char* decoder = first.starts_with("\xff\xd8") ? "mjpeg" : "png";
    return {"-f", "image2pipe", "-framerate", fmt::format("{:.8g}", fps), "-c:v", decoder, "-i", "pipe:0"};
}

// JPEG has the colours of old television. Colours go out as high-definition players expect them, and told
// as such, so that they look as in the page.
Words colours()
{
    return {"-vf",
            "scale=in_color_matrix=bt601:out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_"
            "chroma_int,"
            "format=yuv420p",
            "-colorspace",
            "bt709",
            "-color_primaries",
            "bt709",
            "-color_trc",
            "iec61966-2-1",
            "-color_range",
            "tv"};
}

Words operator+(Words left, const Words& right)
{
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

}  // namespace

Result<std::string> findFfmpeg()
{
    return findProgram("FFMPEG", {"ffmpeg"}, "ffmpeg");
}

Film::Film(Settings settings, const TemporaryFolder& folder)
    : settings_(std::move(settings)), folder_(folder)
{
}

ChildProcess::Clock::time_point Film::deadline(double factor) const
{
    return ChildProcess::Clock::now() +
           std::chrono::duration_cast<ChildProcess::Clock::duration>(factor * settings_.patience);
}

std::string Film::trouble(Wait wait) const
{
    if (wait == Wait::ended) return "ffmpeg: " + process_->obituary();
    return fmt::format("ffmpeg: not ready within {:g} s; --timeout allows more",
                       settings_.patience.count());
}

std::string Film::start(Words arguments)
{
    ChildCommand command;
    command.program = settings_.ffmpeg;
    command.arguments = Words{"-hide_banner", "-loglevel", "error", "-nostdin", "-y"} + arguments;
    command.log = folder_.path() + "/ffmpeg.log";
    command.temporary = folder_.path();
    Result<ChildProcess> process = ChildProcess::start(command);
    if (!process) return process.error().text();
    process_.emplace(std::move(process.value()));
    return {};
}

std::string Film::add(std::string_view picture)
{
    if (!process_) {
        const int descriptor = temporary_.emplace(settings_.path).takeDescriptor();
        if (descriptor < 0) return settings_.path + ": cannot be written: " + std::strerror(errno);
        ::close(descriptor);
        const Words input = pictures(settings_.fps, picture), end{fileOf(temporary_->path())};
        std::string fault;
        if (settings_.format == FilmFormat::mp4) {
            // The browsers need the processor more: files are no larger for it.
            fault = start(input + Words{"-c:v", "libx264", "-preset", "veryfast", "-crf", "16"} +
                          colours() + Words{"-movflags", "+faststart", "-f", "mp4"} + end);
        } else if (settings_.format == FilmFormat::webm) {
            fault = start(input +
                          Words{"-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-deadline", "good",
                                "-cpu-used", "4", "-row-mt", "1"} +
                          colours() + Words{"-f", "webm"} + end);
        } else {
            // The palette is known after the last picture: all of them wait on the disk, not in memory.
            fault = start(input + Words{"-map", "0:v", "-c:v", "copy", "-f", "nut",
                                        fileOf(folder_.path() + "/pictures.nut"), "-map", "0:v", "-vf",
                                        "palettegen=stats_mode=diff", "-f", "image2", "-c:v", "png",
                                        "-update", "1", fileOf(folder_.path() + "/palette.png")});
        }
        if (!fault.empty()) return fault;
    }
    const Wait sent = process_->send(picture, deadline());
    return sent == Wait::done ? std::string() : trouble(sent);
}

std::string Film::wait()
{
    process_->closeInput();
    const Wait end = process_->finish(deadline(10));  // many pictures may still be waiting in it
    return end == Wait::done ? std::string() : trouble(end);
}

std::string Film::finish()
{
    std::string fault = wait();
    if (fault.empty() && settings_.format == FilmFormat::gif) {
        fault = start(Words{"-i", fileOf(folder_.path() + "/pictures.nut"), "-i",
                            fileOf(folder_.path() + "/palette.png"), "-lavfi",
                            "[0:v][1:v]paletteuse=dither=sierra2_4a:diff_mode=rectangle", "-f", "gif",
                            fileOf(temporary_->path())});
        if (fault.empty()) fault = wait();
    }
    if (!fault.empty()) return fault;
    if (!temporary_->moveTo(settings_.path))
        return settings_.path + ": cannot be written: " + std::strerror(errno);
    return {};
}

}  // namespace sinew
