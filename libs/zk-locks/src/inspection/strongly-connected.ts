/** The state of a vertex in Tarjan's algorithm. */
interface Visit<Vertex> {
  readonly vertex: Vertex;
  readonly index: number;
  /** The lowest index known to be reachable from it. */
  low: number;
  /** Whether its component is still incomplete. */
  isOpen: boolean;
  readonly next: Iterator<Vertex, unknown>;
}

/**
 * Returns the vertices of a directed graph that lie on circles: those in strongly connected
 * components of two or more vertices. Tarjan's algorithm without recursion; the time is linear in
 * vertices and edges.
 *
 * @param nextOf the targets of a vertex's edges, never the vertex itself
 */
export function verticesOnCircles<Vertex>(
  vertices: Iterable<Vertex>,
  nextOf: (vertex: Vertex) => Iterable<Vertex>,
): ReadonlySet<Vertex> {
  const visits = new Map<Vertex, Visit<Vertex>>();
  const found = new Set<Vertex>();
  const open: Visit<Vertex>[] = [];
  const path: Visit<Vertex>[] = [];
  const enter = (vertex: Vertex): void => {
    const index = visits.size;
    const next = nextOf(vertex)[Symbol.iterator]();
    const visit = { vertex, index, low: index, isOpen: true, next };
    visits.set(vertex, visit);
    open.push(visit);
    path.push(visit);
  };
  const complete = (visit: Visit<Vertex>): void => {
    const component = open.splice(open.lastIndexOf(visit));
    for (const each of component) {
      each.isOpen = false;
      if (component.length > 1) found.add(each.vertex);
    }
  };
  for (const start of vertices) {
    if (!visits.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const step = top.next.next();
      if (step.done !== true) {
        const known = visits.get(step.value);
        if (!known) enter(step.value);
        else if (known.isOpen) top.low = Math.min(top.low, known.index);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before) before.low = Math.min(before.low, top.low);
      if (top.low === top.index) complete(top);
    }
  }
  return found;
}
