import { afterEach, expect, it, vi } from 'vitest';
import { BoardFiles } from './board-files.js';

const BUNDLE = '/bundle/main.cjs';

afterEach(() => void vi.restoreAllMocks());

it('says what to do if a bundle lacks the files', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue('/');
  await expect(new BoardFiles(BUNDLE).check()).rejects.toThrow(
    /beside \/bundle\/main\.cjs\. With a bundler, keep nestjs-zk-lock external/,
  );
});

it('finds them in the package that the application has installed', async () => {
  const files = new BoardFiles(BUNDLE);
  await files.check();
  expect((await files.page('locks')).toString()).toContain('src="locks/board.js"');
});
