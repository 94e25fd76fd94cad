#include "sinew/soft/mesh_work.h"

#include <cmath>

#include "sinew/soft/contact.h"
#include "sinew/soft/flow.h"

namespace sinew {
namespace {

Vec3 workVertex(const VecX& x, int i)
{
    return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

double damperWork(const MeshStep& step, const VecX& x)
{
    const SpringMesh& mesh = *step.mesh;
    double sum = 0;
    for (std::size_t s = 0; s < mesh.springs.size(); ++s) {
        const MeshSpring& spring = mesh.springs[s];
        if (spring.damping == 0) continue;
        const double way = (workVertex(x, spring.b) - workVertex(x, spring.a)).norm() - step.length0[s];
        sum += spring.damping / step.h * way * way;
    }
    for (std::size_t f = 0; f < mesh.folds.size(); ++f) {
        if (mesh.folds[f].damping == 0) continue;
        // Over the cut at π.
        const double way = std::remainder(foldAngle(mesh.folds[f], x) - step.angle0[f], 6.283185307179586);
        sum += mesh.folds[f].damping / step.h * way * way;
    }
    for (std::size_t p = 0; p < mesh.pins.size(); ++p) {
        const MeshPin& pin = mesh.pins[p];
        if (pin.isRigid) continue;
        sum += pinDissipation(pin, workVertex(x, pin.vertex) - step.pinned[p],
                              workVertex(step.x0, pin.vertex) - step.pinned0[p], step.h);
    }
    for (const MeshTie& tie : mesh.ties)
        sum += pinDissipation(tie, workVertex(x, tie.b) - workVertex(x, tie.a),
                              workVertex(step.x0, tie.b) - workVertex(step.x0, tie.a), step.h);
    for (const MeshGlide& glide : mesh.glides)
        sum += glideDissipation(glide, step.glideAt(glide, x), step.glideBefore(glide), step.h);
    return sum;
}

double contactWork(MeshStep& step, const VecX& x)
{
    placeContacts(step, x, true);
    double sum = 0;
    for (const MeshContact& contact : step.contacts) {
        const Vec3 at = workVertex(x, contact.vertex);
        Vec3 way = at - workVertex(step.x0, contact.vertex);
        if (contact.body >= 0) {
            // The point of the body that is there at the end.
            const BodyState& body = (*step.around->end)[static_cast<std::size_t>(contact.body)];
            const Vec3 local = body.orientation.conjugate() * Vec3(at - body.position);
            way -= at - step.around->pointAtStart(contact.body, local);
        }
        sum -= contactForce(step, contact, at).dot(way);
    }
    return sum;
}

}  // namespace

MeshWork meshWork(const SpringMesh& mesh, const MeshState& before, const MeshState& after,
                  const MeshSurroundings& around, double h)
{
    MeshStep step;
    step.begin(mesh, before, around, h);
    MeshWork work;
    work.dampers = damperWork(step, after.x);
    work.contact = contactWork(step, after.x);
    if (mesh.hasFlow()) {
        flowForces(step, after.x);
        for (int i = 0; i < mesh.size(); ++i)
            if (!step.isHeld[static_cast<std::size_t>(i)])
                work.flow += workVertex(step.flow, i).dot(workVertex(after.x, i) - workVertex(before.x, i));
    }
    for (const MeshForce& force : mesh.forces) {
        const double weight = force.signal ? force.signal->at(around.time).value : 1;
        for (int i : force.vertices)
            work.forces += weight * force.force.dot(workVertex(after.x, i) - workVertex(before.x, i));
    }
    return work;
}

}  // namespace sinew
