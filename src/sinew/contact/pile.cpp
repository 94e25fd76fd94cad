#include "sinew/contact/pile.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using Vector = Vector3<double>;

Symmetric3<double> turnedInverse(const PileBody& body)
{
    const Mat3 R = body.orientation.toRotationMatrix();
    const Mat3 m = R * body.inverseInertia * R.transpose();
    return {m(0, 0),
            m(1, 1),
            m(2, 2),
            0.5 * (m(0, 1) + m(1, 0)),
            0.5 * (m(0, 2) + m(2, 0)),
            0.5 * (m(1, 2) + m(2, 1))};
}

// What does not move, as a body.
PileBody makeWorld()
{
    PileBody world;
    world.x = world.v = world.w = world.pull = world.twist = Vector::zero();
    world.startV = world.startW = world.gainV = world.gainW = Vector::zero();
    world.orientation = Quat::Identity();
    world.inertia.setZero();
    world.inverseInertia.setZero();
    world.turning = Symmetric3<double>::diagonal(0);
    return world;
}

class IslandStep {
public:
    IslandStep(Pile& pile, PileIsland& island, const PileSettings& settings)
        : bodies_(pile.bodies.data()),
          contacts_(pile.contacts.data() + island.firstContact),
          first_(island.firstBody),
          end_(island.firstBody + island.bodyCount),
          count_(island.contactCount),
          pairs_(pile.pairs.data() + island.firstContact),
          pairCount_(island.pairCount),
          settings_(settings),
          h_(settings.step / settings.parts),
          report_(island.report)
    {
    }

    void run()
    {
        for (int c = 0; c < count_; ++c) contacts_[c].sum = contacts_[c].turnSum = Vector::zero();
        for (int part = 0; part < settings_.parts; ++part) {
            begin();
            const double left = sweepUntilStill(settings_.sweeps);
            bounce();
            limitEnergy();
            if (settings_.restSpeed > 0) rest();
            advance();
            note(left);
        }
        takeDepthBack();
    }

private:
    PileBody& body(int i) { return i < 0 ? world_ : bodies_[i]; }

    void begin()
    {
        for (int i = first_; i < end_; ++i) {
            PileBody& b = bodies_[i];
            if (!b.isRound || isFirst_) b.turning = turnedInverse(b);
            b.startV = b.v;
            b.startW = b.w;
            b.isHeld = false;
        }
        for (int c = 0; c < count_; ++c) place(contacts_[c]);
        for (int c = 0; c < count_; ++c) contacts_[c].approach = dot(contacts_[c].n, slip(contacts_[c]));
        for (int i = first_; i < end_; ++i) {
            bodies_[i].v += h_ * bodies_[i].pull;
            bodies_[i].w += h_ * bodies_[i].twist;
        }
        for (int c = 0; c < count_; ++c) {
            PileContact& contact = contacts_[c];
            if (contact.impulse.x == 0) continue;
            push(contact, contact.impulse);
            if (contact.rolling > 0 || contact.spinning > 0) twist(contact, contact.turn);
        }
        isFirst_ = false;
    }

