// All that asks the file system. Apart, because a web page has none.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "sinew/io/file_error.h"
#include "sinew/io/file_stream.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/motion_files.h"
#include "sinew/io/json/scene.h"

namespace sinew {

namespace json {

Result<std::string> readFile(const std::string& path, std::size_t limit)
{
    const auto fail = [&](std::string message) { return fileError(path, std::move(message)); };
    const auto mebibytes = [](std::uintmax_t bytes) {
        char text[64];
        std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
        return std::string(text);
    };

    std::error_code problem;
    const std::filesystem::file_status status = std::filesystem::status(path, problem);
    if (status.type() == std::filesystem::file_type::not_found) return fail("there is no such file");
    if (status.type() == std::filesystem::file_type::directory) return fail("this is a folder, not a file");
    if (problem) return fail("cannot be read: " + problem.message());
    if (status.type() != std::filesystem::file_type::regular) return fail("this is not a regular file");

    const std::uintmax_t size = std::filesystem::file_size(path, problem);
    if (problem) return fail("cannot be read: " + problem.message());
    if (size > limit)
        return fail("the file has " + std::to_string(size) + " bytes (" + mebibytes(size) +
                    "); the limit is " + mebibytes(limit));

    const FileStream file(std::fopen(path.c_str(), "rb"));
    if (!file) return fail(std::string("cannot be read: ") + std::strerror(errno));
    std::string text(static_cast<std::size_t>(size), '\0');
    const std::size_t got = std::fread(text.data(), 1, text.size(), file.get());
    if (std::ferror(file.get()) != 0) return fail("reading stopped with an error");
    text.resize(got);  // shorter only if somebody cut the file meanwhile; the parser will say so
    return text;
}

}  // namespace json

Result<Description> readScene(const std::string& path)
{
    const Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    std::vector<MotionFile> motions;
    Result<Description> scene = parseSceneBesideFiles(text.value(), path, nullptr, motions);
    if (!scene) return scene;
    if (const Result<bool> read = readMotionFiles(motions, scene.value(), path); !read) return read.error();
    if (const Result<bool> read = readMeshFiles(scene.value(), path, nullptr); !read) return read.error();
    return scene;
}

}  // namespace sinew
