// sinew crowd: many characters of one scene, each a little different, and all their trajectories.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "sinew/apps/commands.h"
#include "sinew/apps/crowd_job.h"
#include "sinew/apps/crowd_page.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/folder_lock.h"
#include "sinew/apps/progress.h"
#include "sinew/apps/stopwatch.h"
#include "sinew/apps/text.h"
#include "sinew/base/hash.h"
#include "sinew/base/memory.h"
#include "sinew/base/parallel.h"
#include "sinew/io/binary/crowd_file.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/measure/series.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

struct CrowdFiles {
    explicit CrowdFiles(const std::string& directory)
        : trajectories(directory + "/crowd.sinewc"),
          characters(directory + "/characters.csv"),
          scene(directory + "/scene.json"),
          variation(directory + "/variation.json"),
          page(directory + "/index.html"),
          summary(directory + "/summary.json")
    {
    }
    std::string trajectories, characters, scene, variation, page, summary;
};

// How a character ended.
struct CrowdEnd {
    Vec3 center = Vec3::Zero(), velocity = Vec3::Zero();  // of mass
    double kinetic = 0;
    double divergedAt = -1;  // s; below zero: it did not
    std::uint64_t hash = 0;
};

struct CrowdResult {
    std::vector<CrowdEnd> ends;
    double wallSeconds = 0, cpuSeconds = 0;

    int diverged() const
    {
        int count = 0;
        for (const CrowdEnd& end : ends) count += end.divergedAt >= 0;
        return count;
    }
    std::uint64_t hash() const
    {
        Hash all;
        for (const CrowdEnd& end : ends) all.add(&end.hash, sizeof end.hash);
        return all.value();
    }
};

CrowdEnd endOf(const Model& model, const State& state, double massFactor)
{
    CrowdEnd end;
    double mass = 0;
    for (int i = 0; i < model.size(); ++i) {
        const Body& body = model.bodies[i];
        const BodyState& s = state.bodies[i];
        mass += body.mass;
        end.center += body.mass * s.position;
        end.velocity += body.mass * s.velocity;
        end.kinetic += 0.5 * massFactor *
                       (body.mass * s.velocity.squaredNorm() +
                        s.angularVelocity.dot(body.inertia * s.angularVelocity));
    }
    end.center /= mass;
    end.velocity /= mass;
    end.hash = stateHash(state);
    return end;
}

// Poses of all characters, frame by frame; threads share the characters.
class CrowdRecorder {
public:
    explicit CrowdRecorder(CrowdJob& job)
        : job_(job),
          width_(7 * job.model->bodyOrder.size()),
          states_(static_cast<std::size_t>(job.settings.threads), restState(*job.model)),
          rows_(states_.size())
    {
        poses_.resize(width_ * static_cast<std::size_t>(job.settings.count));
        result.ends.resize(static_cast<std::size_t>(job.settings.count));
    }

    const std::vector<float>& take(double time)
    {
        const ThreadScope scope(job_.settings.threads);
        parallelFor(job_.settings.count, 16, [&](int first, int end, int worker) {
            for (int c = first; c < end; ++c) takeOne(time, c, static_cast<std::size_t>(worker));
        });
        return poses_;
    }

    CrowdResult result;

private:
    void takeOne(double time, int character, std::size_t worker)
    {
        State& state = states_[worker];
        std::vector<double>& row = rows_[worker];
        CrowdEnd& end = result.ends[static_cast<std::size_t>(character)];
        float* to = poses_.data() + width_ * static_cast<std::size_t>(character);
        job_.crowd->read(character, state);
        row.clear();
        appendPoses(*job_.model, state, row);
        bool isFinite = state.u.allFinite();
        for (const double x : row) isFinite = isFinite && std::isfinite(static_cast<float>(x));
        if (!isFinite && end.divergedAt < 0) end.divergedAt = time;
        for (std::size_t k = 0; k < width_; ++k)
            to[k] =
                end.divergedAt < 0 ? static_cast<float>(row[k]) : std::numeric_limits<float>::quiet_NaN();
        if (end.divergedAt < 0)
            end = endOf(*job_.model, state, job_.masses[static_cast<std::size_t>(character)]);
    }

    CrowdJob& job_;
    std::size_t width_;
    std::vector<State> states_;              // one of each thread
    std::vector<std::vector<double>> rows_;  // likewise
    std::vector<float> poses_;
};

