import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRun, rendered, RESULTS } from './publish.js';

describe('figures in documents', () => {
  it('are those of bench/results.json; if not, run `npm run bench -- --publish bench/results.json`', async () => {
    for (const [path, text] of await rendered(readRun(RESULTS))) {
      expect(readFileSync(path, 'utf8'), path).toBe(text);
    }
  });
});
