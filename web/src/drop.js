// A file that is dropped onto the page becomes a page of its own in its place: a character (.glb, or a .gltf with all
// in it), a scene (.json), which runs at once, or the character whose bones the bodies of this page's run are.
import { Vector3 } from 'three';
import { readCharacter } from './character.js';
import { byId } from './dom.js';
import { Engine, unpackEngine } from './engine.js';
import { say } from './status.js';

const elsewhere = { bvh: 'view', xml: 'view', mjcf: 'view', urdf: 'view', obj: 'view', stl: 'view' };

/** JSON without any `<`, as it may stand in a script (web/README.md). */
const inScript = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');

/** Base64 of bytes, in parts that the stack can take. */
function packed(buffer) {
  const bytes = new Uint8Array(buffer);
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

/** The page as it was written, but for its data; taken before anything is shown in it. */
function emptyPage() {
  const html = document.documentElement.cloneNode(false);
  const body = document.body.cloneNode(false);
  for (const node of document.body.childNodes) body.append(node.cloneNode(!['sinew-data', 'sinew-character', 'sinew-engine'].includes(node.id)));
  html.append(document.head.cloneNode(true), body);
  return html;
}

/** @param {HTMLElement} empty @param {object} data @param {string} character base64, or none */
function pageOf(empty, data, character = '') {
  const html = empty.cloneNode(true);
  html.querySelector('#sinew-data').textContent = typeof data === 'string' ? data : inScript(data);
  html.querySelector('#sinew-character').textContent = character;
  html.querySelector('#sinew-engine').textContent = byId('sinew-engine').textContent;
  return new Blob([`<!doctype html>\n${html.outerHTML}`], { type: 'text/html' });
}

/** Scenes may hold remarks, which JSON does not know; within strings they are none. Lines stay where they are. */
const withoutRemarks = (text) => text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (found) => (found[0] === '"' ? found : found.replace(/[^\n]/g, ' ')));

/** The scene as it stands at the start; the engine says what is wrong with it. */
async function sceneData(text, name) {
  let scene;
  try {
    scene = JSON.parse(withoutRemarks(text));
  } catch (error) {
    throw new Error(`${name}: ${error.message}`);
  }
  const packedEngine = byId('sinew-engine').textContent;
  if (!packedEngine.trim()) throw new Error('this page was made without the engine, which scenes need');
  const engine = await Engine.load(await unpackEngine(packedEngine));
  const info = engine.open(scene);
  const masses = engine.masses();
  const poses = packed(Float32Array.from(engine.poses()).buffer);
  return {
    version: 1, scene: { name: name.replace(/\.[^.]*$/, ''), ...scene }, masses, live: true,
    frames: { fps: 60, count: 1, times: [0], poses },
    series: { names: info.columns, values: packed(Float32Array.from(engine.series()).buffer) }, summary: {},
  };
}

/** How long the character's unit is, in m, by the places of the bones that bodies have; as near as they tell. */
function unitOf(character, bodies) {
  const [actor] = character.actors;
  const pairs = actor.nodes.flatMap((node) => {
    const body = bodies.find(({ name }) => name === (node.userData.name ?? node.name));
    return body ? [[node.getWorldPosition(new Vector3()), new Vector3(...(body.position ?? [0, 0, 0]))]] : [];
  });
  let [theirs, ours] = [0, 0];
  for (const [bone, body] of pairs) {
    theirs += bone.distanceTo(pairs[0][0]);
    ours += body.distanceTo(pairs[0][1]);
  }
  return theirs > 0 && ours > 0 ? ours / theirs : 1;
}

/** Of a character: with the run of this page where its bodies are called as bones, alone otherwise. */
async function characterPage(empty, buffer, name, recording) {
  const text = packed(buffer);
  const character = await readCharacter(text, {});
  const look = { name: name.replace(/\.[^.]*$/, '') };
  const bodies = recording?.series ? recording.scene.bodies : [];
  if (!bodies.length || character.pair(bodies.map((body) => body.name)) === 0) return pageOf(empty, { version: 1, character: look }, text);
  character.root.updateMatrixWorld(true);
  const data = JSON.parse(byId('sinew-data').textContent);
  // A scene of `sinew bake` is called after the clip that it begins with.
  const source = character.clips.find((clip) => `${clip.name} physics` === recording.scene.name);
  const clip = source && { clip: source.name };
  return pageOf(empty, { ...data, character: { ...look, ...clip, scale: unitOf(character, bodies) } }, text);
}

async function pageFor(empty, file, recording) {
  const ending = file.name.split('.').pop().toLowerCase();
  if (ending === 'glb' || ending === 'gltf') return characterPage(empty, await file.arrayBuffer(), file.name, recording);
  if (ending === 'json') return pageOf(empty, await sceneData(await file.text(), file.name));
  const hint = elsewhere[ending] ? `; sinew ${elsewhere[ending]} shows this one` : '';
  throw new Error(`a page takes .glb, .gltf and scenes (.json)${hint}`);
}

/** @param {() => import('./data.js').Recording | undefined} recording of this page */
export function takeDrops(recording) {
  const empty = emptyPage();
  const root = document.documentElement;
  const mark = (on) => (event) => {
    if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return;
    event.preventDefault();
    root.toggleAttribute('data-drop', on);
  };
  addEventListener('dragover', mark(true));
  addEventListener('dragleave', (event) => event.relatedTarget || mark(false)(event));
  addEventListener('drop', async (event) => {
    mark(false)(event);
    const [file, ...more] = event.dataTransfer?.files ?? [];
    if (!file) return;
    try {
      if (more.length) throw new Error('one file at a time, please');
      say(`Reading ${file.name} …`);
      location.href = URL.createObjectURL(await pageFor(empty, file, recording()));
    } catch (error) {
      say(`Not loaded: ${error.message}`);
      console.warn(error);
    }
  });
}
