// What stands in the world beside planes: balls, boxes and other shapes, hills, triangles.
import { Box3, DoubleSide, Group, Mesh, MeshStandardMaterial } from 'three';
import { obstacleGeometry } from './shapes.js';

export class Obstacles {
  root = new Group();

  /** @param {import('./data.js').Obstacle[]} obstacles */
  constructor(obstacles) {
    this.root.name = 'obstacles';
    const smooth = new MeshStandardMaterial({ color: 0x9ba3ac, roughness: 0.8 });
    // Each triangle is seen as the one that holds bodies, from behind too, where it does not.
    const flat = new MeshStandardMaterial({ color: 0x9ba3ac, roughness: 0.9, flatShading: true, side: DoubleSide });
    for (const obstacle of obstacles) {
      if (obstacle.type === 'plane') continue;
      const isTerrain = obstacle.type === 'height_field' || obstacle.type === 'triangles';
      const mesh = new Mesh(obstacleGeometry(obstacle), isTerrain ? flat : smooth);
      mesh.receiveShadow = true;
      mesh.castShadow = true;
      this.root.add(mesh);
    }
  }

  /** The height of the lowest point; infinite where there is nothing. */
  get lowest() {
    return new Box3().setFromObject(this.root).min.y;
  }
}
