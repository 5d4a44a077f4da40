import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import t from 'tap';
import { pageErrors, pageTable } from '../../src/console/bundle-errors.ts';
import { errorTable } from '../../src/errors/table.ts';

t.test('pages know the status of every code, and the words of those that they raise', async (t) => {
  const table = pageTable(new Set(['CONTROL_PLANE_UNREACHABLE']));
  t.same(Object.keys(table), Object.keys(errorTable));
  t.match(table.CONTROL_PLANE_UNREACHABLE, { sentence: errorTable.CONTROL_PLANE_UNREACHABLE.sentence, status: 502 });
  t.same(table.HUB_UNKNOWN, { sentence: '', cure: '', status: 404, severity: 'error' });
});

t.test('a bundled page raises its own errors in words, and those thrown by strangers too', async (t) => {
  const folder = t.testdir();
  const vpErrorFile = join(import.meta.dirname, '../../src/errors/vp-error.ts');
  const page = join(folder, 'src/page.ts');
  mkdirSync(join(folder, 'src'));
  writeFileSync(
    page,
    `import { asVpError, vpError } from '${vpErrorFile}';
     export const own = vpError('HUB_UNKNOWN', { hub: 'acme' }).message;
     export const strange = asVpError(new Error('x')).message;`,
  );
  const outfile = join(folder, 'page.mjs');
  const options: BuildOptions = { entryPoints: [page], bundle: true, format: 'esm', outfile };
  await build({ ...options, plugins: [await pageErrors(options)] });
  const made = await import(pathToFileURL(outfile).href);
  t.equal(made.own, 'you belong to no hub acme');
  t.ok(made.strange.length > 0);
  t.notMatch(made.strange, /\{\{/);
});
