// Times of the pose solver: scenes/reach.json, an arm and a hand of 30 bones with five fingertip wishes,
// where they can be reached and where they cannot, from many goals.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/wish.h"
#include "sinew/optimize/pose.h"
#include "sinew/optimize/wish_slopes.h"
#include "sinew/state/kinematics.h"

namespace {

using namespace sinew;

// A pose within all limits; fingers and arm anywhere in their middle parts.
State randomPose(const Model& model, Random& random)
{
    State state = restState(model);
    VecX step(model.freedomCount);
    step.setZero();
    for (const Joint& joint : model.joints)
        for (int i = 0; i < joint.freedoms(); ++i) {
            const double part = random.uniform(0.1, 0.9);
            step[joint.u + i] = joint.isBall() ? 0.5 * (part - 0.5)
                                               : joint.lower[i] + part * (joint.upper[i] - joint.lower[i]);
        }
    moveAlong(model, VecX(state.q), step, state);
    return state;
}

void setGoals(Model& model, const State& at, double push, Random& random)
{
    const WishView view = wishView(model, at);
    for (Wish& wish : model.wishes) {
        const Vec3 away(random.normal(), random.normal(), random.normal());
        wish.points[1].point = view.place(wish.points[0]) + push * away.normalized();
    }
}

struct Figures {
    std::vector<double> seconds, errors;
    double iterations = 0;
    int unfulfilled = 0;
};

Figures measure(Model& model, double push, int trials)
{
    using Clock = std::chrono::steady_clock;
    Random random(7);
    Figures figures;
    const std::vector<int> wishes = wishesAt(model, 0);
    for (int trial = 0; trial < trials; ++trial) {
        const State goal = randomPose(model, random);
        setGoals(model, goal, push, random);
        double best = 1e9;
        PoseReport report;
        for (int again = 0; again < 5; ++again) {
            State state = restState(model);
            const auto begin = Clock::now();
            report = solvePose(model, wishes, {}, state, false);
            best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
        }
        double error = 0;
        for (const WishOutcome& outcome : report.wishes) error = std::max(error, outcome.error);
        figures.seconds.push_back(best);
        figures.errors.push_back(error);
        figures.iterations += static_cast<double>(report.iterations) / trials;
        figures.unfulfilled += !report.isFulfilled;
    }
    std::sort(figures.seconds.begin(), figures.seconds.end());
    std::sort(figures.errors.begin(), figures.errors.end());
    return figures;
}

void print(const char* name, const Figures& f)
{
    const std::size_t n = f.seconds.size();
    std::printf("%-28s %8.3f %8.3f %8.3f %10.1f %12.2e %12d\n", name, 1e3 * f.seconds[n / 2],
                1e3 * f.seconds[n * 9 / 10], 1e3 * f.seconds.back(), f.iterations, f.errors.back(),
                f.unfulfilled);
}

}  // namespace

int main(int count, char** arguments)
{
    const std::string path = count > 1 ? arguments[1] : "scenes/reach.json";
    const Result<Description> scene = readScene(path);
    if (!scene) return std::fprintf(stderr, "%s\n", scene.error().text().c_str()), 2;
    Result<Model> model = compile(scene.value());
    if (!model) return std::fprintf(stderr, "%s\n", model.error().text().c_str()), 2;
    constexpr int trials = 200;
    std::printf("%d bones, %d freedoms, %d goals each, the best of 5; ms\n", model.value().size(),
                model.value().freedomCount, trials);
    std::printf("%-28s %8s %8s %8s %10s %12s %12s\n", "", "median", "of 9/10", "most", "iterations",
                "worst error", "unfulfilled");
    Model scenes = model.value();
    {
        using Clock = std::chrono::steady_clock;
        double best = 1e9;
        PoseReport report;
        for (int again = 0; again < 200; ++again) {
            State state = restState(scenes);
            const auto begin = Clock::now();
            report = solvePose(scenes, wishesAt(scenes, 0), {}, state, false);
            best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
        }
        Figures own;
        own.seconds = {best};
        own.errors = {0};
        for (const WishOutcome& outcome : report.wishes)
            own.errors[0] = std::max(own.errors[0], outcome.error);
        own.iterations = report.iterations;
        own.unfulfilled = !report.isFulfilled;
        print("the scene's own goals", own);
    }
    print("goals of a possible pose", measure(scenes, 0, trials));
    print("each pushed by 5 mm", measure(scenes, 0.005, trials));
    print("each pushed by 5 cm", measure(scenes, 0.05, trials));
    return 0;
}
