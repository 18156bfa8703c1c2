import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folders of the published libraries, in the order of `scripts/packages/libraries.mjs`. */
export const libraries = [
  'zk-protocol',
  'zk-client',
  'zk-embedded',
  'zk-locks',
  'zk-lock-cli',
  'nestjs-zk-lock',
] as const;

/** Packages that are started and not imported. */
export const COMMANDS: readonly string[] = ['zk-lock-cli'];

type Versions = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

export const folderOf = (library: string): string => join(root, 'libs', library);

export function manifestOf(library: string): Manifest {
  return JSON.parse(readFileSync(join(folderOf(library), 'package.json'), 'utf8')) as Manifest;
}
