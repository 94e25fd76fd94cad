// sinew render: films and pictures of a motion, by a browser without a window.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "sinew/apps/camera.h"
#include "sinew/apps/character_page.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/film.h"
#include "sinew/apps/interrupt.h"
#include "sinew/apps/page.h"
#include "sinew/apps/progress.h"
#include "sinew/apps/render_job.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/temporary_folder.h"
#include "sinew/apps/text.h"
#include "sinew/base/words.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// Makes what was asked for. Gives an empty string, or the line that says why not.
class Maker {
public:
    Maker(const RenderOptions& options, const RenderJob& job, Camera& camera, const TemporaryFolder& folder)
        : options_(options), job_(job), camera_(camera), folder_(folder)
    {
    }

    std::string make(const MotionSpan& motion)
    {
        Result<std::vector<double>> times = pictureTimes(options_, job_, motion);
        if (!times) return times.error().text();
        const std::size_t count = times.value().size();
        const double fps = filmRate(job_, motion);
        const std::string size = fmt::format("{}x{}", job_.width, job_.height);
        switch (job_.product) {
            case RenderJob::Product::film:
                report =
                    fmt::format("{}: {} of {} at {:g} a second", options_.output,
                                counted(static_cast<long long>(count), "picture", "pictures"), size, fps);
                return film(times.value(), fps);
            case RenderJob::Product::sequence:
                report = fmt::format("{} to {}: {}", numberedName(options_.output, 1),
                                     numberedName(options_.output, count), size);
                return sequence(times.value());
            case RenderJob::Product::strip:
                report = fmt::format("{}: {} of {} from {:.3g} to {:.3g} s", options_.output,
                                     counted(static_cast<long long>(count), "picture", "pictures"), size,
                                     times.value().front(), times.value().back());
                return written(options_.output, camera_.strip(times.value()));
            case RenderJob::Product::picture:
                break;
        }
        report = fmt::format("{}: {} at {:.3g} s", options_.output, size, times.value().front());
        Result<std::vector<std::string>> picture = camera_.pictures({times.value().front()});
        return picture ? written(options_.output, picture.value().front()) : picture.error().text();
    }

    std::string report;

private:
    std::string film(const std::vector<double>& times, double fps)
    {
        Film film(
            {job_.ffmpeg, options_.output, job_.format, fps, std::chrono::duration<double>(job_.patience)},
            folder_);
        std::string fault = each(times, [&](std::size_t, const Result<std::string>& picture) {
            if (!picture) return picture.error().text();
            std::string noFolder = makeFolder();
            return noFolder.empty() ? film.add(picture.value()) : noFolder;
        });
        return fault.empty() ? film.finish() : fault;
    }

    std::string sequence(const std::vector<double>& times)
    {
        return each(times, [&](std::size_t i, const Result<std::string>& picture) {
            return written(numberedName(options_.output, i + 1), picture);
        });
    }

    // Takes a picture at every time, until one cannot be taken, or `use` cannot use it.
    template <class Use>
    std::string each(const std::vector<double>& times, const Use& use)
    {
        Progress progress(0, static_cast<long long>(times.size()));
        return takePictures(camera_, times, folder_,
                            [&](std::size_t i, const Result<std::string>& picture) {
                                std::string fault = use(i, picture);
                                if (fault.empty()) progress.update(static_cast<long long>(i) + 1);
                                return fault;
                            });
    }

    std::string written(const std::string& path, const Result<std::string>& picture) const
    {
        if (!picture) return picture.error().text();
        const std::string fault = makeFolder();
        return fault.empty() ? writeWhole(path, picture.value()) : fault;
    }

    // The folder of the output, as `sinew run` makes it.
    std::string makeFolder() const
    {
        const fs::path folder = fs::path(options_.output).parent_path();
        std::error_code code;
        if (!folder.empty()) fs::create_directories(folder, code);
        return code ? folder.string() + ": this folder cannot be made: " + code.message() : std::string();
    }

    const RenderOptions& options_;
    const RenderJob& job_;
    Camera& camera_;
    const TemporaryFolder& folder_;
};

// Makes the page if there is none yet; `code` is what the simulation ended with.
Result<std::string> findPage(RenderJob& job, const std::string& input, const std::string& clip,
                             const TemporaryFolder& folder, int& code)
{
    if (job.source == RenderJob::Source::page) return input;
    if (job.source == RenderJob::Source::run) {
        // Of its own: the run's folder stays as it is.
        if (const auto fault = settleRun(input)) return *fault;
        Result<Page> page = writePage(input, RunFiles(folder.path()).page);
        if (!page) return page.error();
        return page.value().path;
    }
    if (job.source == RenderJob::Source::character) {
        Result<Page> page = writeCharacterPage(folder.path() + "/character", input, clip);
        if (!page) return page.error();
        return page.value().path;
    }
    job.run.output = folder.path() + "/run";
    code = runScene(job.run);
    return RunFiles(job.run.output).page;
}

int interruptedLine(const RenderJob& job)
{
    const bool sequence = job.product == RenderJob::Product::sequence;
    fmt::print(stderr, "interrupted; {}\n",
               sequence ? "the pictures so far are kept" : "nothing was written");
    return exitInterrupted;
}

}  // namespace

int renderMotion(const RenderOptions& options)
{
    Result<RenderJob> job = prepareRender(options);
    if (!job) return fail(job.error());
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder) return fail(folder.error());
    catchInterrupts();

    int exitCode = exitDone;
    Result<std::string> page =
        findPage(job.value(), options.run.scene, options.clip, folder.value(), exitCode);
    if (!page) return fail(page.error());
    if (exitCode == exitBadInput) return exitCode;
    if (exitCode == exitInterrupted) return interruptedLine(job.value());

    const auto failed = [&](const std::string& line) {
        return interrupted() ? interruptedLine(job.value()) : fail(line);
    };
    Camera camera(page.value(), options, job.value());
    Result<MotionSpan> motion = camera.open(folder.value(), "0");
    if (!motion) return failed(motion.error().text());
    if (options.gpu && camera.drawsInSoftware())
        fmt::print(stderr, "note: --gpu: the browser found no graphics card; drawn in software\n");
    Maker maker(options, job.value(), camera, folder.value());
    const std::string fault = maker.make(motion.value());
    if (!fault.empty()) return failed(fault);
    fmt::print("{}\n", printable(maker.report));
    return exitCode;
}

}  // namespace sinew
