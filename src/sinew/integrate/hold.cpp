#include "sinew/integrate/hold.h"

#include <algorithm>
#include <cmath>

#include "sinew/integrate/step_work.h"
#include "sinew/math/turn.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr int mostCorrections = 3;

class Hold {
public:
    Hold(const Model& model, const LargeVector<BodyState>& start, double h, std::vector<Contact>& contacts,
         State& state, StepWork& work)
        : model_(model),
          start_(start),
          h_(h),
          contacts_(contacts),
          state_(state),
          work_(work),
          w_(work.constraints),
          shallow_(10 * closedGap(model))
    {
        // What is fallen through in a step is undone to a thousandth; where nothing falls, what counts as
        // closed is left alone, so that momenta are not touched for it.
        negligible_ = fallen() > 0 ? std::min(1e-3 * fallen(), shallow_) : shallow_;
    }

    bool run()
    {
        setTargets();
        double deepest = measure();
        if (deepest <= negligible_) return false;
        factorInertia(model_, state_, h_, work_);
        addRows();
        work_.impulses.whole = state_.bodies;
        work_.joint.trialCorrection.setZero(model_.freedomCount);
        for (int k = 0; k < mostCorrections && deepest > negligible_; ++k) {
            correct();
            deepest = measure();
        }
        for (int i = 0; i < model_.size(); ++i) {
            state_.bodies[i].velocity = work_.impulses.whole[i].velocity;
            state_.bodies[i].angularVelocity = work_.impulses.whole[i].angularVelocity;
        }
        for (Contact& contact : contacts_) contact.gap = contactGap(contact, state_);
        return true;
    }

private:
    static Vec3 anchor(const LargeVector<BodyState>& bodies, int body, const Vec3& point)
    {
        return body < 0 ? point : Vec3(bodies[body].position + bodies[body].orientation * point);
    }
    static Vec3 offset(const LargeVector<BodyState>& bodies, const Contact& c)
    {
        return anchor(bodies, c.bodyB, c.pointB) - anchor(bodies, c.bodyA, c.pointA);
    }
    double startGap(const Contact& c) const
    {
        return c.normal.dot(offset(start_, c)) - c.roundA - c.roundB;
    }

    // Of a depth from before the step, what comes out in it.
    double recovered(double depth) const
    {
        constexpr double part = 0.2;  // noise of the geometry dies out instead of ringing
        return depth <= shallow_ ? 0 : std::max(part * depth, std::min(depth, fallen()));
    }
    // The farthest that gravity takes anything in a step, with any integrator.
    double fallen() const { return model_.gravity.norm() * h_ * h_; }

    // How far a contact will part in a step as long as this, by itself or as it bounces.
    double partingOf(const Contact& contact) const
    {
        const double v = contactVelocity(contact, state_.bodies)[0];
        return h_ * std::max(bounces(model_, contact, state_) ? -contact.restitution * v : v, 0.0);
    }

    void setTargets()
    {
        w_.targets.clear();
        for (const Contact& contact : contacts_) {
            const double before = startGap(contact), gap = contactGap(contact, state_);
            double target = before < 0 ? before + recovered(-before) : 0;
            // It need not be closer than what counts as closed, nor out before it has had time to part.
            if (before >= 0 && gap >= -shallow_) target = std::min(gap, 0.0);
            const double parting = partingOf(contact);
            target = std::min(target, -parting);
            // Gravity does not take it back: it gets out, now or later.
            if (parting > std::max(fallen(), 1e-6 * -gap)) target = std::min(target, gap);
            w_.targets.push_back(target);
        }
    }

