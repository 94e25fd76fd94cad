// What a file says in short: <replicate>, <attach> and <composite> written out, so that the rest sees
// nothing but bodies and frames. Not a public header.
//
//     <replicate>   a <frame> for each copy, names with a number behind them
//     <attach>      a <frame> with a body, or the whole world, of another model or of this one, names with
//     a
//                   prefix before them
//
// What refers to names that are copied (actuators, tendons, constraints, exclusions) is copied with them.
#pragma once

#include <string>
#include <vector>

#include "sinew/io/mjcf/converter.h"

namespace sinew::mjcf {

// The elements of an attached model are read by its own <compiler>, <default> and <asset>: they have this
// attribute, which no file can have, with the number of their model; so do frames around them.
inline constexpr std::string_view modelMark = "#model";

inline constexpr std::string_view twistMark = "#twist";  // stiffness of a cable's joint about its axis

struct Source {
    xml::Element root;   // its sections beside <worldbody> count
    std::string folder;  // of its file, relative to the main one; empty or with a slash at the end
    Notes notes = {};    // of <composite>s
};

struct Composition {
    std::vector<Source> models;  // the main one first
    bool hasLeftOutBodies = false;
};

// `root`: what includes name in its place (parse()). `open` gives the files of attached models.
Result<Composition> compose(xml::Element root, const IncludeFunction& open);

// Folder of a file with a slash at its end, or nothing.
std::string folderOf(const std::string& path);

}  // namespace sinew::mjcf
