// <composite> → bodies, or a <flexcomp>. Not a public header.
//
//     cable             a chain of bodies along a curve (MuJoCo 3)
//     rope, loop        a chain of bodies on both sides of the body around it (MuJoCo 2)
//     particle          free bodies in a grid (MuJoCo 2)
//     grid, cloth       a <flexcomp> with edges that keep their lengths (MuJoCo 2)
//
// box, cylinder and ellipsoid of MuJoCo 2 are left out.
#pragma once

#include <optional>
#include <vector>

#include "sinew/io/mjcf/converter.h"

namespace sinew::mjcf {

struct Composite {
    std::vector<Element> inBody;     // beside the <composite>, in the body around it
    std::vector<Element> contact;    // <exclude>s
    std::vector<Element> equality;   // what closes a loop
    std::optional<Element> ownGeom;  // of the body around it, which is a part of the rope
};

// `body`: the name of the one around it, "world" at the top. Nothing: it cannot be had, which is noted.
std::optional<Composite> expandComposite(Context& context, const Element& order, const std::string& body);

}  // namespace sinew::mjcf
