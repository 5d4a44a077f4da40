/** Node strips types from .ts by itself; .tsx has JSX, which esbuild turns into calls as it is loaded. */
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { assertBundled, listPackageFiles } from './packages.mjs';

const require = createRequire(import.meta.url);
const { VP_TEST_PACKAGES: packagesFolder } = process.env;
const packageFiles = packagesFolder === undefined ? new Map() : listPackageFiles(packagesFolder);

registerHooks({
  resolve(specifier, context, next) {
    if (packageFiles.size === 0 || context.parentURL?.includes('/node_modules/')) return next(specifier, context);
    const url = packageFiles.get(specifier);
    if (url !== undefined) return { url, format: 'module', shortCircuit: true };
    assertBundled(specifier);
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !/\.tsx(\?|$)/.test(url)) return next(url, context);
    const file = fileURLToPath(url);
    const { code } = require('esbuild').transformSync(readFileSync(file, 'utf8'), {
      loader: 'tsx',
      format: 'esm',
      jsx: 'automatic',
      target: 'node26',
      sourcefile: file,
      sourcemap: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
