// Pages of motions in browsers without a window, and the pictures that they make.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sinew/apps/chromium.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/render_job.h"
#include "sinew/apps/temporary_folder.h"

namespace sinew {

// A page in a browser of its own. What it offers is described in web/README.md.
class Camera {
public:
    Camera(std::string page, const RenderOptions& options, const RenderJob& job)
        : page_(std::move(page)), options_(options), job_(job)
    {
    }

    // `name` is the browser's own among those in `folder`, which must outlive it.
    Result<MotionSpan> open(const TemporaryFolder& folder, const std::string& name);

    Result<std::vector<std::string>> pictures(const std::vector<double>& times);
    Result<std::string> strip(const std::vector<double>& times);

    // Whether the pictures are drawn without a graphics card.
    bool drawsInSoftware();

    // The same page in a browser that is still to be opened.
    Camera another() const { return {page_, options_, job_}; }

    // How many cameras should share so many pictures, and how many are made in one go.
    int wanted(std::size_t pictures) const;
    std::size_t batch(std::size_t pictures, int cameras) const;

    // From any thread: whatever is being waited for ends with an error.
    void stop() { chromium_->stop(); }

private:
    Result<json::Value> chooseClip();
    json::Value common() const;
    Result<json::Value> ask(const std::string& function, const json::Value& request, std::size_t pictures);
    Result<std::string> unpacked(const json::Value& url, const std::string& type) const;
    Diagnostic blamed(Diagnostic error) const;

    std::unique_ptr<Chromium> chromium_;
    bool makesMany_ = false;  // pictures in one go; older pages make one at a time
    std::string page_;
    const RenderOptions& options_;
    const RenderJob& job_;
};

// Takes a picture at every time, by `first`, which is open, and by more cameras beside it where that pays,
// and hands them over in their order until `use` says what is wrong. Gives that line.
using UsePicture = std::function<std::string(std::size_t, const Result<std::string>&)>;
std::string takePictures(Camera& first, const std::vector<double>& times, const TemporaryFolder& folder,
                         const UsePicture& use);

}  // namespace sinew
