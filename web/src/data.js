// Reads and checks the data that a page carries; web/README.md describes it.

/**
 * @typedef {[number, number, number]} Vec3
 * @typedef {{type: string, position?: Vec3, orientation?: number[], radius?: number, length?: number,
 *   size?: Vec3, radii?: Vec3, vertices?: Vec3[], faces?: number[][]}} Shape
 * @typedef {{name: string, position?: Vec3, orientation?: number[], shapes?: Shape[], mass?: number,
 *   center?: Vec3, inertia?: number[][]}} Body position and orientation are those of the rest pose
 * @typedef {{name: string, type: string, first: string, second: string, position?: Vec3, axis?: Vec3,
 *   axis2?: Vec3}} Joint place and axes in the world, in the rest pose
 * @typedef {Shape & {name?: string, normal?: Vec3, columns?: number, rows?: number, spacing?: number,
 *   heights?: number[]}} Obstacle a plane, any shape, a height field or triangles
 * @typedef {{body: string, point?: Vec3, path: {time: number, position?: Vec3}[]}} Target
 * @typedef {{name: string, about: string, bodies: Body[], joints: Joint[], obstacles: Obstacle[],
 *   targets: Target[], contact?: object | boolean}} Scene
 * @typedef {{names: string[], values: Float32Array, leftOut: number}} Series row by row, a row per frame
 * @typedef {{every: number, counts: number[], values: Float32Array}} TouchData how many contacts one in so many frames has,
 *   and six numbers for each: place, force
 * @typedef {{name?: string, clip?: string, scale?: number}} Look of a character: what it is called, its clip to begin with, and
 *   how many metres a unit of its file has, where there is a run too
 * @typedef {{look?: Look, source: object, scene: Scene, fps: number, every: number, times: number[], poses: Float32Array,
 *   series: Series, contacts?: TouchData, summary: Record<string, any>}} Recording `source` is the scene as the file has it, for the
 *   engine; `scene` has defaults and masses filled in
 */

/** Of a page that holds a character alone. @param {Look} look */
const emptyScene = ({ name = '' }) => ({ name, about: '', bodies: [], joints: [], obstacles: [], targets: [] });

/** Little-endian float32, which is what every machine with WebGL has in memory. */
function unpack(text, length, what) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  if (bytes.length !== 4 * length) {
    throw new Error(`${what} hold ${bytes.length} bytes, not ${4 * length}`);
  }
  return new Float32Array(bytes.buffer);
}

function readContacts({ every = 1, counts, values }, frames) {
  if (counts.length !== Math.ceil(frames / every)) throw new Error(`the data holds contacts of ${counts.length} frames, not of all`);
  return { every, counts, values: unpack(values, 6 * counts.reduce((sum, n) => sum + n, 0), 'the contacts') };
}

/** @param {string} text JSON @returns {Recording} of a character alone it has no frames */
export function readData(text) {
  const data = JSON.parse(text);
  if (data.version !== 1) throw new Error(`the data has version ${data.version}, this page reads version 1`);
  const { character: look, scene, masses, frames, series = { names: [], values: '' }, summary = {} } = data;
  if (look && !scene) return { look, scene: emptyScene(look), summary };
  if (!(frames.count > 0) || frames.times.length !== frames.count) throw new Error('the data holds no frames');
  if (masses?.length !== scene.bodies.length) {
    throw new Error(`the data holds masses of ${masses?.length ?? 0} bodies, the scene has ${scene.bodies.length}`);
  }
  return {
    look,
    source: scene,
    scene: {
      name: '', about: '', joints: [], obstacles: [], targets: [], ...scene,
      bodies: scene.bodies.map((body, i) => ({ ...body, ...masses[i] })),
    },
    fps: frames.fps,
    every: frames.every ?? 1,
    times: frames.times,
    poses: unpack(frames.poses, frames.count * scene.bodies.length * 7, 'the poses'),
    series: {
      names: series.names,
      values: unpack(series.values, frames.count * series.names.length, 'the series'),
      leftOut: series.left_out ?? 0,
    },
    contacts: data.contacts && readContacts(data.contacts, frames.count),
    summary,
  };
}
