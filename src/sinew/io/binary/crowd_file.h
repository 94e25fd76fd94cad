// The trajectories of a crowd in one file, .sinewc (docs/crowd.md describes the bytes): where each body of
// each character is in each frame, in single precision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/file_stream.h"
#include "sinew/io/whole_file.h"

namespace sinew {

struct CrowdHeader {
    std::vector<std::string> bodies;  // names, in the scene's order
    std::uint32_t characters = 0;
    double fps = 0;
    std::uint64_t frames = 0;

    std::size_t numbers() const { return std::size_t{7} * characters * bodies.size(); }  // a frame
    std::uint64_t frameBytes() const { return 8 + 4 * static_cast<std::uint64_t>(numbers()); }
    std::string bytes() const;
};

class CrowdWriter {
public:
    CrowdWriter(const std::string& path, const CrowdHeader& header);

    // x y z qx qy qz qw of each body of each character. There must be as many frames as the header says.
    void add(double time, const std::vector<float>& poses);
    // Each gives an empty string, or why it could not be written (WholeFile).
    std::string close() { return file_.close(); }
    std::string finish() { return file_.finish(); }

private:
    WholeFile file_;
    std::size_t numbers_;
    std::string bytes_;
};

class CrowdReader {
public:
    static Result<CrowdReader> open(const std::string& path);

    const CrowdHeader& header() const { return header_; }
    // The frame, counted from 0; or what is wrong.
    std::optional<Diagnostic> frame(std::uint64_t index, double& time, std::vector<float>& poses);

private:
    CrowdReader(std::FILE* stream, std::string name) : file_(stream), name_(std::move(name)) {}
    std::string readHeader(std::uint64_t fileSize);
    bool load(std::uint64_t offset, std::size_t size);

    FileStream file_;
    std::string name_, bytes_;
    CrowdHeader header_;
    std::uint64_t start_ = 0;
};

}  // namespace sinew
