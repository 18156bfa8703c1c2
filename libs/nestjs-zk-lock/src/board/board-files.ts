import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ZkLockConfigError } from 'zk-locks';
import { ownFile } from '../own-file.js';

/** The files that browsers load, with their types. */
export const FILES = {
  'index.html': 'text/html; charset=utf-8',
  'board.js': 'text/javascript; charset=utf-8',
  'board.css': 'text/css; charset=utf-8',
} as const;

export type BoardFile = keyof typeof FILES;

/** The page's placeholder for the last segment of the board's path, to which its links are relative. */
const SEGMENT = /\{\{segment\}\}/g;

/** Reads each file once. */
export class BoardFiles {
  readonly #contents = new Map<BoardFile, Promise<Buffer>>();

  /** @param codeFile the file that this code runs from */
  constructor(private readonly codeFile = ownFile) {}

  /** @throws {ZkLockConfigError} if a file is not found */
  async check(): Promise<void> {
    const names = Object.keys(FILES) as BoardFile[];
    await Promise.all(names.map((name) => this.read(name)));
  }

  async read(name: BoardFile): Promise<Buffer> {
    const known = this.#contents.get(name) ?? find(name, this.codeFile);
    this.#contents.set(name, known);
    return known;
  }

  /** @param segment the page's own relative URL */
  async page(segment: string): Promise<Buffer> {
    const text = (await this.read('index.html')).toString();
    return Buffer.from(text.replaceAll(SEGMENT, segment));
  }
}

async function find(name: BoardFile, codeFile: string): Promise<Buffer> {
  for (const folder of folders(codeFile)) {
    try {
      return await readFile(join(folder, name));
    } catch {
      // The next folder may have it.
    }
  }
  throw new ZkLockConfigError(
    'ZkLockBoardModule',
    `finds no file ${name} beside ${codeFile}`,
    'With a bundler, keep nestjs-zk-lock external, or copy node_modules/nestjs-zk-lock/dist/board into a folder "board" beside the bundle.',
  );
}

/**
 * The folders to search: beside the published code, in the build of the sources, and in the package that is
 * installed where an application's bundle runs.
 */
function* folders(codeFile: string): Iterable<string> {
  const here = dirname(codeFile.startsWith('file:') ? fileURLToPath(codeFile) : codeFile);
  yield join(here, 'board');
  yield join(here, '..', 'dist', 'board');
  try {
    const require = createRequire(join(process.cwd(), 'package.json'));
    yield join(dirname(require.resolve('nestjs-zk-lock/package.json')), 'dist', 'board');
  } catch {
    // The package is not installed there.
  }
}
