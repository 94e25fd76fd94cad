#include "sinew/io/ground.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/base/text.h"
#include "sinew/geometry/support.h"
#include "sinew/io/json/json.h"
#include "sinew/model/model.h"
#include "sinew/model/springs.h"
#include "sinew/state/state.h"

namespace sinew {
namespace {

// Figures of a scene: bodies that joints connect, as numbers; 0 is the world and all that hangs from it.
class Figures {
public:
    explicit Figures(const Description& scene)
    {
        above_.resize(scene.bodies.size() + 1);
        for (std::size_t i = 0; i < above_.size(); ++i) above_[i] = i;
        numbers_["world"] = 0;
        for (std::size_t i = 0; i < scene.bodies.size(); ++i) numbers_[scene.bodies[i].name] = i + 1;
        for (const JointDescription& joint : scene.joints) tie(joint.first, joint.second);
    }
    std::size_t of(const std::string& body)
    {
        const auto found = numbers_.find(body);
        return found == numbers_.end() ? 0 : top(found->second);
    }

private:
    std::size_t top(std::size_t i)
    {
        while (above_[i] != i) i = above_[i] = above_[above_[i]];
        return i;
    }
    void tie(const std::string& a, const std::string& b)
    {
        const std::size_t x = of(a), y = of(b);
        above_[std::max(x, y)] = std::min(x, y);
    }

    std::map<std::string, std::size_t> numbers_;
    std::vector<std::size_t> above_;
};

// To a tenth of a millimetre.
std::string inMetres(double length)
{
    return json::numberText(std::round(1e4 * length) / 1e4) + " m";
}

double lowestOf(const BodyDescription& body, const Pose& pose)
{
    double lowest = std::numeric_limits<double>::infinity();
    for (const ShapeDescription& part : body.shapes) {
        const Pose own = pose * part.pose;
        const Vec3 down = own.orientation.conjugate() * Vec3(0, -1, 0);
        lowest = std::min(lowest, (own * coreSupport(part.shape, down)).y() - coreMargin(part.shape));
    }
    return lowest;
}

// Where bodies are at the start, if the scene can be compiled; otherwise at rest.
std::vector<Pose> startingPoses(const Description& scene)
{
    std::vector<Pose> poses;
    for (const BodyDescription& body : scene.bodies) poses.push_back(body.pose);
    const Result<Model> model = compile(scene);
    if (!model) return poses;
    const Result<State> state = initialState(model.value(), scene);
    if (!state) return poses;
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const int index = model.value().findBody(scene.bodies[i].name);
        if (index < 0) continue;
        const auto& body = state.value().bodies[static_cast<std::size_t>(index)];
        const Vec3 center = model.value().bodies[static_cast<std::size_t>(index)].center;
        poses[i] = {body.position - body.orientation * center, body.orientation};
    }
    return poses;
}

}  // namespace

void putOnGround(double height, Imported& file)
{
    Description& scene = file.scene;
    Figures figures(scene);
    std::map<std::size_t, double> lowest;
    const std::vector<Pose> poses = startingPoses(scene);
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const BodyDescription& body = scene.bodies[i];
        double& least = lowest.try_emplace(figures.of(body.name), height).first->second;
        least = std::min(least, lowestOf(body, poses[i]));
    }
    const auto lift = [&](const std::string& body) {
        const std::size_t figure = figures.of(body);
        return Vec3(0, figure == 0 ? 0 : height - lowest[figure], 0);
    };
    double highest = 0;
    for (BodyDescription& body : scene.bodies) {
        const Vec3 up = lift(body.name);
        body.pose.position += up;
        highest = std::max(highest, up.y());
    }
    for (JointDescription& joint : scene.joints) joint.position += lift(joint.second);
    for (SpringDescription& spring : scene.springs)
        for (SpringEndDescription* end : {&spring.first, &spring.second})
            if (auto* at = std::get_if<SpringPoint>(&end->form); at && at->point)
                *at->point += lift(end->body);
    if (highest > 0)
        file.notes.push_back(
            Diagnostic{"what floats is lifted by up to " + inMetres(highest) + " to stand on the ground"});
    if (lowest.contains(0) && lowest[0] < height)
        file.notes.push_back(Diagnostic{"what is bolted to the world reaches " +
                                        inMetres(height - lowest[0]) + " below the ground"});
    std::size_t touching = 0;
    for (const BodyDescription& body : scene.bodies) touching += body.collides && !body.shapes.empty();
    if (touching == 0) file.notes.push_back(Diagnostic{"no body has a shape that could touch the ground"});
    ObstacleDescription ground;
    ground.name = "ground";
    ground.position = Vec3(0, height, 0);
    scene.obstacles.push_back(std::move(ground));
    if (!scene.contact) scene.contact.emplace();
}

}  // namespace sinew
