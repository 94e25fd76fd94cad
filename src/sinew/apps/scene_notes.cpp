#include "sinew/apps/scene_notes.h"

#include <fmt/core.h>

#include "sinew/apps/text.h"
#include "sinew/integrate/fast_step.h"
#include "sinew/io/format.h"

namespace sinew {
namespace {

// Keys of bodies and obstacles that say how they touch, in a scene where nothing does. A layer is a mere
// name: baked scenes have theirs whether they touch or not.
std::vector<Diagnostic> idleKeys(const Description& description)
{
    std::vector<Diagnostic> found;
    if (description.contact) return found;
    const auto look = [&](const char* list, const auto& items) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::pair<const char*, bool> keys[] = {
                {"friction", items[i].friction.has_value()},
                {"static_friction", items[i].staticFriction.has_value()},
                {"rolling_friction", items[i].rollingFriction.has_value()},
                {"spinning_friction", items[i].spinningFriction.has_value()},
                {"restitution", items[i].restitution.has_value()}};
            for (const auto& [key, isThere] : keys) {
                if (!isThere) continue;
                Diagnostic note;
                note.pointer = fmt::format("/{}/{}/{}", list, i, key);
                found.push_back(asWritten(note, description));
            }
        }
    };
    look("bodies", description.bodies);
    look("obstacles", description.obstacles);
    return found;
}

// Of a scene that asks for fast steps, whose figures do not take them.
void printExactFigures(const SceneFile& scene, const Model& model)
{
    if (!takesFastSteps(model)) return;
    const std::string reason = keepsFromFastFigures(model);
    if (reason.empty()) return;
    Diagnostic note;
    note.file = scene.path;
    note.pointer = "/contact/accuracy";
    note = asWritten(note, scene.description);
    note.message = "is for free bodies alone here: figures take exact steps, because of " + reason;
    fmt::print(stderr, "note: {}\n", printable(note.text()));
}

}  // namespace

void printSceneNotes(const SceneFile& scene, const Model& model)
{
    if (formatOf(scene.path) != &sceneFormat) return;
    printExactFigures(scene, model);
    std::vector<Diagnostic> idle = idleKeys(scene.description);
    if (idle.empty()) return;
    Diagnostic& note = idle.front();
    note.file = scene.path;
    note.message = "has no effect, because the scene has no \"contact\"";
    if (idle.size() > 1)
        note.message += fmt::format(" (and {})", counted(static_cast<long long>(idle.size()) - 1,
                                                         "more key of the kind", "more keys of the kind"));
    fmt::print(stderr, "note: {}\n", printable(note.text()));
}

}  // namespace sinew
