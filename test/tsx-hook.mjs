/**
 * How tests are loaded. Node strips types from .ts by itself; .tsx has JSX, which esbuild turns into calls, once for each text.
 *
 * A relative import of a .ts file is resolved here, because it names its file exactly. Node would look for the file, its real path and its
 * package, which takes a third of the processor time that loading takes (measured: 490 ms in place of 757 for the 880 modules behind the
 * command line).
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { assertBundled, listPackageFiles } from './packages.mjs';

const require = createRequire(import.meta.url);
const { VP_TEST_PACKAGES: packagesFolder } = process.env;
const packageFiles = packagesFolder === undefined ? new Map() : listPackageFiles(packagesFolder);
const root = new URL('..', import.meta.url).href;
const transformedFolder = new URL('../.cache/test/transformed/', import.meta.url);

/** In a process that several test files share: the `t` of each, by its URL (`shared-process.ts`). */
const fileTestsKey = Symbol.for('vp.fileTests');
const fileTestScheme = 'vp-test:';

const isOwn = (url) => url?.startsWith(root) && !url.includes('/node_modules/');

function transform(file) {
  const text = readFileSync(file, 'utf8');
  const { version } = require('esbuild/package.json');
  const key = createHash('sha256').update(`${version}\n${file}\n${text}`).digest('hex');
  const transformedFile = new URL(`${key}.mjs`, transformedFolder);
  try {
    return readFileSync(transformedFile, 'utf8');
  } catch {
    const { code } = require('esbuild').transformSync(text, {
      loader: 'tsx',
      format: 'esm',
      jsx: 'automatic',
      target: 'node26',
      sourcefile: file,
      sourcemap: 'inline',
    });
    mkdirSync(transformedFolder, { recursive: true });
    const part = new URL(`${key}-${process.pid}.part`, transformedFolder);
    writeFileSync(part, code);
    renameSync(part, transformedFile);
    return code;
  }
}

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (specifier === 'tap' && globalThis[fileTestsKey]?.has(parentURL))
      return { url: `${fileTestScheme}${parentURL}`, format: 'module', shortCircuit: true };
    if (specifier.startsWith('.') && specifier.endsWith('.ts') && isOwn(parentURL))
      return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
    if (specifier.startsWith('.') && specifier.endsWith('.tsx') && isOwn(parentURL))
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    if (packageFiles.size === 0 || parentURL?.includes('/node_modules/')) return next(specifier, context);
    const url = packageFiles.get(specifier);
    if (url !== undefined) return { url, format: 'module', shortCircuit: true };
    assertBundled(specifier);
    return next(specifier, context);
  },
  load(url, context, next) {
    if (url.startsWith(fileTestScheme)) {
      const source = `export default globalThis[Symbol.for('vp.fileTests')].get(${JSON.stringify(url.slice(fileTestScheme.length))});`;
      return { format: 'module', source, shortCircuit: true };
    }
    if (!url.startsWith('file:') || !/\.tsx(\?|$)/.test(url)) return next(url, context);
    return { format: 'module', source: transform(fileURLToPath(url)), shortCircuit: true };
  },
});
