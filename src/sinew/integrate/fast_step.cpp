#include "sinew/integrate/fast_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "sinew/base/parallel.h"
#include "sinew/force/laws.h"
#include "sinew/integrate/impacts.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/step_contacts.h"
#include "sinew/integrate/step_work.h"
#include "sinew/model/springs.h"
#include "sinew/state/contacts.h"

namespace sinew {
namespace {

// How often contacts are found anew in a step with blows, and the sweeps of each.
constexpr int roughLooks = 6, roughSweeps = 6;

int rootOf(std::vector<int>& set, int i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

class FastStep {
public:
    FastStep(const Model& model, double h, State& state, StepWork& work)
        : model_(model),
          h_(h),
          state_(state),
          work_(work),
          own_(*work.fast),
          contacts_(work.constraints.contacts)
    {
    }

    void run(const Method& method, const Integrator& integrator, ForceFunction forces)
    {
        findAll();
        forces(model_, state_, work_.forces);
        findLone();
        join();
        findPiles();
        own_.pushes = work_.forces.body;
        if (hasFigures_) stepFigures(method, integrator, forces);
        const double before = energyOfPiles();
        setSettings(1);
        for (Contact& c : contacts_) c.blow.setZero();
        const int looks = findRough() ? roughLooks : 1;
        if (looks > 1) setSettings(looks);
        for (int look = 1;; ++look) {
            makePile();
            stepPiles();
            placePiles();
            takeImpulses();
            if (look == looks) break;
            lookAgain();
            join();
            findRough();
        }
        if (work_.settings.measuresContacts) work_.statistics.contactEnergy += energyOfPiles() - before;
        keep();
    }

private:
    bool isAwake(int body) const { return body >= 0 && !isBodyAsleep(model_, state_, body); }

    void findAll()
    {
        Collisions& collisions = work_.constraints.collisions;
        collisions.boundBySpeeds(true);
        collisions.keepPlaces(&state_.contacts);
        work_.constraints.holdsAll = true;
        findContacts(model_, state_, h_, false, work_.constraints);
        work_.constraints.holdsAll = false;
        collisions.keepPlaces(nullptr);
        collisions.boundBySpeeds(false);
    }

    // Free bodies that explicit forces push.
    void findLone()
    {
        own_.isLone.assign(model_.skeletons.size(), 0);
        for (std::size_t s = 0; s < model_.skeletons.size(); ++s) {
            const Skeleton& skeleton = model_.skeletons[s];
            const Joint& root = model_.joints[skeleton.first];
            own_.isLone[s] = skeleton.count == 1 && root.isFree() && root.parent < 0 && !root.declared &&
                             root.armature == 0 && model_.bodies[skeleton.first].mass > 0;
        }
        const auto mark = [&](int body) {
            if (body >= 0) own_.isLone[model_.skeletonOf[body]] = 0;
        };
        for (const Spring& spring : model_.springs) {
            mark(spring.a.body);
            mark(spring.b.body);
        }
        for (const LoopJoint& loop : model_.loops) {
            mark(loop.child);
            mark(loop.joint.parent);
        }
        for (const Prescription& prescription : model_.prescribed) mark(prescription.joint);
        bodyForceTangents(model_, state_, work_.forces, own_.tangents);
        for (const BodyTangent& tangent : own_.tangents) mark(tangent.body);
        hasFigures_ = std::count(own_.isLone.begin(), own_.isLone.end(), 1) !=
                      static_cast<std::ptrdiff_t>(own_.isLone.size());
    }

    // Skeletons that may touch in this step are of one island.
    void join()
    {
        own_.island.resize(model_.skeletons.size());
        std::iota(own_.island.begin(), own_.island.end(), 0);
        for (const Contact& c : contacts_) {
            if (!isAwake(c.bodyA) || !isAwake(c.bodyB)) continue;
            const int a = rootOf(own_.island, model_.skeletonOf[c.bodyA]);
            const int b = rootOf(own_.island, model_.skeletonOf[c.bodyB]);
            own_.island[std::max(a, b)] = std::min(a, b);
        }
    }
    // For the whole step.
    void findPiles()
    {
        const int count = static_cast<int>(model_.skeletons.size());
        std::vector<char>& hasFigure = own_.mark;
        hasFigure.assign(model_.skeletons.size(), 0);
        for (int s = 0; s < count; ++s)
            if (!own_.isLone[s]) hasFigure[rootOf(own_.island, s)] = 1;
        own_.isPiled.assign(model_.skeletons.size(), 0);
        for (int s = 0; s < count; ++s)
            own_.isPiled[s] = own_.isLone[s] && !isAsleep(state_, s) && !hasFigure[rootOf(own_.island, s)];
        own_.isRough.assign(model_.bodies.size(), 0);
    }
    bool isPiled(int body) const { return body >= 0 && own_.isPiled[model_.skeletonOf[body]]; }
    // Between bodies of piles, or such a one and what does not move in the step.
    bool isPiles(const Contact& c) const
    {
        const auto fits = [&](int body) { return isPiled(body) || !isAwake(body); };
        return fits(c.bodyA) && fits(c.bodyB) && (isPiled(c.bodyA) || isPiled(c.bodyB));
    }
    int skeletonOf(const Contact& c) const
    {
        return model_.skeletonOf[isPiled(c.bodyA) ? c.bodyA : c.bodyB];
    }

    // Marks the bodies of islands in which something comes on fast: it will be thrown round within the
    // step, and touch where it is not known to. True if there are any.
    bool findRough()
    {
        constexpr double fast = 0.02;  // of the smallest body's size, in a step
        std::vector<char>& isRough = own_.mark;
        isRough.assign(model_.skeletons.size(), 0);
        bool any = false;
        for (const Contact& c : contacts_) {
            const double way = h_ * contactVelocity(c, state_.bodies)[0];
            if (!(way < -fast * model_.contactLength) || contactGap(c, state_) > -way) continue;
            isRough[rootOf(own_.island, skeletonOf(c))] = 1;
            any = true;
        }
        if (any)
            for (int i = 0; i < model_.size(); ++i)
                if (isPiled(i) && isRough[rootOf(own_.island, model_.skeletonOf[i])]) own_.isRough[i] = 1;
        return any;
    }

    // Contacts of rough islands anew, where their bodies are now, with the impulses that they had.
    void lookAgain()
    {
        Collisions& collisions = work_.constraints.collisions;
        collisions.boundBySpeeds(true);
        collisions.lookAt(&own_.isRough);
        collisions.detect(model_, state_, settings_.step, own_.found);
        collisions.lookAt(nullptr);
        collisions.boundBySpeeds(false);
        const auto isRough = [&](const Contact& c) {
            return (c.bodyA >= 0 && own_.isRough[c.bodyA]) || (c.bodyB >= 0 && own_.isRough[c.bodyB]);
        };
        own_.found.erase(std::remove_if(own_.found.begin(), own_.found.end(),
                                        [&](const Contact& c) { return !isPiles(c); }),
                         own_.found.end());
        for (const Contact& c : contacts_)
            if (!isRough(c)) own_.found.push_back(c);
        std::sort(own_.found.begin(), own_.found.end(), isBefore);
        carryImpulses(contacts_, own_.found, carryingDistance(model_), work_.constraints.carried);
        keepBlows();
        std::swap(contacts_, own_.found);
    }
    // What places have had in this step, of those that are no more too.
    void keepBlows()
    {
        const auto isEarlier = [](const Contact& a, const Contact& b) {
            return std::tie(a.colliderA, a.colliderB, a.feature) <
                   std::tie(b.colliderA, b.colliderB, b.feature);
        };
        auto now = own_.found.begin();
        for (const Contact& c : contacts_) {
            while (now != own_.found.end() && isEarlier(*now, c)) ++now;
            if (now != own_.found.end() && now->isSamePlace(c)) {
                now->blow = c.blow;
            } else if (c.blow[0] > 0) {
                own_.over.push_back(c);
                own_.over.back().impulse.setZero();
                own_.over.back().turning.setZero();
            }
        }
    }

    void makePile()
    {
        Pile& pile = own_.pile;
        pile.bodies.clear();
        pile.contacts.clear();
        pile.islands.clear();
        own_.skeletonOf.clear();
        own_.bodyOf.assign(model_.skeletons.size(), -1);
        std::vector<int>& islandOf = own_.numberOf;  // per root
        islandOf.assign(model_.skeletons.size(), -1);
        for (int s = 0; s < static_cast<int>(model_.skeletons.size()); ++s) {
            if (!own_.isPiled[s]) continue;
            int& island = islandOf[rootOf(own_.island, s)];
            if (island < 0) {
                island = static_cast<int>(pile.islands.size());
                pile.islands.emplace_back();
            }
            ++pile.islands[island].bodyCount;
        }
        const auto islandAt = [&](const Contact& c) -> PileIsland& {
            return pile.islands[islandOf[rootOf(own_.island, skeletonOf(c))]];
        };
        for (const Contact& c : contacts_) ++islandAt(c).contactCount;
        int bodies = 0, contacts = 0;
        for (PileIsland& island : pile.islands) {
            island.firstBody = bodies;
            island.firstContact = contacts;
            bodies += island.bodyCount;
            contacts += island.contactCount;
            island.bodyCount = island.contactCount = 0;
        }
        pile.bodies.resize(bodies);
        pile.contacts.resize(contacts);
        own_.skeletonOf.resize(bodies);
        for (int s = 0; s < static_cast<int>(model_.skeletons.size()); ++s) {
            if (!own_.isPiled[s]) continue;
            PileIsland& island = pile.islands[islandOf[rootOf(own_.island, s)]];
            const int at = island.firstBody + island.bodyCount++;
            own_.bodyOf[s] = at;
            own_.skeletonOf[at] = s;
            setBody(model_.skeletons[s].first, pile.bodies[at]);
        }
        pile.pairs.resize(contacts);
        int pair = 0;  // of the contact before, which is of the same pair or the last one of another
        for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
            PileIsland& island = islandAt(contacts_[c]);
            PileContact& made = pile.contacts[island.firstContact + island.contactCount++];
            setContact(c, made);
            if (c == 0 || contacts_[c].bodyA != contacts_[c - 1].bodyA ||
                contacts_[c].bodyB != contacts_[c - 1].bodyB) {
                pair = island.pairCount++;
                pile.pairs[island.firstContact + pair] = {made.a, made.b, 0, {}, {}, false};
            }
            made.pair = pair;
        }
        // From below to above, so that a sweep hands a weight on.
        for (const PileIsland& island : pile.islands) {
            const auto first = pile.contacts.begin() + island.firstContact;
            std::sort(first, first + island.contactCount, [](const PileContact& a, const PileContact& b) {
                return a.height != b.height ? a.height < b.height : a.source < b.source;
            });
        }
    }

    void setBody(int i, PileBody& b) const
    {
        const BodyState& now = state_.bodies[i];
        const Body& body = model_.bodies[i];
        b.x = small(now.position);
        b.v = small(now.velocity);
        b.orientation = now.orientation;
        b.w = small(now.angularVelocityWorld());
        b.inertia = body.inertia;
        b.inverseInertia = body.inverseInertia;
        const double moment = body.inertia(0, 0);
        b.isRound = (body.inertia - moment * Mat3::Identity()).cwiseAbs().maxCoeff() <= 1e-12 * moment;
        b.mass = body.mass;
        b.reach = model_.skeletons[model_.skeletonOf[i]].length;
        b.lightness = 1 / body.mass;
        const Force& force = own_.pushes[i];
        b.pull = small(Vec3(force.force / body.mass));
        const Quat& R = now.orientation;
        b.twist = small(Vec3(R * Vec3(body.inverseInertia * (R.conjugate() * force.torque))));
    }

    void setContact(int source, PileContact& c) const
    {
        const Contact& contact = contacts_[source];
        c = PileContact();
        c.source = source;
        const Mat3 frame = contactFrame(contact.normal);
        c.n = small(Vec3(frame.row(0)));
        c.s = small(Vec3(frame.row(1)));
        c.t = small(Vec3(frame.row(2)));
        const auto set = [&](int body, const Vec3& point, int& index, Vector3<double>& anchor) {
            index = body < 0 ? -1 : own_.bodyOf[model_.skeletonOf[body]];
            // What sleeps stands where it is.
            const bool isStill = body >= 0 && index < 0;
            anchor =
                small(isStill ? Vec3(state_.bodies[body].position + state_.bodies[body].orientation * point)
                              : point);
        };
        set(contact.bodyA, contact.pointA, c.a, c.anchorA);
        set(contact.bodyB, contact.pointB, c.b, c.anchorB);
        c.roundA = contact.roundA;
        c.roundB = contact.roundB;
        c.friction = contact.gripping();
        c.restitution = contact.restitution;
        c.rolling = contact.rollingFriction;
        c.spinning = contact.spinningFriction;
        const double part = settings_.step / (settings_.parts * h_);
        c.impulse = small(Vec3(part * contact.impulse));
        c.turn = small(Vec3(part * contact.turning));
        const int body = contact.bodyB >= 0 ? contact.bodyB : contact.bodyA;
        const Vec3& anchor = contact.bodyB >= 0 ? contact.pointB : contact.pointA;
        c.height =
            -model_.gravity.dot(state_.bodies[body].position + state_.bodies[body].orientation * anchor);
    }

    // In each of so many looks.
    void setSettings(int looks)
    {
        constexpr double ofWeight = 0.5;  // what sweeps may leave open of the fall in a step
        settings_ = PileSettings();
        if (looks > 1) {
            settings_.parts = 1;
            settings_.sweeps = roughSweeps;
        }
        settings_.sweeps *= own_.thoroughness;
        settings_.depthSweeps *= own_.thoroughness;
        settings_.step = h_ / looks;
        settings_.tolerance = *model_.contact->tolerance / looks;
        settings_.restSpeed = ofWeight * model_.gravity.norm() * h_;
        settings_.bounceSpeed = *model_.contact->bounceSpeed;
        settings_.recovery /= looks;
        settings_.mostRecovery =
            (0.3 * model_.gravity.norm() * h_ * h_ + 1e-4 * model_.contactLength) / looks;
    }

    void stepPiles()
    {
        Pile& pile = own_.pile;
        parallelFor(static_cast<int>(pile.islands.size()), 1, [&](int first, int end, int) {
            for (int i = first; i < end; ++i) pile.step(pile.islands[i], settings_);
        });
        for (const PileIsland& island : pile.islands)
            if (island.contactCount > 0) work_.statistics.note(island.report);
    }

    // Impulses as if all parts had been like the last one: that is what the next ones begin with. In `blow`
    // what it was all in all.
    void takeImpulses()
    {
        const double parts = settings_.parts * h_ / settings_.step;
        for (const PileContact& c : own_.pile.contacts) {
            Contact& contact = contacts_[c.source];
            contact.impulse = parts * large(c.impulse);
            contact.turning = parts * large(c.turn);
            contact.blow += large(c.sum);
            const int face = contact.face == Contact::Face::ofA   ? contact.bodyA
                             : contact.face == Contact::Face::ofB ? contact.bodyB
                                                                  : -1;
            if (isPiled(face)) contact.normal = (own_.turn[face] * contact.normal).normalized();
            // Friction is all used up: it slips, or is about to.
            contact.slipping =
                c.impulse.x > 0 && std::hypot(c.impulse.y, c.impulse.z) > 0.999 * c.friction * c.impulse.x;
        }
    }

    void placePiles()
    {
        own_.turn.resize(model_.bodies.size());
        for (std::size_t k = 0; k < own_.pile.bodies.size(); ++k) {
            const PileBody& b = own_.pile.bodies[k];
            const int i = model_.skeletons[own_.skeletonOf[k]].first;
            BodyState& body = state_.bodies[i];
            own_.turn[i] = b.orientation * body.orientation.conjugate();
            body.position = large(b.x);
            body.velocity = large(b.v);
            body.orientation = b.orientation;
            body.angularVelocity = b.orientation.conjugate() * large(b.w);
            const Joint& joint = model_.joints[i];
            jointCoordinatesOf(joint, nullptr, body, state_.q.data() + joint.q, state_.u.data() + joint.u);
        }
    }

    // If anybody wants to know what contacts bring: what moves, less what pushes beside them gives on the
    // way.
    double energyOfPiles() const
    {
        if (!work_.settings.measuresContacts) return 0;
        double sum = 0;
        for (int i = 0; i < model_.size(); ++i) {
            if (!isPiled(i)) continue;
            const BodyState& b = state_.bodies[i];
            sum += 0.5 * model_.bodies[i].mass * b.velocity.squaredNorm() +
                   0.5 * b.angularVelocity.dot(model_.bodies[i].inertia * b.angularVelocity) -
                   own_.pushes[i].force.dot(b.position);
        }
        return sum;
    }

    // Of figures with a fixed budget; false if it is not for them, or came to no end.
    bool stepFiguresWithin(const Method& method, const Integrator& integrator, ForceFunction forces)
    {
        if (method.coordinates != Coordinates::joint || !keepsFromFastFigures(model_).empty()) return false;
        for (int s = 0; s < static_cast<int>(own_.island.size()); ++s)
            own_.island[s] = rootOf(own_.island, s);
        contacts_.erase(std::remove_if(contacts_.begin(), contacts_.end(),
                                       [&](const Contact& c) { return isPiles(c); }),
                        contacts_.end());
        return stepFiguresFast(model_, integrator, forces, h_, own_.island, state_, work_, own_.figureStep);
    }
    // The step of those who are in no pile, whose bodies stay where they are.
    void stepFigures(const Method& method, const Integrator& integrator, ForceFunction forces)
    {
        own_.piles.clear();
        for (const Contact& c : contacts_)
            if (isPiles(c)) own_.piles.push_back(c);
        own_.start = state_.bodies;
        own_.leftOut.resize(model_.bodies.size());
        for (int i = 0; i < model_.size(); ++i) own_.leftOut[i] = isPiled(i);
        std::vector<Contact>& asleep = work_.constraints.asleep;
        own_.asleep = asleep;
        own_.figures.clear();
        work_.constraints.collisions.leaveOut(&own_.leftOut);
        if (stepFiguresWithin(method, integrator, forces)) {
            own_.figures = contacts_;
        } else {
            stepExactly(model_, method, integrator, forces, h_, state_, work_);
            for (const Contact& c : state_.contacts)
                if (isAwake(c.bodyA) || isAwake(c.bodyB)) own_.figures.push_back(c);
        }
        work_.constraints.collisions.leaveOut(nullptr);
        contacts_ = own_.piles;
        asleep = own_.asleep;
        for (int i = 0; i < model_.size(); ++i) {
            if (!isPiled(i)) continue;
            state_.bodies[i] = own_.start[i];
            const Joint& joint = model_.joints[i];
            jointCoordinatesOf(joint, nullptr, state_.bodies[i], state_.q.data() + joint.q,
                               state_.u.data() + joint.u);
            if (!state_.jumped.empty()) state_.jumped[model_.skeletonOf[i]] = 1;
        }
    }

    void keep()
    {
        if (!hasFigures_) {
            state_.previous.clear();
            state_.jumped.clear();
        }
        constexpr double rounding = 1e-12;
        for (Contact& c : contacts_) {
            const double size = rounding * c.blow.norm();
            c.blow -= c.impulse;
            if (c.blow.norm() <= size) c.blow.setZero();
        }
        contacts_.insert(contacts_.end(), own_.over.begin(), own_.over.end());
        if (hasFigures_) contacts_.insert(contacts_.end(), own_.figures.begin(), own_.figures.end());
        std::sort(contacts_.begin(), contacts_.end(), isBefore);
        own_.over.clear();
        keepContacts(state_, work_.constraints, h_, h_);
    }

    const Model& model_;
    double h_;
    State& state_;
    StepWork& work_;
    FastWork& own_;
    std::vector<Contact>& contacts_;
    PileSettings settings_;
    bool hasFigures_ = false;
};

}  // namespace

bool takesFastSteps(const Model& model)
{
    return model.contact && model.contact->accuracy == ContactDescription::Accuracy::fast;
}

void fastStep(const Model& model, const Method& method, const Integrator& integrator, ForceFunction forces,
              double h, State& state, StepWork& work)
{
    FastStep(model, h, state, work).run(method, integrator, forces);
}

}  // namespace sinew