std::string charactersTable(const CrowdJob& job, const CrowdResult& result)
{
    const auto quoted = [](const std::string& name) {
        if (name.find_first_of(",\"") == name.npos) return name;
        std::string out = "\"";
        for (char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
        return out + "\"";
    };
    std::string text = "character";
    for (const std::string& name : job.drawnNames) text += "," + quoted(name);
    text += ",center_x,center_y,center_z,velocity_x,velocity_y,velocity_z,kinetic,diverged_at\n";
    for (std::size_t c = 0; c < result.ends.size(); ++c) {
        const CrowdEnd& end = result.ends[c];
        text += fmt::format("{}", c);
        for (const double x : job.drawn[c]) text += "," + json::numberText(x);
        for (const Vec3& v : {end.center, end.velocity})
            for (int k = 0; k < 3; ++k) text += "," + json::numberText(v[k]);
        text += "," + json::numberText(end.kinetic) + ",";
        if (end.divergedAt >= 0) text += json::numberText(end.divergedAt);
        text += "\n";
    }
    return text;
}

std::uint64_t stepsOf(const CrowdJob& job)
{
    return (job.frames - 1) * static_cast<std::uint64_t>(job.stepsOfFrame);
}

std::string crowdSummary(const CrowdJob& job, const CrowdResult& result)
{
    const Model& model = *job.model;
    json::Value summary = json::Value::object();
    summary.add("scene", model.name);
    summary.add("characters", job.settings.count);
    summary.add("seed", static_cast<double>(job.seed));
    summary.add("varied", static_cast<double>(job.drawnNames.size()));
    summary.add("bodies", model.describedSize());
    summary.add("joints", model.declaredJointCount());
    summary.add("dof", model.freedomCount);
    summary.add("steps", static_cast<double>(stepsOf(job)));
    summary.add("step", job.settings.step);
    summary.add("implicit_springs", job.settings.implicitSprings);
    summary.add("precision", job.settings.single ? "single" : "double");
    summary.add("lanes", job.crowd->lanes());
    summary.add("threads", job.settings.threads);
    summary.add("fps", job.fps);
    summary.add("frames", static_cast<double>(job.frames));
    summary.add("time", job.duration);
    summary.add("wall_seconds", result.wallSeconds);
    summary.add("cpu_seconds", result.cpuSeconds);
    summary.add("diverged", result.diverged());
    summary.add("state_hash", hashText(result.hash()));
    return json::write(summary);
}

// Mean and standard deviation of a number of all that did not diverge.
template <class Number>
std::string spreadOf(const CrowdResult& result, Number number)
{
    double count = 0, sum = 0, squares = 0;
    for (const CrowdEnd& end : result.ends)
        if (end.divergedAt < 0) {
            count += 1;
            sum += number(end);
        }
    const double mean = count > 0 ? sum / count : 0;
    for (const CrowdEnd& end : result.ends)
        if (end.divergedAt < 0) squares += (number(end) - mean) * (number(end) - mean);
    return fmt::format("{:.3g} ± {:.2g}", mean, count > 1 ? std::sqrt(squares / (count - 1)) : 0);
}

std::string crowdTable(const CrowdOptions& options, const CrowdJob& job, const CrowdResult& result)
{
    using Align = Table::Align;
    Table table({{"", Align::left}, {"", Align::right}, {"", Align::left}});
    table.row({"steps", fmt::format("{}", stepsOf(job)), fmt::format("of {:.4g} s", job.settings.step)});
    table.row({"simulated time", fmt::format("{:.6g}", job.duration), "s, each"});
    table.row({"at a time", fmt::format("{}", job.crowd->lanes()),
               fmt::format("in {} precision, in each of {}", job.settings.single ? "single" : "double",
                           counted(job.settings.threads, "thread", "threads"))});
    table.row({"wall time", fmt::format("{:.4g}", result.wallSeconds), "s, stepping alone"});
    table.row({"processor time", fmt::format("{:.4g}", result.cpuSeconds), "s"});
    const double each = job.duration * job.settings.count;
    table.row({"times real time",
               fmt::format("{:.4g}", result.wallSeconds > 0 ? each / result.wallSeconds : 0),
               "all characters together"});
    table.row({"height at the end", spreadOf(result, [](const CrowdEnd& e) { return e.center.y(); }),
               "m, of the centre of mass: mean and deviation"});
    table.row({"speed at the end", spreadOf(result, [](const CrowdEnd& e) { return e.velocity.norm(); }),
               "m/s, likewise"});
    if (const int lost = result.diverged(); lost > 0)
        table.row({"diverged", fmt::format("{}", lost), fmt::format("of {}", job.settings.count)});
    const std::string name = job.model->name.empty() ? options.scene : job.model->name;
    return fmt::format(
        "{}: {} of {}, {}\n{}", shownName(name), counted(job.settings.count, "character", "characters"),
        counted(job.model->describedSize(), "body", "bodies"),
        counted(static_cast<long long>(job.drawnNames.size()), "number varied", "numbers varied"),
        table.text());
}

// The folder, made and locked; a page or a scene in it that is somebody else's is an error.
Result<FolderLock> openCrowdFolder(const CrowdOptions& options, const CrowdHeader& header)
{
    const CrowdFiles files(options.output);
    std::error_code code;
    if (!fs::exists(files.trajectories, code))
        for (const std::string& path : {files.page, files.scene, files.summary, files.variation})
            if (fs::exists(path, code) && !fs::equivalent(path, options.scene, code) &&
                !(path == files.variation && fs::equivalent(path, options.vary, code)))
                return fileError(path, "is there, in a folder that holds no crowd; choose another one");
    fs::create_directories(options.output, code);
    if (!fs::is_directory(options.output, code))
        return fileError(options.output, "is no folder, and none can be made");
    const double bytes = static_cast<double>(header.frameBytes()) * static_cast<double>(header.frames);
    const fs::space_info room = fs::space(options.output, code);
    if (!code && bytes > static_cast<double>(room.available))
        return fileError(options.output,
                         fmt::format("all trajectories take {}, and the disk has {} left; "
                                     "fewer characters, frames (--fps) or seconds take less",
                                     bytesText(bytes), bytesText(static_cast<double>(room.available))));
    return FolderLock::take(options.output);
}

}  // namespace

