#include "random/shrink.h"

#include "sinew/model/springs.h"

#include <algorithm>

namespace sinew::test {
namespace {

template <class List, class Condition>
void dropIf(List& list, Condition condition)
{
    list.erase(std::remove_if(list.begin(), list.end(), condition), list.end());
}

using Change = std::function<void(Description&)>;

// One feature of the whole scene at a time.
std::vector<Change> changesOfScene(const Description& d)
{
    std::vector<Change> changes;
    const auto add = [&](bool does, Change change) {
        if (does) changes.push_back(std::move(change));
    };
    add(!d.motors.empty(), [](Description& x) { x.motors.clear(); });
    add(!d.controllers.empty(), [](Description& x) { x.controllers.clear(); });
    add(!d.forces.empty(), [](Description& x) { x.forces.clear(); });
    add(!d.prescribed.empty(), [](Description& x) { x.prescribed.clear(); });
    add(!d.couplings.empty(), [](Description& x) { x.couplings.clear(); });
    add(d.contact.has_value(), [](Description& x) {
        x.contact.reset();
        x.obstacles.clear();
    });
    add(d.contact && d.contact->sleeping, [](Description& x) { x.contact->sleeping = false; });
    add(d.contact && d.contact->restitution > 0, [](Description& x) { x.contact->restitution = 0; });
    add(d.contact && d.contact->friction > 0, [](Description& x) { x.contact->friction = 0; });
    for (std::size_t i = 0; i < d.obstacles.size(); ++i)
        add(true, [i](Description& x) { x.obstacles.erase(x.obstacles.begin() + static_cast<long>(i)); });
    add(!d.gravity.isZero(0), [](Description& x) { x.gravity.setZero(); });
    const auto ofJoints = [&](auto has, auto clear) {
        add(std::any_of(d.joints.begin(), d.joints.end(), has), [clear](Description& x) {
            for (JointDescription& j : x.joints) clear(j);
        });
    };
    using J = JointDescription;
    ofJoints([](const J& j) { return !j.motor.empty(); }, [](J& j) { j.motor.clear(); });
    ofJoints([](const J& j) { return j.stiffness > 0; },
             [](J& j) {
                 j.stiffness = 0;
                 j.rest.clear();
             });
    ofJoints([](const J& j) { return !j.rest.empty(); }, [](J& j) { j.rest.clear(); });
    ofJoints([](const J& j) { return j.damping > 0; }, [](J& j) { j.damping = 0; });
    ofJoints([](const J& j) { return j.coulomb > 0; }, [](J& j) { j.coulomb = 0; });
    ofJoints([](const J& j) { return j.armature > 0; }, [](J& j) { j.armature = 0; });
    ofJoints([](const J& j) { return !j.lower.empty() || !j.upper.empty() || j.swingLimit; },
             [](J& j) {
                 j.lower.clear();
                 j.upper.clear();
                 j.swingLimit.reset();
             });
    ofJoints([](const J& j) { return !j.velocity.empty(); }, [](J& j) { j.velocity.clear(); });
    ofJoints([](const J& j) { return !j.coordinate.empty(); }, [](J& j) { j.coordinate.clear(); });
    const bool moves = std::any_of(d.bodies.begin(), d.bodies.end(), [](const BodyDescription& b) {
        return b.velocity || b.angularVelocity;
    });
    add(moves, [](Description& x) {
        for (BodyDescription& b : x.bodies) {
            b.velocity.reset();
            b.angularVelocity.reset();
        }
    });
    return changes;
}

}  // namespace

Description withoutBodies(const Description& description, const std::vector<std::string>& names)
{
    Description d = description;
    const auto isGone = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<std::string> joints;
    for (const JointDescription& j : d.joints)
        if (isGone(j.first) || isGone(j.second)) joints.push_back(j.name);
    const auto isGoneJoint = [&](const std::string& name) {
        return std::find(joints.begin(), joints.end(), name) != joints.end();
    };
    dropIf(d.bodies, [&](const auto& x) { return isGone(x.name); });
    dropIf(d.joints, [&](const auto& x) { return isGoneJoint(x.name); });
    dropIf(d.couplings, [&](const auto& x) { return isGoneJoint(x.follower) || isGoneJoint(x.leader); });
    dropIf(d.forces, [&](const auto& x) { return isGone(x.body); });
    dropIf(d.targets, [&](const auto& x) { return isGone(x.body); });
    dropIf(d.springs, [&](const auto& x) { return isGone(x.first.body) || isGone(x.second.body); });
    dropIf(d.motors, [&](const auto& x) { return isGoneJoint(x.joint); });
    dropIf(d.controllers, [&](const auto& x) { return isGoneJoint(x.joint); });
    dropIf(d.prescribed, [&](const auto& x) { return isGone(x.body) || isGoneJoint(x.joint); });
    return d;
}

Description shrunk(Description d, const std::function<bool(const Description&)>& fails, int tries)
{
    const auto accept = [&](const Description& smaller) {
        if (tries <= 0 || smaller.bodies.empty()) return false;
        --tries;
        if (!fails(smaller)) return false;
        d = smaller;
        return true;
    };
    for (bool changed = true; changed && tries > 0;) {
        changed = false;
        // Bodies: halves first, then single ones.
        for (std::size_t chunk = std::max<std::size_t>(d.bodies.size() / 2, 1);
             chunk > 0 && d.bodies.size() > 1; chunk /= 2)
            for (std::size_t first = 0; first < d.bodies.size();) {
                std::vector<std::string> names;
                for (std::size_t i = first; i < std::min(first + chunk, d.bodies.size()); ++i)
                    names.push_back(d.bodies[i].name);
                if (accept(withoutBodies(d, names)))
                    changed = true;
                else
                    first += chunk;
            }
        const std::size_t count = changesOfScene(d).size();
        for (std::size_t k = count; k-- > 0;) {
            const std::vector<Change> changes = changesOfScene(d);
            if (k >= changes.size()) continue;
            Description smaller = d;
            changes[k](smaller);
            changed |= accept(smaller);
        }
        // Single joints of loops.
        for (std::size_t j = d.joints.size(); j-- > 0;) {
            Description smaller = d;
            smaller.joints.erase(smaller.joints.begin() + static_cast<long>(j));
            changed |= accept(smaller);
        }
    }
    return d;
}

}  // namespace sinew::test