    // d of all contacts; returns how much the deepest is below its target.
    double measure()
    {
        w_.motion.clear();
        double deepest = 0;
        for (std::size_t c = 0; c < contacts_.size(); ++c) {
            const Contact& contact = contacts_[c];
            const Mat3 frame = contactFrame(contact.normal);
            const double before = startGap(contact), gap = contactGap(contact, state_);
            Vec3 d = frame * (offset(state_.bodies, contact) - offset(start_, contact));
            // How a body turns under what is round of it is slip too.
            for (int side = 0; side < 2; ++side) {
                const int body = side == 0 ? contact.bodyA : contact.bodyB;
                const double round = side == 0 ? contact.roundA : contact.roundB;
                if (body < 0 || round == 0) continue;
                const BodyState& now = state_.bodies[body];
                const Vec3 turned = turnNear(h_ * now.angularVelocityWorld(),
                                             now.orientation * start_[body].orientation.conjugate());
                d.tail<2>() -= round * (frame * turned.cross(contact.normal)).tail<2>();
            }
            // What was apart slips only from when it touched.
            if (before > 0) d.tail<2>() *= gap < 0 ? gap / (gap - before) : 0;
            d[0] = gap - w_.targets[c];
            deepest = std::max(deepest, -d[0]);
            w_.motion.push_back(d);
        }
        return deepest;
    }

    void addRows()
    {
        clearForSkeletons(model_, w_.delassus, w_.freedoms);
        w_.blocks.clear();
        for (const Contact& contact : contacts_) {
            BodyRows rows[2];
            setContactRows(contact, state_.bodies, rows[0], rows[1]);
            addFigureRows(model_, work_.joint.links, state_.bodies, rows[0], rows[1], w_.delassus);
            ConstraintBlock block;
            block.friction = contact.friction;
            // A force over the step moves by half of what the same impulse does in one go.
            block.impulse = 0.5 * h_ * contact.impulse;
            w_.blocks.push_back(block);
        }
        addLoops();
        w_.rowsWork.parts.clear();
        solveFigureRows(model_, work_.joint.links, w_.delassus, w_.rowsWork);
    }

    // They stay as they are.
    void addLoops()
    {
        const auto add = [&](int rows) {
            ConstraintBlock block;
            block.kind = ConstraintBlock::Kind::equality;
            block.rows = rows;
            w_.blocks.push_back(block);
        };
        BodyRows rows[4];
        Vec3 d[2];
        for (const LoopJoint& loop : model_.loops) {
            if (!loop.holds(state_.time)) continue;
            setLoopRows(loop, state_.bodies, rows, d);
            for (int k = 0; k < loopBlocks(loop); ++k) {
                addFigureRows(model_, work_.joint.links, state_.bodies, rows[2 * k], rows[2 * k + 1],
                              w_.delassus);
                add(std::min(3, loop.rows() - 3 * k));
            }
        }
        for (const Coupling& coupling : model_.couplings) {
            addCouplingRow(model_, coupling, w_.delassus);
            add(1);
        }
    }

    // One solve for the whole displacement, of which work.joint.trialCorrection has been made already.
    void correct()
    {
        double largest = 0;
        for (std::size_t c = 0; c < contacts_.size(); ++c) {
            w_.blocks[c].offset = w_.motion[c] - figureMotion(model_, w_.delassus, static_cast<int>(c),
                                                              work_.joint.trialCorrection);
            largest = std::max(largest, w_.blocks[c].offset.norm());
        }
        solveAndNote(model_, largest, work_);
        work_.joint.correction.setZero(model_.freedomCount);
        addUnitMotions(model_, w_.delassus, work_.joint.correction);
        for (const Joint& joint : model_.joints) {
            Vec6 part;
            double q[7];
            for (int i = 0; i < joint.freedoms(); ++i)
                part[i] = work_.joint.correction[joint.u + i] - work_.joint.trialCorrection[joint.u + i];
            std::copy_n(state_.q.data() + joint.q, joint.coordinates(), q);
            jointRetract(joint, q, part.data(), state_.q.data() + joint.q);
        }
        work_.joint.trialCorrection = work_.joint.correction;
        bodiesFromJoints(model_, state_);
    }

    const Model& model_;
    const LargeVector<BodyState>& start_;
    double h_;
    std::vector<Contact>& contacts_;
    State& state_;
    StepWork& work_;
    ConstraintWork& w_;
    double shallow_, negligible_ = 0;  // m
};

}  // namespace

bool holdPlaces(const Model& model, const LargeVector<BodyState>& start, double h,
                std::vector<Contact>& contacts, State& state, StepWork& work)
{
    if (contacts.empty()) return false;
    return Hold(model, start, h, contacts, state, work).run();
}

}  // namespace sinew
