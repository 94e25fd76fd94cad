#include "sinew/soft/links.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/soft/contact.h"

namespace sinew {
namespace {

Vec3 linkVertex(const VecX& x, int i)
{
    return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

void addToVertex(VecX& x, int i, const Vec3& part)
{
    for (int k = 0; k < 3; ++k) x[3 * i + k] += part[k];
}

// The motion of a point at `arm` with column c of a body's: shifts, then turns.
Vec3 moved(int c, const Vec3& arm)
{
    Vec3 unit = Vec3::Zero();
    unit[c % 3] = 1;
    return c < 3 ? unit : Vec3(unit.cross(arm));
}

// The way from the pose of a link to that of its body.
Vec6 wayOf(const MeshLink& link, const BodyState& body)
{
    return (Vec6() << Vec3(body.position - link.position),
            logRotation(body.orientation * link.orientation.conjugate()))
        .finished();
}

}  // namespace

void MeshLinks::add(MeshSolver& solver, const MeshState& state)
{
    MeshStep& step = solver.step;
    const SpringMesh& mesh = *step.mesh;
    touches_.clear();
    const auto centre = [&](int body) {
        return (*step.around->end)[static_cast<std::size_t>(body)].position;
    };
    const bool holds =
        std::any_of(mesh.pins.begin(), mesh.pins.end(), [](const MeshPin& pin) { return pin.body >= 0; });
    if (holds) step.fullGradient(state.x, solver.gradient);
    for (std::size_t p = 0; p < mesh.pins.size() && holds; ++p) {
        const MeshPin& pin = mesh.pins[p];
        if (pin.body < 0) continue;
        Touch touch{pin.vertex,   pin.body,     step.pinned[p] - centre(pin.body),
                    Vec3::Zero(), Mat3::Zero(), pin.isRigid};
        if (pin.isRigid) {
            touch.force = -linkVertex(solver.gradient, pin.vertex);
            touch.stiffness = step.ownBlock(pin.vertex, state.x);
        } else {
            const Vec3 way = linkVertex(state.x, pin.vertex) - step.pinned[p],
                       way0 = linkVertex(step.x0, pin.vertex) - step.pinned0[p];
            touch.force = pinPull(pin, way, way0, step.h);
            touch.stiffness = pinBlock(pin, way, way0, step.h);
        }
        touches_.push_back(touch);
    }
    for (const MeshGlide& glide : mesh.glides) {
        if (glide.body < 0) continue;
        const GlidePlace now = step.glideAt(glide, state.x), before = step.glideBefore(glide);
        touches_.push_back({glide.vertex, glide.body, now.vertex - centre(glide.body),
                            glidePull(glide, now, before, step.h), glideBlock(glide, now, before, step.h),
                            false});
    }
    for (const MeshContact& contact : step.contacts) {
        if (contact.body < 0) continue;
        const Vec3 at = linkVertex(state.x, contact.vertex);
        const Vec3 force = contactForce(step, contact, at);
        if (force.isZero(0)) continue;
        touches_.push_back({contact.vertex, contact.body, at - centre(contact.body), -force,
                            contactStiffness(step, contact, at), false});
    }
    std::stable_sort(touches_.begin(), touches_.end(),
                     [](const Touch& a, const Touch& b) { return a.body < b.body; });
    for (std::size_t first = 0, last = 0; first < touches_.size(); first = last) {
        while (last < touches_.size() && touches_[last].body == touches_[first].body) ++last;
        condense(solver, state, first, last);
    }
}

// The touches of one body become one link.
void MeshLinks::condense(MeshSolver& solver, const MeshState& state, std::size_t first, std::size_t last)
{
    const MeshStep& step = solver.step;
    const SpringMesh& mesh = *step.mesh;
    MeshLink link;
    link.body = touches_[first].body;
    const BodyState& body = (*step.around->end)[static_cast<std::size_t>(link.body)];
    link.position = body.position;
    link.orientation = body.orientation;
    for (std::size_t t = first; t < last; ++t) {
        const Touch& touch = touches_[t];
        link.arm = std::max(link.arm, touch.arm.norm());
        link.force += (Vec6() << touch.force, Vec3(touch.arm.cross(touch.force))).finished();
    }
    // Which held vertices move with the body, and how: their springs pull at their neighbours.
    std::vector<int>& holder = solver.holders;
    holder.assign(mesh.rest.size(), -1);
    for (std::size_t t = first; t < last; ++t)
        if (touches_[t].isRigid) holder[static_cast<std::size_t>(touches_[t].vertex)] = static_cast<int>(t);
    const bool anyRigid = std::any_of(touches_.begin() + static_cast<std::ptrdiff_t>(first),
                                      touches_.begin() + static_cast<std::ptrdiff_t>(last),
                                      [](const Touch& touch) { return touch.isRigid; });
    Mat6 direct = Mat6::Zero();
    for (int c = 0; c < 6; ++c) {
        answer_.setZero(state.x.size());
        for (std::size_t t = first; t < last; ++t) {
            const Touch& touch = touches_[t];
            const Vec3 pull = touch.stiffness * moved(c, touch.arm);
            for (int r = 0; r < 6; ++r) direct(r, c) += moved(r, touch.arm).dot(pull);
            if (!touch.isRigid) addToVertex(answer_, touch.vertex, pull);
        }
        const auto each = [&](int one, int other, auto&& blockOf, auto&& handle) {
            const int a = holder[static_cast<std::size_t>(one)],
                      b = holder[static_cast<std::size_t>(other)];
            if ((a < 0) == (b < 0)) {
                // Between two that are held by the same body: neither moves against the other, but both
                // blocks are in `direct`.
                if (a >= 0) handle(blockOf(), a, -1, b);
                return;
            }
            handle(blockOf(), std::max(a, b), a >= 0 ? other : one, -1);
        };
        const auto eachSpring = [&](auto&& handle) {
            if (!anyRigid) return;
            for (std::size_t s = 0; s < mesh.springs.size(); ++s)
                each(
                    mesh.springs[s].a, mesh.springs[s].b, [&] { return step.springBlock(s, state.x); },
                    handle);
            for (const MeshTie& tie : mesh.ties)
                each(
                    tie.a, tie.b, [&] { return step.tieBlock(tie, state.x); }, handle);
        };
        eachSpring([&](const Mat3& block, int held, int other, int both) {
            const Vec3 pull = block * moved(c, touches_[static_cast<std::size_t>(held)].arm);
            if (both < 0) {
                if (!step.isHeld[static_cast<std::size_t>(other)]) addToVertex(answer_, other, pull);
                return;
            }
            const Vec3 pullBack = block * moved(c, touches_[static_cast<std::size_t>(both)].arm);
            for (int r = 0; r < 6; ++r) {
                direct(r, c) -= moved(r, touches_[static_cast<std::size_t>(both)].arm).dot(pull);
                direct(r, c) -= moved(r, touches_[static_cast<std::size_t>(held)].arm).dot(pullBack);
            }
        });
        solver.answer(state.x, answer_);
        for (std::size_t t = first; t < last; ++t) {
            const Touch& touch = touches_[t];
            if (touch.isRigid) continue;
            const Vec3 back = touch.stiffness * linkVertex(answer_, touch.vertex);
            for (int r = 0; r < 6; ++r) link.stiffness(r, c) -= moved(r, touch.arm).dot(back);
        }
        eachSpring([&](const Mat3& block, int held, int other, int both) {
            if (both >= 0 || step.isHeld[static_cast<std::size_t>(other)]) return;
            const Vec3 back = block * linkVertex(answer_, other);
            for (int r = 0; r < 6; ++r)
                link.stiffness(r, c) -= moved(r, touches_[static_cast<std::size_t>(held)].arm).dot(back);
        });
    }
    link.stiffness += direct;
    link.stiffness = 0.5 * (link.stiffness + link.stiffness.transpose());
    links.push_back(link);
}

double MeshLinks::mismatch(const LargeVector<BodyState>& bodies) const
{
    double most = 0;
    for (const MeshLink& link : links) {
        const Vec6 way = wayOf(link, bodies[static_cast<std::size_t>(link.body)]);
        most = std::max(most, way.head<3>().norm() + link.arm * way.tail<3>().norm());
    }
    return most;
}

void addLinkForces(void* adder, const Model&, const State& state, Forces& forces)
{
    for (const MeshLink& link : static_cast<const MeshLinks*>(adder)->links) {
        const Vec6 way = wayOf(link, state.bodies[static_cast<std::size_t>(link.body)]);
        forces.body[static_cast<std::size_t>(link.body)] += Force::from(link.force - link.stiffness * way);
        BodyTangent tangent;
        tangent.body = link.body;
        tangent.stiffness = link.stiffness;
        forces.outside.bodies.push_back(tangent);
        forces.outside.any = true;
    }
}

}  // namespace sinew