int runCrowd(const CrowdOptions& options)
{
    Result<CrowdJob> prepared = prepareCrowd(options);
    if (!prepared) return fail(prepared.error());
    CrowdJob& job = prepared.value();
    CrowdHeader header{{}, static_cast<std::uint32_t>(options.count), job.fps, job.frames};
    for (const int body : job.model->bodyOrder) header.bodies.push_back(job.model->bodies[body].name);
    const Result<FolderLock> lock = openCrowdFolder(options, header);
    if (!lock) return fail(lock.error());

    const CrowdFiles files(options.output);
    CrowdWriter trajectories(files.trajectories, header);
    CrowdRecorder recorder(job);
    CrowdPage shown(header.bodies.size(), options.count, job.frames, options.show);
    Progress progress(0, static_cast<long long>(job.frames));
    for (std::uint64_t k = 0; k < job.frames; ++k) {
        if (k > 0) {
            const Stopwatch watch;
            job.crowd->step(job.stepsOfFrame);
            watch.addTo(recorder.result.wallSeconds, recorder.result.cpuSeconds);
        }
        const double time = static_cast<double>(k) / job.fps;
        const std::vector<float>& poses = recorder.take(time);
        trajectories.add(time, poses);
        if (options.page) shown.add(time, poses);
        progress.update(static_cast<long long>(k + 1));
    }

    // All that takes room on the disk comes before the first file is in its place; the summary is the last.
    const CrowdResult& result = recorder.result;
    const std::string summary = crowdSummary(job, result);
    WholeFile table(files.characters), scene(files.scene), variation(files.variation), end(files.summary);
    table.write(charactersTable(job, result));
    scene.write(writeScene(job.scene.description));
    variation.write(job.variation);
    end.write(summary);
    std::optional<WholeFile> page;
    if (options.page)
        shown.write(page.emplace(files.page), job.scene.description, *job.model, summary, job.fps);
    std::error_code code;
    std::vector<WholeFile*> written = {&table};
    if (!fs::equivalent(files.scene, options.scene, code)) written.push_back(&scene);
    if (!options.vary.empty() && !fs::equivalent(files.variation, options.vary, code))
        written.push_back(&variation);
    if (page) written.push_back(&*page);
    written.push_back(&end);
    std::string fault = trajectories.close();
    for (WholeFile* file : written)
        if (fault.empty()) fault = file->close();
    if (fault.empty()) fault = trajectories.finish();
    for (WholeFile* file : written)
        if (fault.empty()) fault = file->finish();
    if (!fault.empty()) return fail(fault);

    fmt::print("{}results in {}\n", crowdTable(options, job, result), printable(options.output));
    if (page) fmt::print("{}", pageLines({files.page, page->size(), shown.left()}));
    if (result.diverged() == 0) return exitDone;
    fmt::print(stderr, "{} of {} characters diverged; try a smaller step than {:.3g} s\n",
               result.diverged(), options.count, job.settings.step);
    return exitDiverged;
}

}  // namespace sinew
