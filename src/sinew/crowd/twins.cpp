#include "sinew/crowd/twins.h"

#include <utility>

namespace sinew::crowd {
namespace {

using recursion::Twins;

class TwinSearch {
public:
    explicit TwinSearch(const Model& model) : model_(model), twin_(model.bodies.size())
    {
        const auto count = static_cast<std::size_t>(model.size());
        children_.resize(count + 1);
        for (int i = 0; i < model.size(); ++i) {
            twin_[static_cast<std::size_t>(i)] = i;
            childrenOf(model.links[i].parent).push_back(i);
        }
        pairChildren(-1);
        for (int i = 0; i < model.size(); ++i)
            if (twinOf(i) == i) pairChildren(i);
    }

    std::vector<TwinPlace> places() const
    {
        std::vector<TwinPlace> places;
        for (int i = 0; i < model_.size(); ++i)
            if (const int twin = twin_[static_cast<std::size_t>(i)]; twin >= i) places.push_back({i, twin});
        return places;
    }

private:
    std::vector<int>& childrenOf(int link) { return children_[static_cast<std::size_t>(link + 1)]; }
    int& twinOf(int link) { return twin_[static_cast<std::size_t>(link)]; }

    // Only neighbours in order, because what their parent resists is summed up in order.
    void pairChildren(int parent)
    {
        const std::vector<int>& siblings = childrenOf(parent);
        for (std::size_t k = 1; k < siblings.size(); ++k) {
            const std::vector<std::pair<int, int>> limb = alike(siblings[k - 1], siblings[k]);
            for (const auto& [first, second] : limb) {
                twinOf(first) = second;
                twinOf(second) = first;
            }
            if (!limb.empty()) ++k;
        }
    }

    // All pairs of links of two limbs; none if the limbs differ.
    std::vector<std::pair<int, int>> alike(int first, int second)
    {
        std::vector<std::pair<int, int>> pairs{{first, second}};
        for (std::size_t next = 0; next < pairs.size(); ++next) {
            const auto [a, b] = pairs[next];
            const std::vector<int>&ofA = childrenOf(a), &ofB = childrenOf(b);
            if (!goTogether(a, b) || ofA.size() != ofB.size()) return {};
            for (std::size_t k = 0; k < ofA.size(); ++k) pairs.emplace_back(ofA[k], ofB[k]);
        }
        return pairs;
    }

    // Whether the passes do the same with both.
    bool goTogether(int a, int b) const
    {
        const LinkData<double>&x = model_.links[a], &y = model_.links[b];
        const Joint &p = model_.joints[a], &q = model_.joints[b];
        return x.kind == y.kind && x.freedoms == y.freedoms && x.isTurnedAtRest == y.isTurnedAtRest &&
               x.hasArmature == y.hasArmature && x.hasAxes == y.hasAxes &&
               (p.limitStiffness > 0) == (q.limitStiffness > 0) && p.hasMotor == q.hasMotor &&
               p.hasTwist == q.hasTwist && p.childIsFirst == q.childIsFirst;
    }

    const Model& model_;
    std::vector<std::vector<int>> children_;  // of the world, and of each link
    std::vector<int> twin_;                   // itself where there is none
};

void setConstants(const LinkData<double>& from, int in, LinkData<Twins>& to)
{
    setLane(to.arm, in, from.arm);
    setLane(to.mass, in, from.mass);
    setLane(to.center, in, from.center);
    setLane(to.inertia.xx, in, from.inertia.xx);
    setLane(to.inertia.yy, in, from.inertia.yy);
    setLane(to.inertia.zz, in, from.inertia.zz);
    setLane(to.inertia.xy, in, from.inertia.xy);
    setLane(to.inertia.xz, in, from.inertia.xz);
    setLane(to.inertia.yz, in, from.inertia.yz);
    setLane(to.armature, in, from.armature);
    setLane(to.axis, in, from.axis);
    setLane(to.rest, in, from.rest);
}

}  // namespace

std::vector<TwinPlace> findTwins(const Model& model)
{
    if (!model.extraLinks.empty()) return {};
    std::vector<TwinPlace> places = TwinSearch(model).places();
    // A place of twins takes a fifth longer than a link alone.
    if (6 * places.size() > 5 * model.bodies.size()) return {};
    return places;
}

LargeVector<LinkData<Twins>> twinLinks(const Model& model, const std::vector<TwinPlace>& places)
{
    LargeVector<LinkData<Twins>> links;
    std::vector<int> placeOf(model.bodies.size());
    int q = 0, u = 0;
    for (const TwinPlace& place : places) {
        const LinkData<double>& first = model.links[place.first];
        LinkData<Twins> link = converted<Twins>(first);
        setConstants(model.links[place.second], 1, link);
        link.parent = first.parent < 0 ? -1 : placeOf[static_cast<std::size_t>(first.parent)];
        link.isFollowed = link.gathers = link.reportsFirst = false;
        link.q = std::exchange(q, q + model.joints[place.first].coordinates());
        link.u = std::exchange(u, u + link.freedoms);
        placeOf[static_cast<std::size_t>(place.first)] = static_cast<int>(links.size());
        links.push_back(link);
    }
    // As compileLinks() does it.
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i) {
        LinkData<Twins>& link = links[static_cast<std::size_t>(i)];
        if (link.parent < 0) continue;
        LinkData<Twins>& parent = links[static_cast<std::size_t>(link.parent)];
        link.joins = places[static_cast<std::size_t>(i)].isPair() &&
                     !places[static_cast<std::size_t>(link.parent)].isPair();
        if (link.joins) {
            link.secondReportsFirst = !parent.gathers;
            parent.gathers = true;
        }
        if (link.parent == i - 1) {
            parent.isFollowed = true;
        } else {
            link.reportsFirst = !parent.gathers;
            parent.gathers = true;
        }
    }
    return links;
}

}  // namespace sinew::crowd
