// A random scene in the making. Up is +y until the whole is turned at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "random/generator.h"
#include "sinew/base/random.h"
#include "sinew/math/rotation.h"

namespace sinew::test {

// A shape where it is in the world, and how far it reaches from its place.
struct PlacedShape {
    Shape shape;
    Pose pose;
    double reach;
};

class SceneBuilder {
public:
    SceneBuilder(const SceneClass& sceneClass, Random& random);

    const SceneClass& sceneClass;
    Random& random;
    Description d;
    std::vector<std::string> features;
    double L = 1, g = 1, T = 1;
    double m0 = 1;  // kg: the middle of the masses

    // A skeleton is made of bodies [first, last) and joints [firstJoint, lastJoint).
    struct Group {
        std::size_t first = 0, last = 0, firstJoint = 0, lastJoint = 0;
        bool isTied = false, hasLoop = false;
        int crank = -1;  // of a loop that moves: a joint that may be led a little way
    };
    std::vector<Group> groups;

    // ---- numbers
    bool chance(double p) { return random.unit() < p; }
    double between(double low, double high) { return random.uniform(low, high); }
    double logBetween(double low, double high)
    {
        return std::exp(random.uniform(std::log(low), std::log(high)));
    }
    // Compilers choose in which order arguments and operands are evaluated, but a seed must be one scene:
    // where several numbers are drawn for one value, a statement each says so.
    Vec3 direction();
    // The factor times a number in between, in any direction.
    Vec3 vector(double factor, double low, double high);
    struct Range {
        double low, high;
    };
    Vec3 within(const Range& x, const Range& y, const Range& z);
    Quat rotation() { return expRotation(vector(pi, 0, 1)); }
    double mass();  // of the class
    double size();  // of a body: about L
    double thickness();
    void note(const std::string& feature);

    // ---- bodies
    // A link from one place to another, of a random shape whose long axis leads there.
    int addLink(const Vec3& from, const Vec3& to, double radius);
    // A compact body, of a random shape.
    int addLump(const Vec3& position, double size);
    BodyDescription& body(int index) { return d.bodies[index]; }
    double massOf(const std::string& name) const;  // of the world: without bound

    // ---- joints
    JointDescription& addJoint(JointType type, int first, int second, const Vec3& place);
    JointDescription& addHinge(int first, int second, const Vec3& place, const Vec3& axis);
    JointType anyJoint();
    Group& openGroup();
    void closeGroup(bool isTied, bool hasLoop);

    // ---- parts: each adds one skeleton (a group)
    void addTree(int bodies, bool isTied);  // build_trees.cpp
    void addDoll();
    void addSingle();
    void addStack(int bodies);
    void addSpinner();
    void addLoop(int bodies);  // build_loops.cpp

    // ---- what acts on it
    void place();       // each skeleton turned and put somewhere
    void addForces();   // build_forces.cpp: springs, dampers, limits, dry friction, armature
    void addDrives();   // build_drives.cpp: motors, controllers, prescribed motion, loads
    void addExtras();   // build_extras.cpp: torque functions, targets, switches, other coordinates
    void addStart();    // coordinates and velocities
    void addContact();  // build_contact.cpp: contact, ground, obstacles, and places where nothing overlaps
    // build_unsolvable.cpp: a whole scene that contradicts itself, or whose friction has no answer.
    void addUnsolvable();
    void turnAndMove();  // the whole scene

private:
    // Joints with forces of their own must not close a loop among themselves; true: this one may have some.
    bool mayForce(const JointDescription& joint);
    std::vector<std::array<std::string, 2>> forced_;

    void movePart(const Group& group, const Pose& by);
    void addSpring(JointDescription& joint);
    void addLimits(JointDescription& joint);
    Signal signal(double size, bool isMotion);
    void addMotor(const JointDescription& joint);
    void addController(const JointDescription& joint);
    void addPrescribed();
    void addLoad();
    void addCoupling();
    void addTorqueFunction(JointDescription& joint);
    void addTarget();
    void addSwitch();
    void addObstacles(std::vector<PlacedShape>& there);
    void addTerrain();
    void restOn(const Vec3& up, std::vector<PlacedShape>& there);
    // N·m, N: what gravity has on the lighter of a joint's bodies.
    double loadOf(const JointDescription& joint) const;

    Shape linkShape(double length, double radius);
    Shape lumpShape(double size);
    void addPlanarLoop(int bars, bool isTied);
    void addParallelogram(bool isTied);
    void addRing(int beads, bool isTied);
    void addBennett(bool isTied);
    void addSliderCrank();
    void addClosedTree(int bodies);
};

constexpr int worldIndex = -1;

}  // namespace sinew::test
