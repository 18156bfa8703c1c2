/** Bundles the page of the lock board, `libs/lock-board-page`. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { folderOf } from './libraries.mjs';
import { bundlePage } from './page.mjs';

const MAX_GZIPPED_KB = 40;

/** The files below `dist` of the library that serves it, as `{ fileName, code }`. */
export async function bundleBoardPage() {
  const files = await bundlePage(join(folderOf('lock-board-page'), 'src'), 'board');
  checkSize(files.slice(0, -1));
  return files.map(({ fileName, code }) => ({ fileName: `board/${fileName}`, code }));
}

function checkSize(files) {
  const bytes = files.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  if (bytes <= MAX_GZIPPED_KB * 1_024) return;
  throw new Error(
    `The lock board's page is ${Math.ceil(bytes / 1_024)} KB gzipped; it may be ${MAX_GZIPPED_KB} KB.`,
  );
}