    // Arms, gap and mobilities where the bodies are now.
    void place(PileContact& c)
    {
        PileBody &a = body(c.a), &b = body(c.b);
        c.armA = arm(a, c.anchorA, c.roundA, c.n);
        c.armB = arm(b, c.anchorB, -c.roundB, c.n);
        c.gap = dot(c.n, b.x - a.x + (c.armB - c.armA));
        c.aim = c.gap > 0 ? -c.gap / h_ : 0;
        const Vector an = cross(c.armA, c.n), bn = cross(c.armB, c.n);
        const Vector as = cross(c.armA, c.s), bs = cross(c.armB, c.s);
        const Vector at = cross(c.armA, c.t), bt = cross(c.armB, c.t);
        const Vector ian = a.turning * an, ibn = b.turning * bn;
        const Vector ias = a.turning * as, ibs = b.turning * bs;
        const double light = a.lightness + b.lightness;
        c.inverseN = 1 / (light + dot(an, ian) + dot(bn, ibn));
        c.ns = dot(as, ian) + dot(bs, ibn);
        c.nt = dot(at, ian) + dot(bt, ibn);
        const double ss = light + dot(as, ias) + dot(bs, ibs);
        const double tt = light + dot(at, a.turning * at) + dot(bt, b.turning * bt);
        const double st = dot(at, ias) + dot(bt, ibs);
        const double half = 0.5 * (ss - tt);
        c.inverseT = 1 / (0.5 * (ss + tt) + std::sqrt(half * half + st * st));
        if (c.rolling > 0 || c.spinning > 0) {
            const Symmetric3<double> both = a.turning + b.turning;
            c.inverseSpin = 1 / dot(c.n, both * c.n);
            c.inverseRoll = 1 / (trace(both) - dot(c.n, both * c.n));
        }
    }
    static Vector arm(const PileBody& body, const Vector& anchor, double round, const Vector& n)
    {
        const Vec3 turned = body.orientation * Vec3(anchor.x, anchor.y, anchor.z);
        return Vector{turned.x(), turned.y(), turned.z()} + round * n;
    }

    // Of B's surface against A's, world axes.
    Vector slip(const PileContact& c)
    {
        const PileBody &a = body(c.a), &b = body(c.b);
        return b.v + cross(b.w, c.armB) - a.v - cross(a.w, c.armA);
    }
    // The impulse along n, s and t, on B.
    void push(const PileContact& c, const Vector& along)
    {
        const Vector p = along.x * c.n + along.y * c.s + along.z * c.t;
        if (c.a >= 0) {
            PileBody& a = bodies_[c.a];
            a.v -= a.lightness * p;
            a.w -= a.turning * cross(c.armA, p);
        }
        if (c.b >= 0) {
            PileBody& b = bodies_[c.b];
            b.v += b.lightness * p;
            b.w += b.turning * cross(c.armB, p);
        }
    }
    void twist(const PileContact& c, const Vector& along)
    {
        const Vector p = along.x * c.n + along.y * c.s + along.z * c.t;
        if (c.a >= 0) bodies_[c.a].w -= bodies_[c.a].turning * p;
        if (c.b >= 0) bodies_[c.b].w += bodies_[c.b].turning * p;
    }

    // By how much it moves the contact, m/s.
    double relax(PileContact& c)
    {
        const Vector u = slip(c);
        const double now = dot(c.n, u) - c.aim;
        const double was = c.impulse.x;
        if (was == 0 && now >= 0) return 0;
        Vector change;
        const double normal = std::max(0., was - c.inverseN * now);
        change.x = normal - was;
        double y = c.impulse.y - c.inverseT * (dot(c.s, u) + c.ns * change.x);
        double z = c.impulse.z - c.inverseT * (dot(c.t, u) + c.nt * change.x);
        const double most = c.friction * normal, square = y * y + z * z;
        if (square > most * most) {
            const double part = most / std::sqrt(square);
            y *= part;
            z *= part;
        }
        change.y = y - c.impulse.y;
        change.z = z - c.impulse.z;
        c.impulse = {normal, y, z};
        push(c, change);
        if (c.rolling > 0 || c.spinning > 0) relaxTurn(c);
        return std::max(std::abs(change.x) / c.inverseN,
                        std::max(std::abs(change.y), std::abs(change.z)) / c.inverseT);
    }
    void relaxTurn(PileContact& c)
    {
        const Vector w = body(c.b).w - body(c.a).w;
        const double mostSpin = c.spinning * c.impulse.x, mostRoll = c.rolling * c.impulse.x;
        Vector turn;
        turn.x = std::clamp(c.turn.x - c.inverseSpin * dot(c.n, w), -mostSpin, mostSpin);
        turn.y = c.turn.y - c.inverseRoll * dot(c.s, w);
        turn.z = c.turn.z - c.inverseRoll * dot(c.t, w);
        const double size = std::sqrt(turn.y * turn.y + turn.z * turn.z);
        if (size > mostRoll) {
            turn.y *= mostRoll / size;
            turn.z *= mostRoll / size;
        }
        twist(c, turn - c.turn);
        c.turn = turn;
    }

