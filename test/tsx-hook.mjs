/** Node strips types from .ts by itself; .tsx has JSX, which esbuild turns into calls as it is loaded. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file:') || !/\.tsx(\?|$)/.test(url)) return next(url, context);
    const file = fileURLToPath(url);
    const { code } = transformSync(readFileSync(file, 'utf8'), {
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
