// The files of a run's folder by name (docs/cli.md).
#pragma once

#include <string>

namespace sinew {

struct RunFiles {
    explicit RunFiles(const std::string& directory)
        : trajectory(directory + "/trajectory.csv"),
          velocities(directory + "/velocities.csv"),
          series(directory + "/series.csv"),
          contacts(directory + "/contacts.csv"),
          particles(directory + "/particles.sinewp"),
          meshes(directory + "/meshes.sinewm"),
          summary(directory + "/summary.json"),
          scene(directory + "/scene.json"),
          page(directory + "/index.html"),
          checkpoint(directory + "/checkpoint.bin"),
          interaction(directory + "/interaction.jsonl"),
          plan(directory + "/plan.csv"),
          iterations(directory + "/iterations.csv"),
          motion(directory + "/plan.json")
    {
    }

    std::string trajectory, velocities, series, contacts, particles, meshes, summary, scene, page,
        checkpoint, interaction, plan, iterations, motion;
};

// All of them; the summary comes last, since with it a run is finished.
inline constexpr std::string RunFiles::*allRunFiles[] = {
    &RunFiles::trajectory, &RunFiles::velocities,  &RunFiles::series, &RunFiles::contacts,
    &RunFiles::particles,  &RunFiles::meshes,      &RunFiles::scene,  &RunFiles::page,
    &RunFiles::checkpoint, &RunFiles::interaction, &RunFiles::plan,   &RunFiles::iterations,
    &RunFiles::motion,     &RunFiles::summary};

}  // namespace sinew
