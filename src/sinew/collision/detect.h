// Broad and narrow phase together: the contacts of a scene at a state.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sinew/collision/box_tree.h"
#include "sinew/collision/manifold.h"
#include "sinew/state/state.h"

namespace sinew {

// Memory from step to step. It changes how long an answer takes, not the answer. What it keeps of a model
// is made anew where another model comes along; a copy starts afresh.
class Collisions {
public:
    Collisions() = default;
    Collisions(const Collisions&) {}
    Collisions& operator=(const Collisions&);
    Collisions(Collisions&&) = default;
    Collisions& operator=(Collisions&&) = default;

    // Replaces `contacts` by those at state.bodies, of all pairs that may collide: what is in touch, and
    // what is nearer than it can get within h at its present velocity, or than `nearby`. At most four to a
    // pair of convex shapes, and four more that a turn within h will bring in place of them. Sorted by
    // colliders and feature; the same state gives the same bits.
    void detect(const Model& model, const State& state, double h, std::vector<Contact>& contacts);

    // From now on `h` finds what can be reached if bodies go on as they move now or are stopped, instead of
    // all that is so near in any direction: fewer places, for whom a contact that is found a step late
    // costs little.
    void boundBySpeeds(bool isBound) { wishes_.isBound = isBound; }
    // Pairs whose places were known before and have hardly moved since keep these, sorted as detect()
    // leaves them: what rests goes on resting on the same places. Null: all are found anew.
    void keepPlaces(const std::vector<Contact>* known) { wishes_.known = known; }
    // Only pairs that one of these bodies takes part in: per body, 1. Null: all.
    void lookAt(const std::vector<char>* bodies) { wishes_.onlyOf = bodies; }
    // No pair that one of these takes part in.
    void leaveOut(const std::vector<char>* bodies) { wishes_.leftOut = bodies; }

    // How deep anything is in anything else at state.bodies, m; 0 without `contact`.
    double depth(const Model& model, const State& state);

    // Whether something gets farther within h than detect() looks, by more than `slack`, m: what speeds up.
    bool outruns(const Model& model, const State& start, const State& end, double h, double slack) const;

    // Whether two colliders, apart at `start`, come together within h on the way to `end`: straight,
    // turning evenly. By conservative advancement: never farther than the gap, over the most that any point
    // moves (Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, 1996).
    bool meet(const Model& model, const State& start, const State& end, double h, int a, int b);

    // What a step can hold: a contact takes some 4 kB and 50 µs of it. N bodies in one place have N² / 2.
    // Where there are more, detect() finds none and notes it.
    static constexpr std::size_t mostContacts = 200'000, mostPairs = 4'000'000;
    // Whether that was so since this was last asked.
    bool takeTooMany() { return std::exchange(tooMany_, false); }

    // What may be reached from rest within h, and a little of what is small in the scene, m.
    static double nearby(const Model& model, double h)
    {
        return 0.05 * model.contactLength + model.gravity.norm() * h * h;
    }

private:
    // A collider of the model, and where it is now.
    struct Placed {
        const Collider* source = nullptr;
        const void* data = nullptr;  // of its mesh or terrain, to know it again
        std::size_t size = 0;        //
        ConvexFaces faces;
        std::unique_ptr<TerrainTriangles> triangles;
        double reach = 0;  // from the centre of mass
        int box = -1;      // in the tree; terrain has none
        Pose pose;
        double travel = 0;  // how far any of its points can get within h
        double turns = 0;   // the part of it that is due to its spin
    };

    bool isOf(const Model& model) const;
    void prepare(const Model& model);
    bool place(const Model& model, const State& state, double h);
    void addPair(const Model& model, const State& state, double h, int a, int b,
                 std::vector<Contact>& contacts);
    bool keepsPlaces(const Model& model, const State& state, double h, int a, int b,
                     std::vector<Contact>& contacts) const;
    double reachAlong(const Model& model, const State& state, double h, int a, int b,
                      const Vec3& normal) const;
    bool findAll(const Model& model, const State& state, double h, std::vector<Contact>& contacts);
    void findPair(const Model& model, int a, int b, const Pose& poseA, double reach);
    void addTurned(const Model& model, const State& state, double h, int a, int b, double reach,
                   std::vector<Contact>& contacts);

    std::vector<Placed> colliders_;
    double nearby_ = 0;
    double placedFor_ = -1;     // the `nearby_` that the boxes of what stands still are for
    std::vector<int> boxed_;    // colliders by id in the tree, ascending
    std::vector<int> terrain_;  // the others
    BoxTree tree_{0};
    bool tooMany_ = false;
    // What whoever asks wants of the answer.
    struct Wishes {
        bool isBound = false;
        const std::vector<char>*onlyOf = nullptr, *leftOut = nullptr;
        const std::vector<Contact>* known = nullptr;
    } wishes_;
    std::vector<std::pair<int, int>> pairs_;
    ManifoldWork work_;
    Manifold manifold_;
    std::vector<Contact> inside_;  // of depth()
};

// The order that detect() leaves contacts in.
bool isBefore(const Contact& a, const Contact& b);

// Takes the impulses of the same places over. A place that was not there before gets that of the nearest of
// the pair, not farther than `near`, which no other has taken. Both are sorted as detect() leaves them;
// `carried` is memory.
void carryImpulses(const std::vector<Contact>& before, std::vector<Contact>& now, double near,
                   std::vector<char>& carried);
// As far as a place may have moved from one step to the next.
inline double carryingDistance(const Model& model)
{
    return 0.2 * model.contactLength;
}

}  // namespace sinew
