// The obstacles of a model as a crowd meets them (recursion/ground.h).
#pragma once

#include <string>
#include <vector>

#include "sinew/model/model.h"
#include "sinew/recursion/ground.h"

namespace sinew::crowd {

// Planes and spheres, and the balls and corners of bodies that may touch them. Springs are those of the
// model, none stiffer than a step can follow. A scene with `contact` has Coulomb's friction, and with the
// response `penalty` the springs that it gives; obstacles without `contact` have none.
struct ModelGround {
    std::vector<recursion::GroundPair> pairs;  // in the order of links
    std::vector<int> firstPair;                // of each link, and behind the last one
    std::vector<recursion::GroundPlace> places;
    std::vector<recursion::GroundObstacle> obstacles;

    recursion::Ground view() const
    {
        return {pairs.data(), firstPair.data(), places.data(), obstacles.data()};
    }
};
ModelGround groundOf(const Model& model, double step);

// What of a model's contact a crowd cannot do, as messages call it; or nothing.
std::string unsupportedContact(const Model& model);

}  // namespace sinew::crowd
