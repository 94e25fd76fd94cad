#include "sinew/apps/render_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "sinew/apps/character_page.h"
#include "sinew/apps/chromium.h"
#include "sinew/apps/run_job.h"
#include "sinew/apps/text.h"
#include "sinew/base/words.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

constexpr int leastSide = 16, mostSide = 7680;
constexpr int mostSheetSide = 16000;  // Chromium makes no canvas wider than 16384, and gaps take a little
constexpr int mostOfStrip = 200;
constexpr double mostPictures = 100'000;
constexpr double usualRate = 60, gifRate = 20;
// A GIF counts hundredths of a second, and players take one hundredth for a mistake.
constexpr double mostGifRate = 50, mostRate = 240;
constexpr double defaultTimeout = 120;  // many times what it takes, also on a busy machine

std::string lowercase(std::string text)
{
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

bool hasEnding(const std::string& path, std::initializer_list<const char*> endings)
{
    const std::string ending = lowercase(fs::path(path).extension());
    return std::any_of(endings.begin(), endings.end(), [&](const char* each) { return ending == each; });
}

// Where the number goes in the name of a sequence's pictures: %d or %04d. A % that begins no such place is
// a plain one.
struct NumberPlace {
    std::size_t begin = 0, end = 0;
    std::string digits;  // between % and d

    bool isGood() const
    {
        return digits.empty() || (digits.size() == 2 && digits[0] == '0' && digits[1] != '0');
    }
    std::size_t width() const { return digits.empty() ? 1 : static_cast<std::size_t>(digits[1] - '0'); }
};

// Good or not, in their order.
std::vector<NumberPlace> numberPlaces(const std::string& text)
{
    std::vector<NumberPlace> places;
    for (std::size_t begin = 0; (begin = text.find('%', begin)) != std::string::npos; ++begin) {
        const std::size_t end = text.find_first_not_of("0123456789", begin + 1);
        if (end != std::string::npos && text[end] == 'd')
            places.push_back({begin, end + 1, text.substr(begin + 1, end - begin - 1)});
    }
    return places;
}

std::ptrdiff_t countGood(const std::vector<NumberPlace>& places)
{
    return std::count_if(places.begin(), places.end(), [](const NumberPlace& p) { return p.isGood(); });
}

// What is made, from the ending of the name and from --strip.
std::optional<Diagnostic> chooseProduct(const RenderOptions& options, RenderJob& job)
{
    const std::string& output = options.output;
    using Product = RenderJob::Product;
    if (output.empty()) return optionError("--output", "say what to make, such as -o film.mp4");
    const bool png = hasEnding(output, {".png"}), jpeg = hasEnding(output, {".jpg", ".jpeg"});
    if (png || jpeg) {
        const auto found = numberPlaces(fs::path(output).filename());
        const auto places = countGood(found);
        if (places > 1) return optionError("--output", output + " has more than one place for the number");
        if (places == 0 && !found.empty())
            return optionError("--output", output + ": write the place for the number as %d or %04d");
        if (countGood(numberPlaces(fs::path(output).parent_path())) > 0)
            return optionError("--output", output + " has a place for the number in the folder's name");
        job.product = options.strip ? Product::strip : places == 1 ? Product::sequence : Product::picture;
        if (jpeg) job.type = "image/jpeg";
    } else if (hasEnding(output, {".mp4"})) {
        job.format = FilmFormat::mp4;
    } else if (hasEnding(output, {".webm"})) {
        job.format = FilmFormat::webm;
    } else if (hasEnding(output, {".gif"})) {
        job.format = FilmFormat::gif;
    } else {
        return optionError(
            "--output", output + " must end in .mp4, .webm, .gif, .png or .jpg, which says what is made");
    }
    std::error_code code;
    if (fs::is_directory(output, code)) return fileError(output, "is a folder; say a file's name");
    if (options.strip && !png) return optionError("--strip", "makes one PNG; let -o end in .png");
    if (options.strip && countGood(numberPlaces(output)) > 0)
        return optionError("--strip", "makes one picture; -o needs no place for a number");
    return {};
}

// Options that say something which the product has no use for.
std::optional<Diagnostic> misplaced(const RenderOptions& options, const RenderJob& job)
{
    using Product = RenderJob::Product;
    if (options.time && job.product != Product::picture)
        return optionError("--time", "is for a single picture; for films and strips use --from and --to");
    if (options.columns && job.product != Product::strip)
        return optionError("--columns", "is for --strip only");
    if (!job.moves()) {
        if (options.fps) return optionError("--fps", "is for films and sequences only");
        if (options.speed) return optionError("--speed", "is for films and sequences only");
        if (options.browsers) return optionError("--browsers", "is for films and sequences only");
    }
    if (options.time && (options.from || options.to))
        return optionError("--time", "cannot be combined with --from and --to");
    if (!options.clip.empty() &&
        (job.source == RenderJob::Source::scene || job.source == RenderJob::Source::run))
        return optionError("--clip", "is for a character (.glb or .gltf) or the page of one");
    if (job.source == RenderJob::Source::scene) return {};
    if (const char* option = simulationOption(options.run))
        return optionError(option, fmt::format("{} is {}; leave the option out", options.run.scene,
                                               job.source == RenderJob::Source::character
                                                   ? "a character and nothing is simulated"
                                                   : "simulated already"));
    return {};
}

std::optional<int> wholeNumber(std::string_view text)
{
    int value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

std::optional<Diagnostic> chooseSize(const RenderOptions& options, RenderJob& job)
{
    const bool strip = job.product == RenderJob::Product::strip;
    const std::string size = options.size.empty() ? (strip ? "320x180" : "1280x720") : options.size;
    const std::size_t cross = size.find('x');
    const auto width = wholeNumber(std::string_view(size).substr(0, cross));
    const auto height =
        cross == std::string::npos ? std::nullopt : wholeNumber(std::string_view(size).substr(cross + 1));
    if (!width || !height)
        return optionError("--size", words::quoted(size) + " is no size; write it as 1280x720");
    if (std::min(*width, *height) < leastSide || std::max(*width, *height) > mostSide)
        return optionError("--size", fmt::format("{} is out of range; each side has {} to {} pixels", size,
                                                 leastSide, mostSide));
    job.width = *width;
    job.height = *height;
    if (job.product == RenderJob::Product::film && job.format == FilmFormat::mp4 &&
        (*width % 2 || *height % 2))
        return optionError(
            "--size", fmt::format("{} cannot be encoded as MP4, which needs even numbers; use {}x{}", size,
                                  *width + *width % 2, *height + *height % 2));
    if (!strip) return {};
    if (*options.strip < 1 || *options.strip > mostOfStrip)
        return optionError("--strip",
                           fmt::format("must be 1 to {} pictures, not {}", mostOfStrip, *options.strip));
    if (options.columns && *options.columns < 1)
        return optionError("--columns", fmt::format("must be at least 1, not {}", *options.columns));
    job.columns = std::min(options.columns.value_or(*options.strip), *options.strip);
    const int rows = (*options.strip + job.columns - 1) / job.columns;
    const int sheetWidth = job.columns * *width, sheetHeight = rows * *height;
    if (std::max(sheetWidth, sheetHeight) > mostSheetSide)
        return optionError(
            "--strip",
            fmt::format("a sheet of {}x{} pixels is too large, at most {} each way; choose other "
                        "--columns or a smaller --size",
                        sheetWidth, sheetHeight, mostSheetSide));
    return {};
}

std::optional<Diagnostic> outOfRange(const char* option, std::optional<double> value, double least,
                                     double most, const char* unit)
{
    if (!value || (*value >= least && *value <= most)) return {};
    return optionError(option, fmt::format("must be {:g} to {:g}{}, not {:g}", least, most, unit, *value));
}

std::optional<Diagnostic> wrongNumber(const RenderOptions& options, const RenderJob& job)
{
    const bool gif = job.product == RenderJob::Product::film && job.format == FilmFormat::gif;
    constexpr double years = 1e9;
    for (const auto& fault :
         {outOfRange("--fps", options.fps, 0.1, gif ? mostGifRate : mostRate, " frames per second"),
          outOfRange("--speed", options.speed, 1e-4, 1e4, ""),
          outOfRange("--azimuth", options.azimuth, -360, 360, " degrees"),
          outOfRange("--elevation", options.elevation, -90, 90, " degrees"),
          outOfRange("--timeout", options.timeout, 0.1, 86400, " s"),
          outOfRange("--time", options.time, -years, years, " s"),
          outOfRange("--from", options.from, -years, years, " s"),
          outOfRange("--to", options.to, -years, years, " s")}) {
        if (fault) return fault;
    }
    if (options.browsers && (*options.browsers < 1 || *options.browsers > 6))
        return optionError("--browsers", fmt::format("must be 1 to 6, not {}", *options.browsers));
    if (options.from && options.to && *options.from > *options.to)
        return optionError("--to", fmt::format("must not be before --from: {:g} s is before {:g} s",
                                               *options.to, *options.from));
    return {};
}

// The run that a scene needs, checked as `sinew run` does, and the times that it will have.
std::optional<Diagnostic> prepareScene(const RenderOptions& options, RenderJob& job)
{
    job.run = options.run;
    job.run.quiet = true;
    job.run.output = "-";  // any, for the check
    Result<RunJob> run = prepareRun(job.run);
    if (!run) return run.error();
    const RunRecord& record = run.value().record;
    const MotionSpan expected{0, static_cast<double>(run.value().steps) * record.step,
                              record.duration * record.fps + 1};
    if (job.moves()) {
        job.fps = filmRate(job, expected);
        job.run.fps = job.fps / job.speed;  // each picture is then a frame of the run, not one between two
    }
    Result<std::vector<double>> times = pictureTimes(options, job, expected);
    if (!times) return times.error();
    return {};
}

std::optional<Diagnostic> findPrograms(RenderJob& job)
{
    Result<std::string> chromium = findChromium();
    if (!chromium) return chromium.error();
    job.chromium = chromium.value();
    if (job.product != RenderJob::Product::film) return {};
    Result<std::string> ffmpeg = findFfmpeg();
    if (!ffmpeg) return ffmpeg.error();
    job.ffmpeg = ffmpeg.value();
    return {};
}

}  // namespace

double MotionSpan::rate() const
{
    if (!(end > start && frames > 1)) return 0;
    const double rate = (frames - 1) / (end - start), whole = std::round(rate);
    // Frames wait for the next step, which bends the count by a little.
    return std::abs(rate - whole) < 0.01 * whole ? whole : rate;
}

Result<RenderJob> prepareRender(const RenderOptions& options)
{
    RenderJob job;
    const std::string& input = options.run.scene;
    std::error_code code;
    if (fs::is_directory(input, code))
        job.source = RenderJob::Source::run;
    else if (hasEnding(input, {".html", ".htm"}))
        job.source = RenderJob::Source::page;
    else if (isCharacterName(input))
        job.source = RenderJob::Source::character;
    if (!fs::exists(input, code)) return fileError(input, "there is no such file");

    if (const auto fault = chooseProduct(options, job)) return *fault;
    if (const auto fault = misplaced(options, job)) return *fault;
    if (const auto fault = chooseSize(options, job)) return *fault;
    if (const auto fault = wrongNumber(options, job)) return *fault;
    const bool gif = job.product == RenderJob::Product::film && job.format == FilmFormat::gif;
    job.fps = options.fps.value_or(gif ? gifRate : 0);
    job.speed = options.speed.value_or(1);
    job.patience = options.timeout.value_or(defaultTimeout);
    job.cameras = options.browsers.value_or(0);
    job.gpu = options.gpu;
    // A film is lossy anyway, but for the palette of a GIF, to which flat colours must stay flat.
    if (job.product == RenderJob::Product::film && !gif) job.type = "image/jpeg";
    if (job.source == RenderJob::Source::scene) {
        if (const auto fault = prepareScene(options, job)) return *fault;
    }
    if (const auto fault = findPrograms(job)) return *fault;
    return job;
}

double filmRate(const RenderJob& job, const MotionSpan& motion)
{
    if (job.fps > 0) return job.fps;
    const double rate = motion.rate();
    return rate > 0 ? std::clamp(rate, 1.0, usualRate) : usualRate;
}

Result<std::vector<double>> pictureTimes(const RenderOptions& options, const RenderJob& job,
                                         const MotionSpan& motion)
{
    // A run may end within a frame after its last one: who asks for its very end means the last frame.
    const double slack = motion.rate() > 0 ? 1.001 / motion.rate() : 0;
    for (const auto& [name, time] :
         {std::pair{"--time", options.time}, {"--from", options.from}, {"--to", options.to}}) {
        if (time && (*time < motion.start - slack || *time > motion.end + slack))
            return optionError(
                name, fmt::format("{:g} s is outside the motion, which lasts from {:g} to {:g} s", *time,
                                  motion.start, motion.end));
    }
    const auto within = [&](double time) { return std::clamp(time, motion.start, motion.end); };
    const double from = within(options.from.value_or(motion.start)),
                 to = within(options.to.value_or(motion.end));
    if (job.product == RenderJob::Product::picture)
        return std::vector<double>{within(options.time.value_or((from + to) / 2))};

    double count = 0, gap = 0;
    if (job.moves()) {
        gap = job.speed / filmRate(job, motion);
        count = std::floor((to - from) / gap + 1e-6) + 1;
        if (!(count <= mostPictures))
            return optionError("--fps",
                               fmt::format("{:.0f} pictures are too many, at most {:.0f} are made; choose "
                                           "a shorter part, a higher --speed or a lower --fps",
                                           count, mostPictures));
    } else {
        count = *options.strip;
        gap = count > 1 ? (to - from) / (count - 1) : 0;
    }
    std::vector<double> times;
    for (double i = 0; i < count; ++i) times.push_back(within(from + i * gap));
    return times;
}

std::string numberedName(const std::string& pattern, std::size_t number)
{
    for (const NumberPlace& place : numberPlaces(pattern))
        if (place.isGood())
            return pattern.substr(0, place.begin) + fmt::format("{:0{}}", number, place.width()) +
                   pattern.substr(place.end);
    return pattern;
}

}  // namespace sinew
