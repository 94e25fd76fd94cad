// Sinew itself, through the same interface as the others.
#include <cstdio>
#include <cstdlib>

#include "contact_case.h"
#include "sinew/simulation/simulation.h"

namespace sinew::bench {
namespace {

class SinewContact : public ContactEngine {
public:
    explicit SinewContact(const ContactCase& scene) : simulation_(created(scene)) {}

    bool step() override { return simulation_.step().ok; }
    void read(LargeVector<BodyState>& bodies) override { bodies = simulation_.state.bodies; }
    int contacts() const override { return static_cast<int>(simulation_.state.contacts.size()); }

private:
    static Simulation created(const ContactCase& scene)
    {
        Settings settings;
        settings.integrator = "implicit";
        settings.step = scene.step;
        Result<Simulation> made = Simulation::create(scene.description, settings);
        if (!made) {
            std::fprintf(stderr, "%s\n", made.error().text().c_str());
            std::abort();
        }
        return std::move(made.value());
    }

    Simulation simulation_;
};

}  // namespace

std::vector<ContactVariant> sinewContactVariants()
{
    ContactVariant made;
    made.name = "Sinew implicit";
    made.about = "resting contact, the solver chosen by itself; springs are the scene's";
    made.knows = [](const ContactCase&) { return true; };
    made.make = [](const ContactCase& scene) { return std::make_unique<SinewContact>(scene); };
    return {made};
}

}  // namespace sinew::bench
