// A made-up motion with one of everything: all shapes, all joints, obstacles, a target, hostile names.

export const evilName = '</script><script>window.hacked=1</script>';

const corners = [-1, 1].flatMap((x) => [-1, 1].map((z) => [0.12 * x, -0.1, 0.12 * z]));

const shapes = [
  [{ type: 'sphere', radius: 0.12 }],
  [{ type: 'box', size: [0.2, 0.3, 0.12] }],
  [{ type: 'capsule', radius: 0.07, length: 0.25 }],
  [{ type: 'cylinder', radius: 0.1, length: 0.25, orientation: [0, 0, 0.3826834, 0.9238795] }],
  [{ type: 'ellipsoid', radii: [0.15, 0.08, 0.1] }],
  [{ type: 'mesh', vertices: [...corners, [0, 0.2, 0]] }],
  [], // only an inertia
];
const kinds = ['hinge', 'spherical', 'slide', 'universal', 'weld', 'hinge'];
const freedoms = { hinge: ['angle'], spherical: ['angle0', 'angle1', 'angle2'], slide: ['offset'], universal: ['angle0', 'angle1'], weld: [] };
const loads = ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'];

export function kitchenSink() {
  const bodies = shapes.map((list, i) => ({
    name: i === 1 ? evilName : `part, "${i}"`,
    position: [0.45 * (i - 3), 0.6, 0],
    ...(list.length ? { shapes: list } : { mass: 2, inertia: [0.02, 0.03, 0.015], shapes: [] }),
  }));
  const joints = kinds.map((type, i) => ({
    name: `pin.${i}`, type, first: bodies[i].name, second: bodies[i + 1].name,
    position: [0.45 * (i - 3) + 0.225, 0.6, 0],
    ...(type === 'weld' ? {} : { axis: [0, 0, 1] }), ...(type === 'universal' ? { axis2: [0, 1, 0] } : {}),
  }));
  const scene = {
    sinew: 1, name: 'kitchen sink <img src=x onerror="window.hacked=1">', about: 'One of every shape and joint.', bodies, joints,
    obstacles: [{ type: 'plane' }, { type: 'sphere', position: [0, 0, -1], radius: 0.35 }],
    targets: [{ body: bodies[2].name, path: [{ time: 0 }, { time: 1, position: [-0.5, 1.2, 0.2] }] }],
  };
  const times = Array.from({ length: 61 }, (_, i) => i / 30);
  const pose = (i, t) => {
    const angle = 0.4 * Math.sin(3 * t + i);
    return [0.45 * (i - 3), 0.6 + 0.2 * Math.sin(3 * t + i), 0, 0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];
  };
  const columns = joints.flatMap((joint) => [...freedoms[joint.type], ...loads].map((name) => `${joint.name}.${name}`));
  const names = ['kinetic', 'potential', 'elastic', 'total', 'px', 'py', 'pz', 'lx', 'ly', 'lz', 'gap', ...columns];
  const wave = (t, j) => Math.sin(t * (1.3 + 0.3 * j)) * 10 ** (((j + 1) % 4) - 1);
  return {
    version: 1,
    scene,
    masses: bodies.map(() => ({ mass: 2, center: [0, 0, 0], inertia: [[0.02, 0, 0], [0, 0.03, 0], [0, 0, 0.015]] })),
    frames: {
      fps: 30, count: times.length, times, every: 1,
      poses: pack(times.flatMap((t) => bodies.flatMap((_, i) => pose(i, t)))),
    },
    series: { names, values: pack(times.flatMap((t) => names.map((_, j) => wave(t, j)))), left_out: 0 },
    summary: { scene: 'kitchen sink', solver: evilName, integrator: 'none', fps: 30 },
  };
}

/** Numbers as little-endian float32 in base64. */
const pack = (numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
