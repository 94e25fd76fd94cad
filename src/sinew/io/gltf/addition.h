// A file with additions, while it is made: edits of the JSON text and bytes for its buffers. Not a public
// header; all functions throw Fault.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/gltf/convert.h"
#include "sinew/io/gltf/splice.h"

namespace sinew::gltf {

// A quoted key and its value; lists of texts and numbers.
std::string member(std::string_view key, const std::string& value);
std::string member(std::string_view key, std::size_t value);
std::string joinedBy(const std::vector<std::string>& texts);
std::string listOf(const double* numbers, std::size_t count);

class Addition {
public:
    Addition(const GltfFile& file, const GltfCharacter& character, const ClipAddition& addition);
    std::string run(bool replace);

private:
    [[noreturn]] void failHere(const std::string& message) const;

    // The text: lists at the top, and what goes to their ends.
    std::optional<Span> list(std::string_view name) const;
    void append(std::string_view name, const std::vector<std::string>& items);

    // The clip (add_clip.cpp).
    int sameName(bool replace) const;
    void add(const Track& track);
    void take(const ClipAddition::Taken& taken);
    void claim(int node, Animation::Path path);
    void addChannel(int node, const char* path, std::size_t input, std::size_t output, const char* between);
    void withoutMatrix(int index);
    std::size_t timesAccessor(const std::vector<double>& times);
    std::size_t valuesAccessor(const Track& track, bool onlyValue);

    // Morph targets and their weights (add_morphs.cpp). `before` is how many a mesh has already.
    void addMorphs(const MorphAddition& morphs, int replaced);
    void addTargets(const MorphAddition& morphs, int mesh);
    std::vector<std::string> targetsOf(const MorphAddition& morphs, int mesh, int primitive);
    std::size_t targetCount(int mesh) const;
    void extendList(Span object, std::string_view key, std::size_t before, std::size_t more,
                    const std::string& pointer);
    void nameTargets(Span mesh, std::size_t before, std::size_t more);
    void extendChannels(int node, std::size_t before, std::size_t more, int replaced);
    std::vector<std::vector<double>> weightsBefore(const MorphAddition& morphs, int node,
                                                   std::size_t before);
    const std::pair<std::vector<Span>, std::vector<Span>>& spansOf(int animation);

    // The bytes.
    double single(double number) const;
    std::size_t accessor(const std::string& bytes, std::size_t count, const char* shape,
                         const std::string& more);
    std::string addData();

    const GltfFile& file_;
    const GltfCharacter& character_;
    const ClipAddition& addition_;
    std::string_view text_;
    Span root_;
    std::vector<MemberSpan> members_;  // of the root
    std::vector<Span> nodes_;          // once they are needed
    std::vector<Edit> edits_;
    std::vector<std::string> accessors_, channels_, samplers_;
    std::string data_;                          // all keys, as they go into the file
    std::map<std::string, std::size_t> times_;  // accessors by their bytes
    std::map<int, std::pair<std::vector<Span>, std::vector<Span>>>
        spans_;  // channels and samplers by animation
    std::map<std::pair<int, int>, std::size_t> takenSamplers_;
    std::set<std::pair<int, Animation::Path>> claimed_;
    std::set<int> placedAnew_;
};

}  // namespace sinew::gltf
