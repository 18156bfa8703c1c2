/** The types of the installed packages, seen by an application's compiler. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readJson, root } from './libraries.mjs';
import { writeJson } from './consumer.mjs';

/** The path of each TypeScript that applications may have. */
const COMPILERS = {
  5.9: 'test/compat/typescript-5.9/node_modules/typescript',
  6: 'node_modules/typescript',
  7: 'test/compat/typescript-7/node_modules/typescript',
};

const OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: false,
};

const RESOLUTIONS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
  node10: { module: 'commonjs', moduleResolution: 'node10' },
};

/** Only errors in our types, and in the application's use of them, count. */
const OURS = /^(?!node_modules\/)|^node_modules\/(nestjs-zk-lock|zk-\w+)\//;

export function checkTypes(directory, compiler, resolution, files) {
  const options = { ...OPTIONS, ...RESOLUTIONS[resolution], noEmit: true };
  const { complaints, status } = runCompiler(directory, compiler, options, files);
  const ours = complaints.filter((line) => OURS.test(line));
  if (ours.length > 0) throw new Error(ours.join('\n'));
  if (status !== 0 && complaints.length === 0) throw new Error(`tsc exits with ${status}`);
}

export function compile(directory) {
  const options = { ...OPTIONS, ...RESOLUTIONS.nodenext, skipLibCheck: true };
  const { complaints, status } = runCompiler(directory, '7', options, ['app.ts', 'bare.ts']);
  if (status !== 0) throw new Error(complaints.join('\n'));
}

function runCompiler(directory, compiler, compilerOptions, names) {
  const files = ['esm', 'cjs'].flatMap((format) => names.map((name) => `${format}/${name}`));
  writeJson(join(directory, 'tsconfig.json'), { compilerOptions, files });
  const folder = join(root, COMPILERS[compiler]);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, readJson(join(folder, 'package.json')).bin.tsc), '--pretty', 'false'],
    { cwd: directory, encoding: 'utf8' },
  );
  // Explanations are indented below the error.
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => /^\S/.test(line));
  return { status, complaints: lines };
}
