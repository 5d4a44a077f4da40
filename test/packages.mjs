/**
 * The packages that tests load as hundreds of small modules, each as one file: resolving and reading the modules of tap alone takes
 * 0.11 s of processor time, and every test file is a process. The files are written once for a lock file.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Of a package all entries that are imported: two copies of a module would not know each other's classes. */
const names = [
  'tap',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/client/stdio',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/server/stdio',
  '@sinclair/typebox',
  '@sinclair/typebox/compiler',
  '@sinclair/typebox/value',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  'ajv',
  'ajv/dist/2020.js',
  'ajv/dist/standalone/index.js',
  'ajv-formats',
  'diff',
  'execa',
  'happy-dom',
  'hono',
  'hono/body-limit',
  'hono/method-not-allowed',
  'prom-client',
  'yaml',
];

/** In place of packages of tap. */
const replacements = {
  'async-hook-domain': join(import.meta.dirname, 'async-domain.mjs'),
  '@tapjs/after': join(import.meta.dirname, 'after-plugin.mjs'),
};

const toPackageName = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
const packageNames = new Set(names.map(toPackageName));
const toFileName = (name) => `${name.replaceAll(/[^\w.-]/g, '_')}.mjs`;

/** The URL of each package's file in `folder`. */
export function listPackageFiles(folder) {
  return new Map(names.map((name) => [name, pathToFileURL(`${folder}/${toFileName(name)}`).href]));
}

/** Throws for an entry of a bundled package that is not bundled. */
export function assertBundled(specifier) {
  if (!names.includes(specifier) && packageNames.has(toPackageName(specifier)))
    throw new Error(`${specifier} is not bundled with the other entries of its package: list it in test/packages.mjs`);
}

/** Returns the folder of the files, which are written where the lock file or this one has changed. */
export async function bundlePackages(cacheFolder) {
  const key = createHash('sha256');
  for (const file of ['package-lock.json', import.meta.filename, ...Object.values(replacements)])
    key.update(readFileSync(file));
  // tap omits frames below node_modules/@tapjs from its stack traces.
  const folder = `${cacheFolder}/packages-${key.digest('hex').slice(0, 12)}/node_modules/@tapjs/bundled`;
  if (existsSync(folder)) return folder;
  const part = `${cacheFolder}/packages-${process.pid}.part`;
  await writeBundles(part);
  mkdirSync(`${folder}/..`, { recursive: true });
  try {
    renameSync(part, folder);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(folder)) throw error;
    rmSync(part, { recursive: true });
  }
  return folder;
}

/** In a process of its own: whoever imports tap is a test, and fails after tap's time limit. */
function listExports() {
  const script = `
    import { writeFileSync } from 'node:fs';
    const listNames = async (name) => [name, Object.keys(await import(name)).filter((key) => key !== 'module.exports')];
    writeFileSync(3, JSON.stringify(await Promise.all(${JSON.stringify(names)}.map(listNames))));
    process.exit();`;
  const options = { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit', 'pipe'], encoding: 'utf8' };
  const { output } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], options);
  return new Map(JSON.parse(output[3]));
}

async function writeBundles(outdir) {
  const { build } = await import('esbuild');
  const exportsByName = listExports();
  await build({
    entryPoints: names.map((name) => ({ in: `package:${name}`, out: toFileName(name).replace(/\.mjs$/, '') })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    alias: replacements,
    logLevel: 'error',
    banner: { js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);" },
    plugins: [createEntryPlugin(exportsByName), originalUrlPlugin],
  });
}

/** An entry per package with the names that Node would import from it, also where it is CommonJS. */
function createEntryPlugin(exportsByName) {
  return {
    name: 'entries',
    setup(build) {
      build.onResolve({ filter: /^package:/ }, ({ path }) => ({ path: path.slice(8), namespace: 'entry' }));
      build.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path: name }) => ({
        contents: `export { ${exportsByName.get(name).join(', ')} } from '${name}';`,
        resolveDir: import.meta.dirname,
      }));
    },
  };
}

/** What a module finds relative to itself stays where it is. */
const originalUrlPlugin = {
  name: 'original-url',
  setup(build) {
    build.onLoad({ filter: /node_modules.*\.m?js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'js' };
    });
  },
};