    // What is still to do, m/s.
    double sweep(bool upward)
    {
        double most = 0;
        if (upward)
            for (int c = 0; c < count_; ++c) most = std::max(most, relax(contacts_[c]));
        else
            for (int c = count_ - 1; c >= 0; --c) most = std::max(most, relax(contacts_[c]));
        return most;
    }
    // Up and down, with conjugate directions (pile.h) between. The last sweep is a plain one.
    double sweepUntilStill(int sweeps)
    {
        double last = 0;
        for (int k = 2;; k += 2) {
            for (int c = 0; c < count_; ++c) contacts_[c].before = contacts_[c].impulse;
            sweep(true);
            const double left = sweep(false);
            report_.sweeps += 2;
            if (k >= sweeps || left * settings_.step <= settings_.tolerance) return left;
            last = goOn(last);
        }
    }
    // Beyond what two sweeps changed, by as much as the changes before say. `last`: the square of the size
    // of those; returns that of these.
    double goOn(double last)
    {
        double size = 0;
        for (int k = 0; k < count_; ++k) {
            const PileContact& c = contacts_[k];
            const Vector change = c.impulse - c.before;
            if (change.x == 0 && change.y == 0 && change.z == 0) continue;
            size +=
                change.x * change.x / c.inverseN + (change.y * change.y + change.z * change.z) / c.inverseT;
        }
        const double part = last > 0 && size <= last ? size / last : 0;
        for (int k = 0; k < count_; ++k) {
            PileContact& c = contacts_[k];
            const Vector change = c.impulse - c.before, on = part * c.direction;
            c.direction = last > 0 ? on + change : change;
            if (on.x == 0 && on.y == 0 && on.z == 0) continue;
            const Vector was = c.impulse;
            c.impulse = insideCone(c, was + on);
            push(c, c.impulse - was);
        }
        return size;
    }
    static Vector insideCone(const PileContact& c, Vector impulse)
    {
        impulse.x = std::max(0., impulse.x);
        const double most = c.friction * impulse.x;
        const double square = impulse.y * impulse.y + impulse.z * impulse.z;
        if (square <= most * most) return impulse;
        const double part = most / std::sqrt(square);
        return {impulse.x, part * impulse.y, part * impulse.z};
    }

    // What came on fast and has been stopped goes back by its share.
    void bounce()
    {
        bool any = false;
        for (int k = 0; k < count_; ++k) {
            PileContact& c = contacts_[k];
            if (!(c.restitution > 0) || !(c.impulse.x > 0) || !(c.approach < -settings_.bounceSpeed))
                continue;
            c.aim = -c.restitution * c.approach;
            any = true;
        }
        if (any) sweepUntilStill(settings_.sweeps);
    }

    // ΔE ≤ 0 (pile.h).
    void limitEnergy()
    {
        for (int k = 0; k < count_; ++k) {
            const PileContact& c = contacts_[k];
            if (!(c.impulse.x > 0)) continue;
            if (c.a >= 0) bodies_[c.a].isHeld = true;
            if (c.b >= 0) bodies_[c.b].isHeld = true;
        }
        double a = 0, b = 0, g = 0;
        for (int i = first_; i < end_; ++i) {
            PileBody& one = bodies_[i];
            if (!one.isHeld) continue;
            const Vector fall = h_ * one.pull, spun = h_ * one.twist;
            one.gainV = one.v - one.startV - fall;
            one.gainW = one.w - one.startW - spun;
            const Vector L = torqueOf(one, one.gainW);
            a += one.mass * dot(one.gainV, one.startV) + dot(L, one.startW);
            b += one.mass * dot(one.gainV, one.gainV) + dot(L, one.gainW);
            g += one.mass * dot(fall, fall) + dot(torqueOf(one, spun), spun);
        }
        if (!(b > 0) || 0.5 * b + a <= 0.5 * g) return;
        const double root = std::sqrt(a * a + b * g);
        // The same without a difference of what is all but equal.
        const double s = std::min(1., a > 0 ? g / (a + root) : (root - a) / b);
        for (int i = first_; i < end_; ++i) {
            PileBody& one = bodies_[i];
            if (!one.isHeld) continue;
            one.v -= (1 - s) * one.gainV;
            one.w -= (1 - s) * one.gainW;
        }
        for (int c = 0; c < count_; ++c) {
            contacts_[c].impulse = s * contacts_[c].impulse;
            contacts_[c].turn = s * contacts_[c].turn;
        }
    }
    // World inertia times a spin.
    static Vector torqueOf(const PileBody& body, const Vector& w)
    {
        if (body.isRound) return body.inertia(0, 0) * w;
        const Vec3 own = body.orientation.conjugate() * large(w);
        return small(Vec3(body.orientation * Vec3(body.inertia * own)));
    }

