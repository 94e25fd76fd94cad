#include "sinew/apps/camera.h"

#include <fmt/core.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "sinew/io/base64.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

// Opening one more browser takes the time of so many pictures.
constexpr std::size_t worthACamera = 30;
// Each takes some 300 MB.
constexpr int mostCameras = 4;
// What an answer of a browser holds at most; a few megabytes of JSON go through a pipe in no time.
constexpr double pixelsInOneGo = 1.2e7;
constexpr std::size_t picturesInOneGo = 12;
// What comes after is lossy too, and more so.
constexpr double almostWithoutLoss = 0.98;

}  // namespace

Result<MotionSpan> Camera::open(const TemporaryFolder& folder, const std::string& name)
{
    Result<Chromium> chromium = Chromium::start({job_.chromium, name, job_.gpu}, folder,
                                                std::chrono::duration<double>(job_.patience));
    if (!chromium) return chromium.error();
    chromium_ = std::make_unique<Chromium>(std::move(chromium.value()));
    Result<bool> opened = chromium_->open(page_);
    if (!opened) return opened.error();
    Result<json::Value> motion = chromium_->evaluate(
        "window.sinew && sinew.picture && sinew.strip ? Promise.resolve(sinew.ready) : null");
    if (motion && job_.source == RenderJob::Source::page && !options_.clip.empty()) motion = chooseClip();
    if (!motion) return blamed(motion.error());
    const auto number = [&](const char* key) {
        const json::Value* value = motion.value().isObject() ? motion.value().find(key) : nullptr;
        return value && value->isNumber() ? value->number() : -1;
    };
    const MotionSpan span{number("start"), number("end"), number("frames")};
    if (span.frames < 1 || span.end < span.start)
        return fileError(page_, "offers no pictures; is it a page that this version of sinew wrote?");
    const Result<json::Value> many = chromium_->evaluate("typeof sinew.pictures === 'function'");
    if (!many) return blamed(many.error());
    makesMany_ = many.value().kind() == json::Kind::boolean && many.value().boolean();
    return span;
}

Result<std::vector<std::string>> Camera::pictures(const std::vector<double>& times)
{
    json::Value request = common();
    request.add("type", job_.type);
    if (job_.product == RenderJob::Product::film) request.add("quality", almostWithoutLoss);
    // Smoother edges take twice the time. In a film motion hides the difference.
    request.add("fine", !job_.moves());
    std::vector<std::string> all;
    if (makesMany_) {
        request.add("times", json::Value::array({times.begin(), times.end()}));
        Result<json::Value> answer = ask("pictures", request, times.size());
        if (!answer) return answer.error();
        if (answer.value().isArray()) {
            for (const json::Value& url : answer.value().items()) {
                Result<std::string> picture = unpacked(url, job_.type);
                if (!picture) return picture.error();
                all.push_back(std::move(picture.value()));
            }
        }
        if (all.size() != times.size())
            return fileError(page_, fmt::format("gave {} of {} pictures", all.size(), times.size()));
        return all;
    }
    for (double time : times) {
        json::Value one = request;
        one.add("time", time);
        Result<json::Value> answer = ask("picture", one, 1);
        if (!answer) return answer.error();
        Result<std::string> picture = unpacked(answer.value(), job_.type);
        if (!picture) return picture.error();
        all.push_back(std::move(picture.value()));
    }
    return all;
}

Result<std::string> Camera::strip(const std::vector<double>& times)
{
    json::Value request = common();
    request.add("times", json::Value::array({times.begin(), times.end()}));
    request.add("columns", job_.columns);
    Result<json::Value> answer = ask("strip", request, times.size());
    return answer ? unpacked(answer.value(), "image/png") : answer.error();
}

bool Camera::drawsInSoftware()
{
    const Result<json::Value> name = chromium_->evaluate(
        "(() => { const gl = document.createElement('canvas').getContext('webgl2');"
        " const names = gl && gl.getExtension('WEBGL_debug_renderer_info');"
        " return names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : 'software'; })()");
    if (!name || !name.value().isString()) return true;
    const std::string& text = name.value().string();
    for (const char* word : {"SwiftShader", "llvmpipe", "softpipe", "software"})
        if (text.find(word) != std::string::npos) return true;
    return false;
}

Result<json::Value> Camera::chooseClip()
{
    return chromium_->evaluate("sinew.character ? sinew.character.choose(" +
                               json::write(json::Value(options_.clip)) +
                               ") : Promise.reject(new Error('there is no character, and so no clip'))");
}

json::Value Camera::common() const
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

Result<json::Value> Camera::ask(const std::string& function, const json::Value& request,
                                std::size_t pictures)
{
    Result<json::Value> answer = chromium_->evaluate("sinew." + function + "(" + json::write(request) + ")",
                                                     static_cast<double>(pictures));
    if (!answer) return blamed(answer.error());
    return answer;
}

