#include "sinew/io/mesh/mesh_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sinew::meshes {

std::string_view nextWord(std::string_view& text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; };
    std::size_t begin = 0;
    while (begin < text.size() && blank(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && !blank(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

std::string_view nextLine(std::string_view& text)
{
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (text.starts_with("\r\n"))
        text.remove_prefix(2);
    else if (!text.empty())
        text.remove_prefix(1);
    return line;
}

std::optional<double> numberOf(std::string_view word)
{
    constexpr double largest = 1e30;  // beyond it products overflow
    if (word.starts_with('+')) word.remove_prefix(1);
    if (word.starts_with('+')) return {};
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    // Out of range leaves 0: too small is as good as nothing, too large has an exponent without a minus.
    if (problem == std::errc::result_out_of_range && word.find("e-") == word.npos &&
        word.find("E-") == word.npos)
        return {};
    if (problem == std::errc::invalid_argument || end != word.data() + word.size()) return {};
    if (!(std::abs(value) <= largest)) return {};
    return value;
}

bool hasArea(const TriangleMesh& mesh, const std::array<int, 3>& face)
{
    const auto& [a, b, c] = face;
    const Vec3 u = mesh.vertices[b] - mesh.vertices[a], v = mesh.vertices[c] - mesh.vertices[a];
    return u.cross(v).norm() > 1e-12 * (u.squaredNorm() + v.squaredNorm());
}

void beginGroup(MeshFile& file, std::string_view name)
{
    const int faces = static_cast<int>(file.mesh.faces.size());
    if (!file.groups.empty()) {
        MeshGroup& last = file.groups.back();
        last.count = faces - last.first;
        if (last.count == 0) file.groups.pop_back();
    }
    file.groups.push_back({std::string(name), faces, 0});
}

void finishGroups(MeshFile& file)
{
    beginGroup(file, {});
    file.groups.pop_back();
    std::erase_if(file.groups, [](const MeshGroup& group) { return group.name.empty(); });
}

}  // namespace sinew::meshes
