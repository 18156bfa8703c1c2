import { expect, it } from 'vitest';
import { Dirt } from './dirt.js';

const LONG = 'x'.repeat(900_000);

function changedAt(...paths: readonly string[]): Dirt {
  const dirt = new Dirt();
  for (const path of paths) dirt.add(path, '/locks', '/locks-runs');
  return dirt;
}

it('what has changed is a key, a node of it, or a run', () => {
  const dirt = changedAt('/locks/k/node', '/locks/k%upgradable/node', '/locks-runs/job', '/other');
  expect([...dirt.keys]).toEqual(['k', 'k%upgradable']);
  expect([...dirt.nodes.keys()]).toEqual(['/locks/k/node', '/locks/k%upgradable/node']);
  expect([...dirt.runs]).toEqual(['job']);
});

it('names that are too long for a key are neither remembered nor read', () => {
  expect(changedAt(`/locks/${LONG}`, `/locks/${LONG}/node`, `/locks-runs/${LONG}`).isEmpty).toBe(
    true,
  );
});

it('a node whose name is too long for a lock node is remembered as a change of its key', () => {
  const dirt = changedAt(`/locks/k/${LONG}`);
  expect([...dirt.keys]).toEqual(['k']);
  expect([...dirt.nodes.keys()]).toEqual(['/locks/k']);
});
