// Planes: those of the scene, and a grid below a motion that has none.
import {
  CircleGeometry, Color, DoubleSide, Group, Mesh, Quaternion, ShaderMaterial, ShadowMaterial, Vector3,
} from 'three';

// Lines are drawn by a shader: a fixed width on the screen, without shimmer, fading out with distance
// so that the ground has no visible end.
const vertexShader = `
  varying vec2 place;
  void main() {
    place = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const fragmentShader = `
  uniform vec3 lineColor, fillColor;
  uniform float cell, radius, fill, pixel;
  varying vec2 place;
  float lines(float size) {
    vec2 at = place / size;
    vec2 width = pixel * fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
    // Where cells are smaller than pixels the lines melt away instead of flickering.
    return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.7, max(width.x, width.y)));
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, length(place) / radius);
    float line = max(0.45 * lines(cell), lines(5.0 * cell));
    float alpha = mix(fill, 1.0, line * 0.75) * fade;
    gl_FragColor = vec4(mix(fillColor, lineColor, line), alpha);
    #include <colorspace_fragment>
  }`;

/** 1, 2 or 5 times a power of ten. */
export function niceStep(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  const lead = size / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

export class Ground {
  root = new Group();
  #grids = [];
  #shadows = [];

  /**
   * @param {import('./data.js').Obstacle[]} obstacles
   * @param {{center: Vector3, size: number, lowest: number}} extent of the motion
   * @param {number} reach of the character about its centre, the measure for the grid's cells
   */
  constructor(obstacles, extent, reach) {
    this.cell = niceStep(reach / 5);
    const planes = obstacles.filter((obstacle) => obstacle.type === 'plane');
    const normals = planes.map((plane) => new Vector3(...(plane.normal ?? [0, 1, 0])).normalize());
    planes.forEach((plane, i) => this.#add(normals[i], new Vector3(...(plane.position ?? [0, 0, 0])), extent, 0.55));
    if (!normals.some((normal) => normal.y > 0.7)) {
      this.reference = extent.lowest;
      this.#add(new Vector3(0, 1, 0), new Vector3(0, extent.lowest, 0), extent, 0);
    }
  }

  #add(normal, point, extent, fill) {
    // The disc lies under the motion but its grid stays on whole multiples of the cell in the world.
    const { cell } = this;
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
    const inPlane = extent.center.clone().sub(point).applyQuaternion(turn.clone().invert());
    const snap = (x) => Math.round(x / (5 * cell)) * 5 * cell;
    const center = new Vector3(snap(inPlane.x), snap(inPlane.y), 0).applyQuaternion(turn).add(point);
    const radius = 4 * extent.size;
    const geometry = new CircleGeometry(radius, 72);
    const grid = new Mesh(geometry, new ShaderMaterial({
      vertexShader, fragmentShader, transparent: true, depthWrite: false, side: DoubleSide,
      uniforms: {
        lineColor: { value: new Color() }, fillColor: { value: new Color() },
        cell: { value: cell }, radius: { value: radius }, fill: { value: fill }, pixel: { value: 1 },
      },
    }));
    const shadow = new Mesh(geometry, new ShadowMaterial({ transparent: true, depthWrite: false }));
    shadow.receiveShadow = true;
    grid.renderOrder = -2;
    shadow.renderOrder = -1;
    for (const mesh of [grid, shadow]) {
      mesh.quaternion.copy(turn);
      mesh.position.copy(center);
      this.root.add(mesh);
    }
    this.#grids.push(grid);
    this.#shadows.push(shadow);
  }

  /** Lines are as wide as one pixel of a page, however fine the screen. */
  setPixelRatio(ratio) {
    for (const { material } of this.#grids) material.uniforms.pixel.value = ratio;
  }

  setTheme(/** @type {{line: number, ground: number, shadow: number}} */ colors) {
    for (const { material } of this.#grids) {
      material.uniforms.lineColor.value.set(colors.line);
      material.uniforms.fillColor.value.set(colors.ground);
    }
    for (const { material } of this.#shadows) material.opacity = colors.shadow;
  }
}
