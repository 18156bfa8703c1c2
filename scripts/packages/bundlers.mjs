/** Bundles an application, with this library but without Nest, by the bundlers that Nest applications use. */
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

const EXTERNAL = ['@nestjs/*', 'reflect-metadata', 'rxjs', 'zookeeper'];
const isExternal = (request) =>
  /^(@nestjs\/|(reflect-metadata|rxjs|zookeeper)(\/|$))/.test(request);

/** Each bundler by its package's name: a function of that package, the program, and the bundle's path. */
export const BUNDLERS = { esbuild: bundleByEsbuild, webpack: bundleByWebpack };

async function bundleByEsbuild(esbuild, entry, outfile) {
  const { warnings } = await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: formatOf(outfile) === 'module' ? 'esm' : 'cjs',
    external: EXTERNAL,
    logLevel: 'silent',
  });
  refuse(warnings.map(({ text }) => text));
}

async function bundleByWebpack(webpack, entry, outfile) {
  const type = formatOf(outfile);
  const compiler = webpack({
    mode: 'production',
    target: 'node20',
    entry,
    experiments: { outputModule: type === 'module' },
    externalsType: type === 'module' ? 'module' : 'commonjs',
    externals: ({ request }, settle) => (isExternal(request) ? settle(null, request) : settle()),
    output: {
      path: dirname(outfile),
      filename: basename(outfile),
      library: { type: type === 'module' ? 'module' : 'commonjs2' },
    },
    optimization: { minimize: false },
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  refuse([...errors, ...warnings].map(({ message }) => message));
}

const formatOf = (outfile) => (outfile.endsWith('.mjs') ? 'module' : 'commonjs');

function refuse(complaints) {
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}
