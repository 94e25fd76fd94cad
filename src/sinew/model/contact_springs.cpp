#include "sinew/model/contact_springs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {
namespace {

// Per body: the mass of all that joints which `hold` make one with it.
template <class Holds>
std::vector<double> massesTogether(const Model& model, Holds&& holds)
{
    std::vector<int> first(model.bodies.size());
    std::iota(first.begin(), first.end(), 0);
    const auto find = [&](int i) {
        while (first[i] != i) i = first[i] = first[first[i]];
        return i;
    };
    const auto join = [&](const Joint& joint, int child) {
        if (joint.parent >= 0 && holds(joint)) first[find(child)] = find(joint.parent);
    };
    for (int i = 0; i < model.size(); ++i) join(model.joints[i], i);
    for (const LoopJoint& loop : model.loops)
        if (std::isinf(loop.release)) join(loop.joint, loop.child);
    std::vector<double> masses(model.bodies.size(), 0.);
    for (int i = 0; i < model.size(); ++i) masses[find(i)] += model.bodies[i].mass;
    for (int i = 0; i < model.size(); ++i) masses[i] = masses[find(i)];
    return masses;
}

// How wide the balls and corners in [first, last) lie, which are those of one body.
double widthOf(const ContactPoint* first, const ContactPoint* last)
{
    Vec3 middle = Vec3::Zero();
    for (const ContactPoint* p = first; p != last; ++p) middle += p->point;
    middle /= static_cast<double>(last - first);
    double reach = 0;
    for (const ContactPoint* p = first; p != last; ++p)
        reach = std::max(reach, (p->point - middle).norm() + p->radius);
    return 2 * reach;
}

}  // namespace

void setContactSprings(const Model& model, std::vector<ContactPoint>& points)
{
    constexpr double squaredRate = 1e5;  // 1/s²
    constexpr double depth = 1e-3;       // of the body's width
    const std::vector<double> pieces =
        massesTogether(model, [](const Joint& joint) { return joint.isRigid(); });
    const std::vector<double> figures =
        massesTogether(model, [](const Joint& joint) { return !joint.isFree(); });
    ContactPoint* const end = points.data() + points.size();
    for (ContactPoint *first = points.data(), *last = first; first != end; first = last) {
        const int body = first->body;
        while (last != end && last->body == body) ++last;
        const double weight = figures[body] * model.gravity.norm();
        const double stiffness = pieces[body] * squaredRate + weight / (depth * widthOf(first, last));
        for (ContactPoint* p = first; p != last; ++p) {
            p->mass = pieces[body];
            p->stiffness = stiffness;
        }
    }
}

}  // namespace sinew
