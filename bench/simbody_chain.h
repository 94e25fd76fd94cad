// A chain in Simbody behind plain numbers: Simbody's headers cannot be read as C++20, nor ours as C++17.
#pragma once

#include <memory>
#include <vector>

namespace sinew::bench {

// Vectors are x, y, z; matrices are row by row; frames as in sinew::Joint.
struct SimbodyLink {
    int parent = -1;
    double mass = 0, stiffness = 0, damping = 0;
    bool isHinge = false;
    double inertia[9] = {}, R_PC_rest[9] = {}, axes[9] = {};  // z of `axes`: of the hinge, child axes
    double anchorParent[3] = {}, anchorChild[3] = {};
};

struct SimbodyPose {
    double position[3], orientation[4];      // w, x, y, z
    double velocity[3], angularVelocity[3];  // world axes
};

enum class SimbodyMethod : int {
    merson,     // explicit Runge-Kutta with error control, what Simbody's examples use
    bdf,        // CPodes: implicit with error control
    fixedEuler  // one evaluation a step
};

class SimbodyChain {
public:
    SimbodyChain(const std::vector<SimbodyLink>& links, const double gravity[3], double h,
                 SimbodyMethod method);
    ~SimbodyChain();
    void stepTo(double time);
    void read(std::vector<SimbodyPose>& poses) const;
    long stepsTaken() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace sinew::bench
