#include "sinew/soft/potential.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/trigonometry.h"
#include "sinew/soft/contact.h"
#include "sinew/soft/flow.h"

namespace sinew {
namespace {

Vec3 vertexOf(const VecX& x, int i)
{
    return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

void addTo(VecX& g, int i, const Vec3& part)
{
    for (int k = 0; k < 3; ++k) g[3 * i + k] += part[k];
}

void addBlock(double* block, const Mat3& part)
{
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) block[3 * j + i] += part(i, j);
}

Vec3 wayOf(const MeshTie& tie, const VecX& x)
{
    return vertexOf(x, tie.b) - vertexOf(x, tie.a);
}

// Tension and its slope by length.
struct Tension {
    double value = 0, slope = 0;
};
Tension tensionOf(const MeshSpring& spring, double length, double length0, double h)
{
    Tension t{spring.stiffness * (length - spring.rest), spring.stiffness};
    if (spring.limit > 0 && length > spring.limit) {
        const double extra = (SpringMeshDescription::limitFactor - 1) * spring.stiffness;
        t.value += extra * (length - spring.limit);
        t.slope += extra;
    }
    if (spring.damping > 0 && h > 0) {
        t.value += spring.damping / h * (length - length0);
        t.slope += spring.damping / h;
    }
    return t;
}
double springEnergy(const MeshSpring& spring, double length)
{
    const double stretch = length - spring.rest;
    double sum = 0.5 * spring.stiffness * stretch * stretch;
    if (spring.limit > 0 && length > spring.limit) {
        const double over = length - spring.limit;
        sum += 0.5 * (SpringMeshDescription::limitFactor - 1) * spring.stiffness * over * over;
    }
    return sum;
}

// The angle between two faces and how it changes with their corners (R. Bridson et al. 2003).
struct Fold {
    double angle = 0;
    std::array<Vec3, 4> gradient;
};
Fold foldAt(const MeshFold& fold, const VecX& x)
{
    const Vec3 a = vertexOf(x, fold.corner[0]), b = vertexOf(x, fold.corner[1]),
               c = vertexOf(x, fold.corner[2]), d = vertexOf(x, fold.corner[3]);
    const Vec3 edge = b - a;
    const double squared = edge.squaredNorm(), length = std::sqrt(squared);
    const Vec3 n = edge.cross(c - a), m = (d - b).cross(edge);
    Fold result;
    const double nn = n.squaredNorm(), mm = m.squaredNorm();
    if (!(squared > 0 && nn > 0 && mm > 0)) {
        for (Vec3& part : result.gradient) part = Vec3::Zero();
        return result;
    }
    result.angle = angleOf(n.cross(m).dot(edge) / length, n.dot(m));
    const Vec3 gc = -length / nn * n, gd = -length / mm * m;
    const double sc = (c - a).dot(edge) / squared, sd = (d - a).dot(edge) / squared;
    result.gradient = {Vec3(-(1 - sc) * gc - (1 - sd) * gd), Vec3(-sc * gc - sd * gd), gc, gd};
    return result;
}

// The way from one angle to another, over the cut at π.
double turnFrom(double from, double to)
{
    const double pi = 3.141592653589793;
    double turn = to - from;
    if (turn > pi) turn -= 2 * pi;
    if (turn < -pi) turn += 2 * pi;
    return turn;
}

// φ(s): the energy of friction per unit of μN after a way s; φ' goes from 0 to 1 (M. Li et al. 2020).
double frictionEnergy(double s, double way)
{
    return s >= way ? s - way / 3 : s * s / way - s * s * s / (3 * way * way);
}
// φ'(s)/s
double frictionSlope(double s, double way)
{
    return s >= way ? 1 / s : (2 - s / way) / way;
}

struct Slip {
    Vec3 way;
    double length;
};
Slip slipOf(const MeshContact& contact, const Vec3& at)
{
    Vec3 way = at - contact.carried;
    way -= contact.normal.dot(way) * contact.normal;
    return {way, way.norm()};
}

}  // namespace

double foldAngle(const MeshFold& fold, const VecX& x)
{
    return foldAt(fold, x).angle;
}

double foldTurn(const MeshFold& fold, const VecX& x, std::array<Vec3, 4>& gradient)
{
    const Fold at = foldAt(fold, x);
    gradient = at.gradient;
    return turnFrom(fold.rest, at.angle);
}

double springTension(const MeshSpring& spring, double length)
{
    return tensionOf(spring, length, length, 0).value;
}

double enclosedVolume(const SpringMesh& mesh, const VecX& x, int number)
{
    const MeshPart part = mesh.part(number);
    double six = 0;
    const Vec3 origin = vertexOf(x, part.vertex);
    for (int f = part.face; f < part.faceEnd; ++f) {
        const auto& face = mesh.faces[static_cast<std::size_t>(f)];
        six += (vertexOf(x, face[0]) - origin)
                   .dot((vertexOf(x, face[1]) - origin).cross(vertexOf(x, face[2]) - origin));
    }
    return six / 6;
}

double pressureEnergy(const SpringMesh& mesh, const VecX& x)
{
    double sum = 0;
    for (int p = 0; p < mesh.partCount(); ++p) {
        const MeshTraits& traits = *mesh.part(p).traits;
        if (traits.pressure == 0 && !(traits.bulk > 0)) continue;
        const double change = enclosedVolume(mesh, x, p) - traits.restVolume;
        sum += -traits.pressure * change + 0.5 * traits.bulk / traits.restVolume * change * change;
    }
    return sum;
}

GlidePlace MeshStep::glideAt(const MeshGlide& glide, const VecX& x) const
{
    return {around->poseAtEnd(glide.body), vertexOf(x, glide.vertex)};
}

GlidePlace MeshStep::glideBefore(const MeshGlide& glide) const
{
    return {around->poseAtStart(glide.body), vertexOf(x0, glide.vertex)};
}

void MeshStep::begin(const SpringMesh& itsMesh, const MeshState& state, const MeshSurroundings& itsAround,
                     double itsH)
{
    mesh = &itsMesh;
    around = &itsAround;
    h = itsH;
    x0 = state.x;
    v0 = state.v;
    y = x0 + h * v0;
    const int n = mesh->size();
    const Vec3 fall = h * h * around->model->gravity;
    for (int i = 0; i < n; ++i) addTo(y, i, fall);
    for (const MeshForce& force : mesh->forces) {
        const double weight = force.signal ? force.signal->at(around->time).value : 1;
        for (int i : force.vertices) addTo(y, i, h * h * weight / mesh->masses[i] * force.force);
    }
    length0.resize(mesh->springs.size());
    for (std::size_t s = 0; s < mesh->springs.size(); ++s)
        length0[s] = (vertexOf(x0, mesh->springs[s].b) - vertexOf(x0, mesh->springs[s].a)).norm();
    angle0.resize(mesh->folds.size());
    for (std::size_t f = 0; f < mesh->folds.size(); ++f) angle0[f] = foldAngle(mesh->folds[f], x0);
    isHeld.assign(n, 0);
    pinned.resize(mesh->pins.size());
    pinned0.resize(mesh->pins.size());
    for (std::size_t p = 0; p < mesh->pins.size(); ++p) {
        const MeshPin& pin = mesh->pins[p];
        pinned[p] = around->pointAtEnd(pin.body, pin.point);
        pinned0[p] = around->pointAtStart(pin.body, pin.point);
        if (pin.isRigid) isHeld[pin.vertex] = 1;
    }
    flow.resize(0);
    findContacts(*this, state);
}

bool MeshStep::hasFriction() const
{
    return std::any_of(contacts.begin(), contacts.end(), [](const MeshContact& contact) {
        return contact.friction > 0 && contact.pressed > 0;
    });
}

void MeshStep::lookAround(const VecX& x, bool looksAtFriction, bool looksAtFlow)
{
    placeContacts(*this, x, looksAtFriction);
    if (looksAtFlow && mesh->hasFlow()) flowForces(*this, x);
}

double MeshStep::energy(const VecX& x) const
{
    const double inertia = 0.5 / (h * h);
    double sum = 0;
    for (int i = 0; i < mesh->size(); ++i)
        if (!isHeld[i]) sum += inertia * mesh->masses[i] * (vertexOf(x, i) - vertexOf(y, i)).squaredNorm();
    for (std::size_t s = 0; s < mesh->springs.size(); ++s) {
        const MeshSpring& spring = mesh->springs[s];
        const double length = (vertexOf(x, spring.b) - vertexOf(x, spring.a)).norm(),
                     way = length - length0[s];
        sum += springEnergy(spring, length) + 0.5 * spring.damping / h * way * way;
    }
    for (std::size_t f = 0; f < mesh->folds.size(); ++f) {
        const MeshFold& fold = mesh->folds[f];
        const double angle = foldAngle(fold, x), turn = turnFrom(fold.rest, angle),
                     way = turnFrom(angle0[f], angle);
        sum += 0.5 * fold.stiffness * turn * turn + 0.5 * fold.damping / h * way * way;
    }
    sum += pressureEnergy(*mesh, x);
    for (std::size_t p = 0; p < mesh->pins.size(); ++p) {
        const MeshPin& pin = mesh->pins[p];
        if (pin.isRigid) continue;
        sum +=
            pinEnergy(pin, vertexOf(x, pin.vertex) - pinned[p], vertexOf(x0, pin.vertex) - pinned0[p], h);
    }
    for (const MeshTie& tie : mesh->ties) sum += pinEnergy(tie, wayOf(tie, x), wayOf(tie, x0), h);
    for (const MeshGlide& glide : mesh->glides)
        sum += glideEnergy(glide, glideAt(glide, x), glideBefore(glide), h);
    for (const MeshContact& contact : contacts) {
        const Vec3 at = vertexOf(x, contact.vertex);
        const double depth = contact.offset - contact.normal.dot(at);
        if (depth > 0) sum += 0.5 * contact.stiffness * depth * depth;
        if (contact.pressed > 0)
            sum += contact.friction * contact.pressed *
                   frictionEnergy(slipOf(contact, at).length, stickingWay(contact));
    }
    if (flow.size() > 0)
        for (int i = 0; i < mesh->size(); ++i) {
            const Vec3 way = vertexOf(x, i) - vertexOf(flowAt, i);
            sum += -vertexOf(flow, i).dot(way) + 0.5 / h * way.dot(flowDamping[i] * way);
        }
    return sum;
}

void MeshStep::gradient(const VecX& x, VecX& g) const
{
    fullGradient(x, g);
    for (int i = 0; i < mesh->size(); ++i)
        if (isHeld[i])
            for (int k = 0; k < 3; ++k) g[3 * i + k] = 0;
}

void MeshStep::fullGradient(const VecX& x, VecX& g) const
{
    g.resize(x.size());
    const double inertia = 1 / (h * h);
    for (int i = 0; i < mesh->size(); ++i)
        for (int k = 0; k < 3; ++k)
            g[3 * i + k] = inertia * mesh->masses[i] * (x[3 * i + k] - y[3 * i + k]);
    for (std::size_t s = 0; s < mesh->springs.size(); ++s) {
        const MeshSpring& spring = mesh->springs[s];
        const Vec3 way = vertexOf(x, spring.b) - vertexOf(x, spring.a);
        const double length = way.norm();
        if (!(length > 0)) continue;
        const Vec3 pull = tensionOf(spring, length, length0[s], h).value / length * way;
        addTo(g, spring.a, -pull);
        addTo(g, spring.b, pull);
    }
    for (std::size_t f = 0; f < mesh->folds.size(); ++f) {
        const MeshFold& fold = mesh->folds[f];
        const Fold at = foldAt(fold, x);
        const double torque = fold.stiffness * turnFrom(fold.rest, at.angle) +
                              fold.damping / h * turnFrom(angle0[f], at.angle);
        for (int k = 0; k < 4; ++k) addTo(g, fold.corner[k], torque * at.gradient[k]);
    }
    for (int p = 0; p < mesh->partCount(); ++p) {
        const MeshPart part = mesh->part(p);
        const MeshTraits& traits = *part.traits;
        if (traits.pressure == 0 && !(traits.bulk > 0)) continue;
        const double change = enclosedVolume(*mesh, x, p) - traits.restVolume;
        addVolumeSlope(part, -traits.pressure + traits.bulk / traits.restVolume * change, x, g);
    }
    for (std::size_t p = 0; p < mesh->pins.size(); ++p) {
        const MeshPin& pin = mesh->pins[p];
        if (pin.isRigid) continue;
        addTo(g, pin.vertex,
              pinPull(pin, vertexOf(x, pin.vertex) - pinned[p], vertexOf(x0, pin.vertex) - pinned0[p], h));
    }
    for (const MeshTie& tie : mesh->ties) {
        const Vec3 pull = pinPull(tie, wayOf(tie, x), wayOf(tie, x0), h);
        addTo(g, tie.b, pull);
        addTo(g, tie.a, -pull);
    }
    for (const MeshGlide& glide : mesh->glides)
        addTo(g, glide.vertex, glidePull(glide, glideAt(glide, x), glideBefore(glide), h));
    for (const MeshContact& contact : contacts)
        addTo(g, contact.vertex, -contactForce(*this, contact, vertexOf(x, contact.vertex)));
    if (flow.size() > 0)
        for (int i = 0; i < mesh->size(); ++i)
            addTo(
                g, i,
                -vertexOf(flow, i) + 1 / h * (flowDamping[i] * Vec3(vertexOf(x, i) - vertexOf(flowAt, i))));
}

// A third of the area vector each: of a closed mesh the same as the derivative of the volume.
void MeshStep::addVolumeSlope(const MeshPart& part, double push, const VecX& x, VecX& g) const
{
    const Vec3 origin = vertexOf(x, part.vertex);
    for (int f = part.face; f < part.faceEnd; ++f) {
        const auto& face = mesh->faces[static_cast<std::size_t>(f)];
        const Vec3 a = vertexOf(x, face[0]) - origin, b = vertexOf(x, face[1]) - origin,
                   c = vertexOf(x, face[2]) - origin;
        const Vec3 third = push / 6 * (b - a).cross(c - a);
        for (int i : face) addTo(g, i, third);
    }
}

Vec3 contactForce(const MeshStep& step, const MeshContact& contact, const Vec3& at)
{
    Vec3 force = Vec3::Zero();
    const double depth = contact.offset - contact.normal.dot(at);
    if (depth > 0) force += contact.stiffness * depth * contact.normal;
    if (contact.pressed > 0) {
        const Slip slip = slipOf(contact, at);
        force -= contact.friction * contact.pressed *
                 frictionSlope(slip.length, step.stickingWay(contact)) * slip.way;
    }
    return force;
}

Mat3 contactStiffness(const MeshStep& step, const MeshContact& contact, const Vec3& at)
{
    Mat3 stiffness = Mat3::Zero();
    const Vec3& n = contact.normal;
    if (contact.offset - n.dot(at) > 0) stiffness += contact.stiffness * (n * n.transpose());
    if (contact.pressed > 0) {
        const Slip slip = slipOf(contact, at);
        const double way = step.stickingWay(contact), slope = frictionSlope(slip.length, way);
        Mat3 across = slope * (Mat3::Identity() - n * n.transpose());
        // The slope falls along the slip; what is left is positive, or zero once it slides.
        if (slip.length > 0) {
            const double along = slip.length >= way ? 0 : 2 * (1 - slip.length / way) / way;
            across -= (slope - along) / (slip.length * slip.length) * (slip.way * slip.way.transpose());
        }
        stiffness += contact.friction * contact.pressed * across;
    }
    return stiffness;
}

void MeshStep::hessian(const VecX& x, MeshHessian& H, HessianParts parts) const
{
    const std::size_t n = static_cast<std::size_t>(mesh->size());
    H.diagonal.assign(9 * n, 0.0);
    H.off.assign(9 * mesh->edges.size(), 0.0);
    H.bulks.clear();
    H.isClamped = false;
    const auto diagonal = [&](int i) { return &H.diagonal[9 * static_cast<std::size_t>(i)]; };
    const auto off = [&](int e) { return &H.off[9 * static_cast<std::size_t>(e)]; };
    for (std::size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) H.diagonal[9 * i + 4 * k] = mesh->masses[i] / (h * h);
    for (std::size_t s = 0; s < mesh->springs.size(); ++s) {
        if (parts.isThin && !isWeakSpring.empty() && isWeakSpring[s]) continue;
        const MeshSpring& spring = mesh->springs[s];
        const Mat3 block = springBlock(s, x, parts.isWhole);
        H.isClamped = H.isClamped || (!parts.isWhole && isPressed(s, x));
        addBlock(diagonal(spring.a), block);
        addBlock(diagonal(spring.b), block);
        addBlock(off(spring.edge), -block);
    }
    for (std::size_t f = 0; f < mesh->folds.size(); ++f) {
        if (parts.isThin && !isWeakFold.empty() && isWeakFold[f]) continue;
        const MeshFold& fold = mesh->folds[f];
        const Fold at = foldAt(fold, x);
        const double slope = fold.stiffness + fold.damping / h;
        int pair = 0;
        for (int i = 0; i < 4; ++i) {
            addBlock(diagonal(fold.corner[i]), slope * (at.gradient[i] * at.gradient[i].transpose()));
            for (int j = i + 1; j < 4; ++j, ++pair) {
                const Mat3 block = slope * (at.gradient[i] * at.gradient[j].transpose());
                const bool inOrder = mesh->edges[fold.edge[pair]][0] == fold.corner[i];
                addBlock(off(fold.edge[pair]), inOrder ? block : Mat3(block.transpose()));
            }
        }
    }
    for (std::size_t p = 0; p < mesh->pins.size(); ++p) {
        const MeshPin& pin = mesh->pins[p];
        if (pin.isRigid) continue;
        addBlock(diagonal(pin.vertex), pinBlock(pin, vertexOf(x, pin.vertex) - pinned[p],
                                                vertexOf(x0, pin.vertex) - pinned0[p], h));
    }
    for (const MeshTie& tie : mesh->ties) {
        const Mat3 block = tieBlock(tie, x);
        addBlock(diagonal(tie.a), block);
        addBlock(diagonal(tie.b), block);
        addBlock(off(tie.edge), -block);
    }
    for (const MeshGlide& glide : mesh->glides)
        addBlock(diagonal(glide.vertex), glideBlock(glide, glideAt(glide, x), glideBefore(glide), h));
    for (const MeshContact& contact : contacts)
        addBlock(diagonal(contact.vertex), contactStiffness(*this, contact, vertexOf(x, contact.vertex)));
    if (flow.size() > 0)
        for (std::size_t i = 0; i < n; ++i) addBlock(&H.diagonal[9 * i], 1 / h * flowDamping[i]);
    for (int p = 0; p < mesh->partCount(); ++p) {
        const MeshPart part = mesh->part(p);
        if (!(part.traits->bulk > 0)) continue;
        MeshHessian::RankOne& bulk = H.bulks.emplace_back();
        bulk.weight = part.traits->bulk / part.traits->restVolume;
        bulk.gradient.setZero(x.size());
        addVolumeSlope(part, 1.0, x, bulk.gradient);
        for (int i = part.vertex; i < part.vertexEnd; ++i)
            if (isHeld[i])
                for (int k = 0; k < 3; ++k) bulk.gradient[3 * i + k] = 0;
    }
    for (std::size_t i = 0; i < n; ++i)
        if (isHeld[i]) {
            // As large as its neighbours', so that the matrix stays evenly scaled.
            const double own = mesh->masses[i] / (h * h) + mesh->ownStiffness[i];
            for (int k = 0; k < 9; ++k) H.diagonal[9 * i + k] = k % 4 == 0 ? own : 0;
        }
    for (std::size_t e = 0; e < mesh->edges.size(); ++e)
        if (isHeld[mesh->edges[e][0]] || isHeld[mesh->edges[e][1]])
            std::fill_n(H.off.begin() + static_cast<std::ptrdiff_t>(9 * e), 9, 0.0);
}

Mat3 MeshStep::springBlock(std::size_t number, const VecX& x, bool isWhole) const
{
    const MeshSpring& spring = mesh->springs[number];
    const Vec3 way = vertexOf(x, spring.b) - vertexOf(x, spring.a);
    const double length = way.norm();
    if (!(length > 0)) return Mat3::Zero();
    Tension t = tensionOf(spring, length, length0[number], h);
    if (!tensions.empty()) t.value = tensions[number];
    const double across = isWhole ? t.value / length : std::max(t.value / length, 0.0);
    return across * Mat3::Identity() + (t.slope - across) / (length * length) * (way * way.transpose());
}

bool MeshStep::isPressed(std::size_t number, const VecX& x) const
{
    if (!tensions.empty()) return tensions[number] < 0;
    const MeshSpring& spring = mesh->springs[number];
    const double length = (vertexOf(x, spring.b) - vertexOf(x, spring.a)).norm();
    return tensionOf(spring, length, length0[number], h).value < 0;
}

void MeshStep::startTensions()
{
    tensions.resize(mesh->springs.size());
    for (std::size_t s = 0; s < tensions.size(); ++s)
        tensions[s] = tensionOf(mesh->springs[s], length0[s], length0[s], h).value;
}

void MeshStep::followTensions(const VecX& x, const VecX& d)
{
    for (std::size_t s = 0; s < tensions.size(); ++s) {
        const MeshSpring& spring = mesh->springs[s];
        const Vec3 way = vertexOf(x, spring.b) - vertexOf(x, spring.a);
        const double length = way.norm();
        const Tension t = tensionOf(spring, length, length0[s], h);
        const double growth =
            length > 0 ? way.dot(vertexOf(d, spring.b) - vertexOf(d, spring.a)) / length : 0;
        tensions[s] = t.value + t.slope * growth;
    }
}

Mat3 MeshStep::ownBlock(int vertex, const VecX& x) const
{
    Mat3 block = mesh->masses[static_cast<std::size_t>(vertex)] / (h * h) * Mat3::Identity();
    for (std::size_t s = 0; s < mesh->springs.size(); ++s)
        if (mesh->springs[s].a == vertex || mesh->springs[s].b == vertex) block += springBlock(s, x);
    for (const MeshTie& tie : mesh->ties)
        if (tie.a == vertex || tie.b == vertex) block += tieBlock(tie, x);
    return block;
}

Mat3 MeshStep::tieBlock(const MeshTie& tie, const VecX& x) const
{
    return pinBlock(tie, wayOf(tie, x), wayOf(tie, x0), h);
}

MeshEnergy meshEnergy(const SpringMesh& mesh, const MeshState& state, const Vec3& gravity,
                      const LargeVector<BodyState>& bodies)
{
    MeshEnergy sum;
    for (int i = 0; i < mesh.size(); ++i) {
        sum.kinetic += 0.5 * mesh.masses[i] * vertexOf(state.v, i).squaredNorm();
        sum.potential -= mesh.masses[i] * gravity.dot(vertexOf(state.x, i));
    }
    for (const MeshSpring& spring : mesh.springs)
        sum.elastic +=
            springEnergy(spring, (vertexOf(state.x, spring.b) - vertexOf(state.x, spring.a)).norm());
    for (const MeshFold& fold : mesh.folds) {
        const double turn = turnFrom(fold.rest, foldAngle(fold, state.x));
        sum.elastic += 0.5 * fold.stiffness * turn * turn;
    }
    sum.elastic += pressureEnergy(mesh, state.x);
    MeshSurroundings around;
    around.end = &bodies;
    for (const MeshPin& pin : mesh.pins)
        if (!pin.isRigid)
            sum.elastic +=
                pinEnergy(pin, vertexOf(state.x, pin.vertex) - around.pointAtEnd(pin.body, pin.point),
                          Vec3::Zero(), 0);
    for (const MeshTie& tie : mesh.ties)
        sum.elastic += pinEnergy(tie, wayOf(tie, state.x), Vec3::Zero(), 0);
    for (const MeshGlide& glide : mesh.glides) {
        const GlidePlace at{around.poseAtEnd(glide.body), vertexOf(state.x, glide.vertex)};
        sum.elastic += glideEnergy(glide, at, at, 0);
    }
    return sum;
}

}  // namespace sinew
