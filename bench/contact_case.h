// What the contact benchmark simulates, described once, and the one judge of all engines. They take masses,
// shapes, anchors and springs from the compiled Model of a case and hand over nothing but poses, velocities
// and how many contact points they work on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sinew/geometry/distance.h"
#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew::bench {

struct ContactCase {
    std::string title;
    Description description;
    Model model;
    double step = 1.0 / 60;  // s
    double duration = 5;     // s
    bool isFigure = false;   // it shall stand; the others shall come to rest
    double friction = 0;
};

// A block of 10 × 10 × 10 boxes, 0.2 m and 8 kg each, a little apart and askew, falls half a metre.
ContactCase fallingBoxes();
// Sixteen bones of 73 kg on two box feet, ball joints with stiff springs, 5 mm above the ground.
ContactCase standingFigure();

class ContactEngine {
public:
    virtual ~ContactEngine() = default;
    // One step of the case, with all that it takes: finding contacts, solving, moving. False: it gave up.
    virtual bool step() = 0;
    // Poses and velocities, in the order of the model.
    virtual void read(LargeVector<BodyState>& bodies) = 0;
    // Points that the last step worked on.
    virtual int contacts() const = 0;
};

struct ContactVariant {
    std::string name;
    std::string about;
    std::function<bool(const ContactCase&)> knows;
    std::function<std::unique_ptr<ContactEngine>(const ContactCase&)> make;
};

// One file each; what is not installed is not there.
std::vector<ContactVariant> sinewContactVariants();
std::vector<ContactVariant> bulletContactVariants();
std::vector<ContactVariant> odeContactVariants();

// The only shape of each body, by tree index. It lies at the centre of mass, along the body's axes.
const Shape& shapeOf(const ContactCase& scene, int body);

class ContactJudge {
public:
    explicit ContactJudge(const ContactCase& scene);
    LargeVector<BodyState>& bodies() { return state_.bodies; }  // to be filled by the engine

    bool isFinite() const;
    double kineticEnergy() const;  // J
    double jointGap() const;       // m, of the worst joint
    double farthest() const;       // m, of any body from the origin
    double groundDepth() const;    // m, of the deepest point below the plane y = 0
    double pairDepth();            // m, of the deepest pair of bodies that may collide
    // m, of the body that was highest at rest from where it was then: the head of a figure.
    double topDisplacement() const;

private:
    struct Extent {
        Vec3 low, high;
        int body;
    };
    const ContactCase& scene_;
    State state_;
    int top_ = 0;
    std::vector<Extent> extents_;
    DistanceWork work_;
};

}  // namespace sinew::bench
