// sinew render: films and pictures of a motion, by a browser without a window.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "sinew/apps/character_page.h"
#include "sinew/apps/chromium.h"
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
#include "sinew/io/base64.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// A page in the browser. What it offers is described in web/README.md.
class Camera {
public:
    Camera(Chromium& chromium, std::string page, const RenderOptions& options, const RenderJob& job)
        : chromium_(chromium), page_(std::move(page)), options_(options), job_(job)
    {
    }

    Result<MotionSpan> open()
    {
        Result<bool> opened = chromium_.open(page_);
        if (!opened) return opened.error();
        Result<json::Value> motion = chromium_.evaluate(
            "window.sinew && sinew.picture && sinew.strip ? Promise.resolve(sinew.ready) : null");
        if (motion && job_.source == RenderJob::Source::page && !options_.clip.empty())
            motion = chooseClip();
        if (!motion) return blamed(motion.error());
        const auto number = [&](const char* key) {
            const json::Value* value = motion.value().isObject() ? motion.value().find(key) : nullptr;
            return value && value->isNumber() ? value->number() : -1;
        };
        const MotionSpan span{number("start"), number("end"), number("frames")};
        if (span.frames < 1 || span.end < span.start)
            return fileError(page_, "offers no pictures; is it a page that this version of sinew wrote?");
        return span;
    }

    Result<std::string> picture(double time)
    {
        json::Value request = common();
        request.add("time", time);
        request.add("type", job_.type);
        // Smoother edges take twice the time. In a film motion hides the difference.
        request.add("fine", !job_.moves());
        return bytes("picture", request, job_.type, 1);
    }

    Result<std::string> strip(const std::vector<double>& times)
    {
        json::Value request = common();
        request.add("times", json::Value::array({times.begin(), times.end()}));
        request.add("columns", job_.columns);
        return bytes("strip", request, "image/png", static_cast<double>(times.size()));
    }

private:
    Result<json::Value> chooseClip()
    {
        return chromium_.evaluate("sinew.character ? sinew.character.choose(" +
                                  json::write(json::Value(options_.clip)) +
                                  ") : Promise.reject(new Error('there is no character, and so no clip'))");
    }

    json::Value common() const
    {
        json::Value request = json::Value::object();
        request.add("width", job_.width);
        request.add("height", job_.height);
        request.add("theme", options_.dark ? "dark" : "light");
        json::Value view = json::Value::object();
        if (options_.azimuth) view.add("azimuth", *options_.azimuth);
        if (options_.elevation) view.add("elevation", *options_.elevation);
        request.add("view", view);
        return request;
    }

    // Asks for a picture and unpacks its data URL.
    Result<std::string> bytes(const std::string& function, const json::Value& request,
                              const std::string& type, double pictures)
    {
        Result<json::Value> answer =
            chromium_.evaluate("sinew." + function + "(" + json::write(request) + ")", pictures);
        if (!answer) return blamed(answer.error());
        const std::string head = "data:" + type + ";base64,";
        if (answer.value().isString() && answer.value().string().starts_with(head)) {
            if (auto picture = base64Bytes(std::string_view(answer.value().string()).substr(head.size())))
                return *picture;
        }
        return fileError(page_, fmt::format("gave no picture of {}x{} pixels", job_.width, job_.height));
    }

    // An error of the page itself has no place yet.
    Diagnostic blamed(Diagnostic error) const
    {
        if (error.file.empty()) error.file = page_;
        return error;
    }

    Chromium& chromium_;
    std::string page_;
    const RenderOptions& options_;
    const RenderJob& job_;
};

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
        return written(options_.output, camera_.picture(times.value().front()));
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
        const auto count = static_cast<long long>(times.size());
        Progress progress(0, count);
        for (std::size_t i = 0; i < times.size(); ++i) {
            const std::string fault = use(i, camera_.picture(times[i]));
            if (!fault.empty()) return fault;
            progress.update(static_cast<long long>(i) + 1);
        }
        return {};
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
    Result<Chromium> chromium = Chromium::start(job.value().chromium, folder.value(),
                                                std::chrono::duration<double>(job.value().patience));
    if (!chromium) return failed(chromium.error().text());
    Camera camera(chromium.value(), page.value(), options, job.value());
    Result<MotionSpan> motion = camera.open();
    if (!motion) return failed(motion.error().text());
    Maker maker(options, job.value(), camera, folder.value());
    const std::string fault = maker.make(motion.value());
    if (!fault.empty()) return failed(fault);
    fmt::print("{}\n", printable(maker.report));
    return exitCode;
}

}  // namespace sinew