// The bytes of a data URL.
Result<std::string> Camera::unpacked(const json::Value& url, const std::string& type) const
{
    const std::string head = "data:" + type + ";base64,";
    if (url.isString() && url.string().starts_with(head)) {
        if (auto picture = base64Bytes(std::string_view(url.string()).substr(head.size()))) return *picture;
    }
    return fileError(page_, fmt::format("gave no picture of {}x{} pixels", job_.width, job_.height));
}

// An error of the page itself has no place yet.
Diagnostic Camera::blamed(Diagnostic error) const
{
    if (error.file.empty()) error.file = page_;
    return error;
}

int Camera::wanted(std::size_t pictures) const
{
    if (job_.cameras > 0) return static_cast<int>(std::min<std::size_t>(job_.cameras, pictures));
    // Where a graphics card draws, all wait for it alone.
    const int atHand = job_.gpu ? 2 : static_cast<int>(std::thread::hardware_concurrency());
    const int worth = static_cast<int>(std::min<std::size_t>(pictures / worthACamera, mostCameras));
    return std::max(1, std::min({atHand, worth, mostCameras}));
}

std::size_t Camera::batch(std::size_t pictures, int cameras) const
{
    const double fitting = pixelsInOneGo / (static_cast<double>(job_.width) * job_.height);
    // Of a short film too every camera shall have its share.
    const std::size_t share = pictures / (4 * static_cast<std::size_t>(cameras));
    return std::clamp(std::min(static_cast<std::size_t>(fitting), share), std::size_t{1}, picturesInOneGo);
}

namespace {

// Batches of pictures, which cameras take in their order and one reader wants in the same.
class Batches {
public:
    using Made = Result<std::vector<std::string>>;

    Batches(const std::vector<double>& times, std::size_t size, std::size_t ahead)
        : times_(times), size_(size), ahead_(ahead)
    {
    }
    std::size_t count() const { return (times_.size() + size_ - 1) / size_; }
    std::size_t first(std::size_t batch) const { return batch * size_; }
    std::vector<double> times(std::size_t batch) const
    {
        const auto begin = times_.begin() + static_cast<std::ptrdiff_t>(first(batch));
        return {begin, begin + static_cast<std::ptrdiff_t>(std::min(size_, times_.size() - first(batch)))};
    }

    // The next one to make; count() if there is none. None is made long before it is read.
    std::size_t take()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || next_ >= count() || next_ < read_ + ahead_; });
        return ended_ ? count() : std::min(next_++, count());
    }
    void put(std::size_t batch, Made made)
    {
        const std::lock_guard lock(mutex_);
        made_.emplace(batch, std::move(made));
        changed_.notify_all();
    }
    Made read(std::size_t batch)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return made_.contains(batch) || broken_; });
        if (!made_.contains(batch)) return *broken_;
        Made made = std::move(made_.extract(batch).mapped());
        read_ = batch + 1;
        changed_.notify_all();
        return made;
    }
    // A camera could not be opened.
    void breakOff(const Diagnostic& why)
    {
        const std::lock_guard lock(mutex_);
        if (!broken_) broken_ = why;
        changed_.notify_all();
    }
    void end()
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

private:
    const std::vector<double>& times_;
    std::size_t size_, ahead_, next_ = 0, read_ = 0;
    bool ended_ = false;
    std::optional<Diagnostic> broken_;
    std::map<std::size_t, Made> made_;
    std::mutex mutex_;
    std::condition_variable changed_;
};

void work(Camera& camera, Batches& batches)
{
    for (std::size_t i = batches.take(); i < batches.count(); i = batches.take())
        batches.put(i, camera.pictures(batches.times(i)));
}

}  // namespace

std::string takePictures(Camera& first, const std::vector<double>& times, const TemporaryFolder& folder,
                         const UsePicture& use)
{
    const int cameras = first.wanted(times.size());
    Batches batches(times, first.batch(times.size(), cameras), 2 * static_cast<std::size_t>(cameras));
    std::mutex mutex;
    std::vector<Camera*> open{&first};
    bool over = false;
    std::vector<std::thread> threads;
    threads.emplace_back([&] { work(first, batches); });
    for (int i = 1; i < cameras; ++i) {
        threads.emplace_back([&, i] {
            Camera camera = first.another();
            const Result<MotionSpan> motion = camera.open(folder, std::to_string(i));
            if (!motion) return batches.breakOff(motion.error());
            {
                const std::lock_guard lock(mutex);
                if (over) return;
                open.push_back(&camera);
            }
            work(camera, batches);
            const std::lock_guard lock(mutex);
            std::erase(open, &camera);
        });
    }

    std::string fault;
    for (std::size_t batch = 0; batch < batches.count() && fault.empty(); ++batch) {
        const Batches::Made made = batches.read(batch);
        if (!made) fault = use(batches.first(batch), made.error());
        for (std::size_t i = 0; fault.empty() && i < made.value().size(); ++i)
            fault = use(batches.first(batch) + i, made.value()[i]);
    }
    batches.end();
    if (!fault.empty()) {
        // What the others are still at would be waited for in vain.
        const std::lock_guard lock(mutex);
        over = true;
        for (Camera* camera : open) camera->stop();
    }
    for (std::thread& thread : threads) thread.join();
    return fault;
}

}  // namespace sinew