    // Bodies that hold each other in three places without slipping move as one, and stand still if they do
    // so with what does not move. Sweeps find that late where the stack is high: what is slower than their
    // weights would make it in a part is what they have left open.
    void rest()
    {
        constexpr double firmly = 0.99;  // of what friction can take
        constexpr double apart = 0.1;    // of the distance of two places: the third beside their line
        for (int k = 0; k < pairCount_; ++k) {
            pairs_[k].bearing = 0;
            pairs_[k].isFirm = false;
        }
        for (int k = 0; k < count_; ++k) {
            const PileContact& c = contacts_[k];
            PilePair& pair = pairs_[c.pair];
            const double most = firmly * c.friction * c.impulse.x;
            if (pair.isFirm || !(c.impulse.x > 0) ||
                !(c.impulse.y * c.impulse.y + c.impulse.z * c.impulse.z < most * most))
                continue;
            const Vector place = body(c.b).x + c.armB;
            if (pair.bearing == 0) pair.first = place;
            if (pair.bearing == 1) pair.second = place;
            if (pair.bearing++ < 2) continue;
            const Vector along = pair.second - pair.first, across = cross(along, place - pair.first);
            const double square = dot(along, along);
            pair.isFirm = dot(across, across) > apart * apart * square * square;
        }
        for (int i = first_; i < end_; ++i) {
            PileBody& b = bodies_[i];
            b.cluster = i;
            b.stands = false;
            b.isFast =
                !(std::sqrt(dot(b.v, b.v)) + b.reach * std::sqrt(dot(b.w, b.w)) < settings_.restSpeed);
        }
        for (int k = 0; k < pairCount_; ++k) {
            const PilePair& pair = pairs_[k];
            if (!pair.isFirm) continue;
            if (pair.a < 0 || pair.b < 0) {
                bodies_[clusterOf(std::max(pair.a, pair.b))].stands = true;
                continue;
            }
            const int a = clusterOf(pair.a), b = clusterOf(pair.b);
            if (a == b) continue;
            bodies_[b].cluster = a;
            bodies_[a].stands |= bodies_[b].stands;
            bodies_[a].isFast |= bodies_[b].isFast;
        }
        for (int i = first_; i < end_; ++i) {
            const PileBody& root = bodies_[clusterOf(i)];
            if (root.stands && !root.isFast) bodies_[i].v = bodies_[i].w = Vector::zero();
        }
    }
    int clusterOf(int i)
    {
        while (bodies_[i].cluster != i) i = bodies_[i].cluster = bodies_[bodies_[i].cluster].cluster;
        return i;
    }

    void advance()
    {
        for (int k = 0; k < count_; ++k) {
            PileContact& c = contacts_[k];
            if (!(c.impulse.x > 0)) continue;
            c.sum += c.impulse;
            c.turnSum += c.turn;
        }
        for (int i = first_; i < end_; ++i) {
            PileBody& b = bodies_[i];
            b.x += h_ * b.v;
            if (!b.isHeld) b.x -= (0.5 * h_ * h_) * b.pull;
            turnFreely(b, h_);
        }
    }

