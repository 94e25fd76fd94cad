// Names of files, as far as their case does not matter.
#pragma once

#include <string>
#include <string_view>

namespace sinew {

inline std::string lowercase(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

// "meshes/Arm.STL" → "stl"; empty where the name has no ending.
inline std::string fileEnding(std::string_view path)
{
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    const std::size_t dot = name.find_last_of('.');
    return dot == name.npos ? std::string() : lowercase(name.substr(dot + 1));
}

}  // namespace sinew
