// Which attributes of MJCF are names, and of what. Not a public header.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "sinew/io/xml/xml.h"

namespace sinew::mjcf {

enum class Kind { body, joint, geom, site, tendon };
using Names = std::set<std::pair<Kind, std::string>>;

struct Reference {
    std::string_view attribute;
    Kind kind;
};
// What sections beside <worldbody> refer to things by.
inline constexpr std::array<Reference, 20> references{{
    {"body", Kind::body},           {"body1", Kind::body},      {"body2", Kind::body},
    {"joint", Kind::joint},         {"joint1", Kind::joint},    {"joint2", Kind::joint},
    {"jointinparent", Kind::joint}, {"geom", Kind::geom},       {"geom1", Kind::geom},
    {"geom2", Kind::geom},          {"sidesite", Kind::site},   {"site", Kind::site},
    {"site1", Kind::site},          {"site2", Kind::site},      {"refsite", Kind::site},
    {"cranksite", Kind::site},      {"slidersite", Kind::site}, {"tendon", Kind::tendon},
    {"tendon1", Kind::tendon},      {"tendon2", Kind::tendon},
}};

// Put before and behind a name.
struct Renaming {
    std::string prefix, suffix;
    std::string of(const std::string& name) const { return prefix + name + suffix; }
};

// The names of an element of the tree of bodies and of all inside it.
void collectNames(const xml::Element& element, Names& names);
void renameTree(xml::Element& element, const Renaming& renaming);

// Of an element beside <worldbody>, with those inside it: how many of its references are among the names,
// and how many are not.
struct Referring {
    int inside = 0, outside = 0;
};
Referring referring(const xml::Element& element, const Names& names);
// Its own name, and those of its references that are among the names.
void renameReferences(xml::Element& element, const Renaming& renaming, const Names& names);

}  // namespace sinew::mjcf