    // Euler's equations over h by the implicit midpoint: neither energy nor angular momentum changes.
    static void turnFreely(PileBody& b, double h)
    {
        if (b.isRound) {
            b.orientation = (expRotation(h * large(b.w)) * b.orientation).normalized();
            return;
        }
        constexpr double most = 0.3;  // rad at a time
        constexpr int newton = 4;
        const Vec3 own = b.orientation.conjugate() * large(b.w);
        const double angle = h * own.norm();
        if (angle == 0) return;
        const int times = static_cast<int>(std::min(1000., std::ceil(angle / most)));
        const double part = h / times;
        Vec3 w = own;
        for (int k = 0; k < times; ++k) {
            Vec3 m = w;
            for (int i = 0; i < newton; ++i) {
                const Vec3 L = b.inertia * m;
                const Vec3 r = b.inertia * Vec3(m - w) - 0.5 * part * L.cross(m);
                if (r.norm() <= 1e-15 * L.norm()) break;
                const Mat3 J = b.inertia + 0.5 * part * Mat3(tilde(m) * b.inertia - tilde(L));
                m -= J.inverse() * r;
            }
            const Vec3 half = 0.5 * part * m;
            b.orientation = (b.orientation * Quat(1, half[0], half[1], half[2])).normalized();
            w = 2 * m - w;
        }
        b.w = small(Vec3(b.orientation * w));
    }

    void note(double left)
    {
        const double moved = left * settings_.step;
        report_.complementarity = std::max(report_.complementarity, moved);
        report_.reachedCap |= moved > settings_.tolerance;
    }

    // Moves that take a part of every depth back, and close no gap beyond what there is of it.
    void takeDepthBack()
    {
        double deepest = 0;
        for (int k = 0; k < count_; ++k) {
            place(contacts_[k]);
            deepest = std::max(deepest, -contacts_[k].gap);
        }
        report_.penetration = deepest;
        if (deepest <= settings_.tolerance) return;
        for (int i = first_; i < end_; ++i) bodies_[i].gainV = bodies_[i].gainW = Vector::zero();
        for (int k = 0; k < count_; ++k) {
            PileContact& c = contacts_[k];
            c.push = 0;
            c.aim = c.gap > 0 ? -c.gap : std::min(-settings_.recovery * c.gap, settings_.mostRecovery);
        }
        for (int k = 0; k < settings_.depthSweeps; ++k) {
            if (k % 2 == 0)
                for (int c = 0; c < count_; ++c) moveOut(contacts_[c]);
            else
                for (int c = count_ - 1; c >= 0; --c) moveOut(contacts_[c]);
        }
        for (int i = first_; i < end_; ++i) {
            PileBody& b = bodies_[i];
            const Vec3 turn = large(b.gainW);
            if (dot(b.gainV, b.gainV) + turn.squaredNorm() == 0) continue;
            b.x += b.gainV;
            const Quat by = expRotation(turn);
            b.orientation = (by * b.orientation).normalized();
            // With its axes: the energy stays what it is.
            if (!b.isRound) b.w = small(Vec3(by * large(b.w)));
        }
    }
    void moveOut(PileContact& c)
    {
        PileBody &a = body(c.a), &b = body(c.b);
        const double move = dot(c.n, b.gainV + cross(b.gainW, c.armB) - a.gainV - cross(a.gainW, c.armA));
        const double push = std::max(0., c.push - c.inverseN * (move - c.aim));
        const double change = push - c.push;
        if (change == 0) return;
        c.push = push;
        const Vector p = change * c.n;
        if (c.a >= 0) {
            a.gainV -= a.lightness * p;
            a.gainW -= a.turning * cross(c.armA, p);
        }
        if (c.b >= 0) {
            b.gainV += b.lightness * p;
            b.gainW += b.turning * cross(c.armB, p);
        }
    }

    PileBody* bodies_;
    PileContact* contacts_;
    int first_, end_, count_;
    PilePair* pairs_;
    int pairCount_;
    const PileSettings& settings_;
    double h_;
    ConstraintReport& report_;
    PileBody world_ = makeWorld();
    bool isFirst_ = true;
};

}  // namespace

void Pile::step(PileIsland& island, const PileSettings& settings)
{
    island.report = ConstraintReport();
    IslandStep(*this, island, settings).run();
}

}  // namespace sinew
