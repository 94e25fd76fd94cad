// Limbs of a character that are alike, to be stepped as one (recursion/twins.h).
//
// A character alone has a lane for each of two siblings that are alike all the way out, such as its arms
// and its legs: their links share a place in the arrays of its group. A person of 21 bones has 13 places
// then, and a place with two lanes takes little longer than one with one.
#pragma once

#include <vector>

#include "sinew/model/model.h"
#include "sinew/recursion/twins.h"

namespace sinew::crowd {

// The links that have a place: the same one twice where it has no twin.
struct TwinPlace {
    int first = 0, second = 0;

    bool isPair() const { return first != second; }
};

// In the order of their first links, so that parents come before what hangs on them. Nothing of models
// whose joints need more than the passes for ball joints and hinges, or if there are too few twins to make
// up for the lanes that hold the same.
std::vector<TwinPlace> findTwins(const Model& model);

// What the recursion reads of them.
LargeVector<LinkData<recursion::Twins>> twinLinks(const Model& model, const std::vector<TwinPlace>& places);

}  // namespace sinew::crowd
