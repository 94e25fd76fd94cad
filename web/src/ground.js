// Planes: those of the scene, and a grid below a motion that has none.
import {
  CircleGeometry, Color, DoubleSide, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector3,
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
  uniform vec3 lineColor, fillColor, fillShown;
  uniform float cell, radius, fill, pixel;
  varying vec2 place;
  float lines(vec2 width, float size) {
    vec2 at = place / size;
    vec2 near = abs(fract(at - 0.5) - 0.5) * size / width;
    // Where cells are smaller than pixels the lines melt away instead of flickering.
    return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.7, max(width.x, width.y) / size));
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, length(place) / radius);
    vec2 width = max(pixel * fwidth(place), vec2(1e-6 * cell));
    float line = max(0.45 * lines(width, cell), lines(width, 5.0 * cell));
    float alpha = mix(fill, 1.0, line * 0.75) * fade;
    // Between the lines, which is nearly everywhere, the colour is known: its roots take long in software.
    gl_FragColor = vec4(fillShown, alpha);
    if (line > 0.0) {
      gl_FragColor.rgb = mix(fillColor, lineColor, line);
      #include <colorspace_fragment>
    }
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
        lineColor: { value: new Color() }, fillColor: { value: new Color() }, fillShown: { value: new Color() },
        cell: { value: cell }, radius: { value: radius }, fill: { value: fill }, pixel: { value: 1 },
      },
    }));
    const shadow = new Mesh(geometry, new ShadowMaterial({ transparent: true, depthWrite: false }));
    shadow.receiveShadow = true;
    shadow.userData = { normal, point };
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

  /**
   * Only where the sun's shadow map reaches can there be a shadow: of the rest of the plane none is looked for, which
   * would take most of the time where no graphics card helps. Planes that the sun grazes keep their whole disc.
   * @param {Vector3} at what the sun looks at @param {Vector3[]} axes of its map: right, up, toward the sun
   * @param {number} half the map's width
   */
  setSun(at, axes, half) {
    this.#shadows.forEach((shadow) => {
      const { normal, point } = shadow.userData;
      const slope = normal.dot(axes[2]);
      if (slope < 0.3) return;
      const onPlane = (place) => place.addScaledVector(axes[2], -normal.dot(place.clone().sub(point)) / slope);
      const center = onPlane(at.clone());
      const side = (axis) => onPlane(axis.clone().multiplyScalar(half).add(at)).sub(center);
      shadow.geometry = this.#square;
      shadow.matrixAutoUpdate = false;
      shadow.matrix.makeBasis(side(axes[0]), side(axes[1]), normal).setPosition(center);
      shadow.matrixWorldNeedsUpdate = true;
    });
  }

  #square = new PlaneGeometry(2, 2);

  /** Lines are as wide as one pixel of a page, however fine the screen. */
  setPixelRatio(ratio) {
    for (const { material } of this.#grids) material.uniforms.pixel.value = ratio;
  }

  setTheme(/** @type {{line: number, ground: number, shadow: number}} */ colors) {
    for (const { material } of this.#grids) {
      material.uniforms.lineColor.value.set(colors.line);
      material.uniforms.fillColor.value.set(colors.ground);
      material.uniforms.fillShown.value.set(colors.ground).convertLinearToSRGB();
    }
    for (const { material } of this.#shadows) material.opacity = colors.shadow;
  }
}
