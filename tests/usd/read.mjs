// node read.mjs PLAIN.usda SKELETON.usda BODIES NAME X Y Z: reads both with three's USDLoader. BODIES things
// move, the body NAME is at X Y Z at time code 20 of 60 a second, and the skeleton puts its skin there too.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { AnimationMixer, Vector3 } = await import(pathToFileURL(require.resolve('three').replace('three.cjs', 'three.module.js')));
const { USDLoader } = await load('three/addons/loaders/USDLoader.js');

const [plain, skeleton, count, name, ...place] = process.argv.slice(2);
const wanted = new Vector3(...place.map(Number));
const fail = (text) => {
  console.error(text);
  process.exit(1);
};
const open = (path) => new USDLoader().parse(readFileSync(path, 'utf8'));

function at(root, time) {
  if (!root.animations?.length) fail('no animation');
  const mixer = new AnimationMixer(root);
  for (const clip of root.animations) mixer.clipAction(clip).play();
  mixer.setTime(time);
  root.updateMatrixWorld(true);
}

const bodies = open(plain);
at(bodies, 20 / 60);
const tracks = bodies.animations.flatMap((clip) => clip.tracks);
if (tracks.length !== 2 * Number(count)) fail(`${tracks.length} tracks, not ${2 * Number(count)}`);
const body = bodies.getObjectByName(name).getWorldPosition(new Vector3());
if (!(body.distanceTo(wanted) < 1e-5)) fail(`${name} is at ${body.toArray()}, not at ${wanted.toArray()}`);

const figure = open(skeleton);
at(figure, 20 / 60);
const bones = [];
let skin;
figure.traverse((o) => {
  if (o.isBone) bones.push(o.name);
  if (o.isSkinnedMesh) skin = o;
});
if (bones.length !== Number(count)) fail(`${bones.length} bones, not ${count}`);
if (!skin) fail('no skin');
skin.skeleton.update();
const index = skin.skeleton.bones.findIndex((bone) => bone.name === name);
const middle = new Vector3();
let points = 0;
const { skinIndex, position } = skin.geometry.attributes;
for (let i = 0; i < position.count; ++i) {
  if (skinIndex.getX(i) !== index) continue;
  const point = new Vector3().fromBufferAttribute(position, i);
  middle.add(skin.applyBoneTransform(i, point).applyMatrix4(skin.matrixWorld));
  ++points;
}
middle.divideScalar(points);
if (!(middle.distanceTo(wanted) < 0.02)) fail(`the skin of ${name} is about ${middle.toArray()}`);
console.log(`three agrees: ${tracks.length} tracks, ${bones.length} bones, ${name} within ` +
  `${body.distanceTo(wanted).toExponential(1)} m, its skin's middle within ${middle.distanceTo(wanted).toExponential(1)} m`);
