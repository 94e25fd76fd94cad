// Draws what a scene is made of, and looks whether it is valid.
#include "random/generator.h"

#include "random/builder.h"
#include "sinew/collision/detect.h"
#include "sinew/geometry/support.h"
#include "sinew/simulation/simulation.h"

namespace sinew::test {
namespace {

void drawScale(SceneBuilder& b)
{
    b.L = b.logBetween(b.sceneClass.leastLength, b.sceneClass.mostLength);
    // Earth's gravity, or that of a scene written in other units; now and then none.
    b.g = b.chance(0.6) ? 9.81 : b.L * b.logBetween(1, 100);
    b.T = std::sqrt(b.L / b.g);
    b.m0 = b.sceneClass.massRatio < 1e3 && b.chance(0.5) ? b.L * b.L * b.L : 1;
    if (b.chance(0.12)) {
        b.note("weightless");
        b.d.gravity = Vec3::Zero();
    } else {
        b.d.gravity = Vec3(0, -b.g, 0);
    }
    constexpr double steps[] = {1. / 240, 1. / 120, 1. / 60, 1. / 60, 1. / 60, 1. / 30};
    const double longest = b.T * b.logBetween(0.03, 0.12);
    const double step = std::min(steps[b.random.below(6)], longest);
    b.d.run.step = step;
    const double seconds = b.between(1, 3) * std::min(1., b.T / 0.32);
    b.d.run.duration = step * std::clamp(std::round(seconds / step), 40., 240.);
}

void drawParts(SceneBuilder& b, bool hasLoop, bool hasContact)
{
    int budget = 1 + static_cast<int>(b.logBetween(1, 20));  // bodies
    if (hasLoop) b.addLoop(std::min(budget, 10));
    const auto left = [&] { return budget - static_cast<int>(b.d.bodies.size()); };
    if (hasContact) {
        int skeletons = 1 + b.random.below(5);
        while (skeletons-- > 0 && (left() > 0 || b.d.bodies.empty())) {
            const double kind = b.random.unit();
            if (kind < 0.42)
                b.addSingle();
            else if (kind < 0.5 && left() >= 2)
                b.addStack(2 + b.random.below(left() - 1));
            else if (kind < 0.65 && left() >= 9)
                b.addDoll();
            else {
                const bool isTied = b.chance(0.25);
                b.addTree(1 + b.random.below(std::max(left(), 1)), isTied);
            }
        }
    } else if (!hasLoop || b.chance(0.3)) {
        if (b.chance(0.08)) b.addSpinner();
        const double tied = b.d.gravity.isZero(0) ? 0.2 : 0.6;
        int skeletons = 1 + (b.chance(0.2) ? 1 : 0);
        while (skeletons-- > 0 && (left() > 0 || b.d.bodies.empty()))
            b.addTree(std::max(left(), 1), b.chance(tied));
    }
}

RandomScene draw(const SceneClass& sceneClass, Random& random)
{
    SceneBuilder b(sceneClass, random);
    drawScale(b);
    const bool hasContact = b.chance(0.45), hasLoop = b.chance(0.4);
    if (sceneClass.isSolvable) {
        drawParts(b, hasLoop, hasContact);
        if (hasContact)
            b.addContact();
        else
            b.place();
        b.addForces();
        // Half of what floats freely is left alone, to see its momentum.
        if (!(b.d.gravity.isZero(0) && b.chance(0.5))) b.addDrives();
        b.addStart();
    } else {
        b.addUnsolvable();
    }
    b.turnAndMove();
    RandomScene scene;
    scene.description = std::move(b.d);
    scene.features = std::move(b.features);
    scene.length = b.L;
    scene.gravity = b.g;
    return scene;
}

// What the description alone cannot promise.
std::string faultOf(const RandomScene& scene)
{
    const auto simulation = Simulation::create(scene.description, {});
    if (!simulation) return simulation.error().text();
    const Model& model = simulation.value().model();
    if (!model.contact) return {};
    Collisions collisions;
    std::vector<Contact> contacts;
    collisions.detect(model, simulation.value().state, 1e-9, contacts);
    for (const Contact& c : contacts)
        if (c.gap < -1e-9 * scene.length) return "starts with bodies inside each other";
    return {};
}

}  // namespace

RandomScene randomScene(const SceneClass& sceneClass, std::uint64_t seed)
{
    // Streams of neighbouring seeds must not be each other, shifted: the seed is scrambled first.
    std::uint64_t scrambled = Random(seed).bits();
    for (const char* c = sceneClass.name; *c; ++c)
        scrambled = Random(scrambled + static_cast<unsigned char>(*c)).bits();
    Random random(scrambled);
    for (int attempt = 1;; ++attempt) {
        RandomScene scene = draw(sceneClass, random);
        scene.attempts = attempt;
        scene.fault = faultOf(scene);
        scene.description.name = std::string("random ") + sceneClass.name + " " + std::to_string(seed);
        scene.description.about = featureText(scene);
        if (scene.fault.empty() || attempt == 20) return scene;
    }
}

std::string featureText(const RandomScene& scene)
{
    std::string text;
    for (const std::string& f : scene.features) text += (text.empty() ? "" : "+") + f;
    return text;
}

SceneScale scaleOf(const Description& description)
{
    double sum = 0;
    int count = 0;
    for (const BodyDescription& body : description.bodies)
        for (const ShapeDescription& part : body.shapes) {
            sum += std::log(2 * reachOf(part.shape));
            ++count;
        }
    SceneScale scale;
    if (count > 0) scale.length = std::exp(sum / count);
    const double g = description.gravity.norm();
    scale.gravity = g > 0 ? g : scale.length;
    return scale;
}

}  // namespace sinew::test
