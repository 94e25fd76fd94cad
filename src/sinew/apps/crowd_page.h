// The page of a crowd: that of its first character, with the others around it.
#pragma once

#include <string>
#include <vector>

#include "sinew/apps/page.h"

namespace sinew {

// What a page shows of a crowd, kept while it is simulated.
class CrowdPage {
public:
    // Of a crowd of so many characters and frames the first `show` characters; of its frames as many as
    // fit.
    CrowdPage(std::size_t bodies, int characters, std::uint64_t frames, int show);

    // The frames come one after the other, with the poses of all characters (io/binary/crowd_file.h).
    void add(double time, const std::vector<float>& poses);

    // Writes all but the end; finish() puts it into its place, `left` says what is not in it.
    void write(WholeFile& page, const Description& description, const Model& model,
               const std::string& summary, double fps) const;
    std::string left() const;

private:
    std::size_t width() const { return 7 * bodies_ * static_cast<std::size_t>(shown_); }
    double spacing(const Model& model) const;
    void writeOthers(WholeFile& page, const Model& model) const;

    std::size_t bodies_;
    int characters_, shown_;
    std::uint64_t every_ = 1, seen_ = 0;
    std::vector<double> times_;
    std::vector<float> poses_;  // frame by frame, of those that are shown
};

}  // namespace sinew
