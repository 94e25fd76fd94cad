// Scenes that need not have a motion: friction beyond Painleve's bound on thin rods, and prescriptions that
// contradict the joints or the ground. They must end with a word, or run, but neither hang nor crash.
#include "random/builder.h"

namespace sinew::test {

void SceneBuilder::addUnsolvable()
{
    const auto lead = [&](const std::string& joint, double size) {
        PrescribedDescription p;
        p.joint = joint;
        p.motion.push_back(Signal(SignalPart(StepSignal{0, size, 0, 2 * T})));
        d.prescribed.push_back(p);
    };
    switch (random.below(4)) {
        case 0: {  // rods thrown along a rough ground
            note("painleve");
            for (int k = 1 + random.below(3); k > 0; --k) {
                openGroup();
                const double length = size();
                const double radius = length * logBetween(0.005, 0.02);
                addLink(Vec3::Zero(), length * direction(), radius);
                d.bodies.back().velocity = L / T * within({1, 4}, {-1, 0}, {0, 0});
                closeGroup(false, false);
            }
            addContact();
            d.contact->friction = between(1.5, 5);
            return;
        }
        case 1: {  // the corner of a triangle is led
            note("led_triangle");
            addPlanarLoop(3, true);
            place();
            return lead(d.joints.front().name, between(0.1, 1));
        }
        case 2: {  // two corners of a four-bar, each its own way
            note("led_twice");
            addPlanarLoop(4, true);
            place();
            lead(d.joints[0].name, between(0.1, 1));
            return lead(d.joints[2].name, between(0.1, 1));
        }
        default: {  // an arm is led into the ground
            note("led_into_ground");
            openGroup();
            const double length = size();
            const int arm = addLink(Vec3(0, length / 2, 0), Vec3(length, length / 2, 0), 0.1 * length);
            JointDescription& joint = addHinge(worldIndex, arm, Vec3(0, length / 2, 0), Vec3::UnitZ());
            joint.first = "world";
            joint.second = d.bodies[arm].name;
            closeGroup(true, false);
            d.contact.emplace();
            ObstacleDescription ground;
            ground.name = "ground";
            d.obstacles.push_back(ground);
            return lead(d.joints.back().name, -between(1, 1.5));
        }
    }
}

}  // namespace sinew::test
