import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import t from 'tap';
import { buildPageErrorTable, createErrorTablePlugin } from '../../../src/console/build/error-table-plugin.ts';
import { errorTable } from '../../../src/errors/table.ts';

t.test('pages have the status of every code, and the texts of those that they raise', async (t) => {
  const table = buildPageErrorTable(new Set(['CONTROL_PLANE_UNREACHABLE']));
  t.same(Object.keys(table), Object.keys(errorTable));
  t.match(table.CONTROL_PLANE_UNREACHABLE, { sentence: errorTable.CONTROL_PLANE_UNREACHABLE.sentence, status: 502 });
  t.same(table.HUB_UNKNOWN, { sentence: '', cure: '', status: 404, severity: 'error' });
});

t.test('a bundled page has texts for its own errors and for foreign ones', async (t) => {
  const folder = t.testdir();
  const vpErrorFile = join(import.meta.dirname, '../../../src/errors/vp-error.ts');
  const page = join(folder, 'src/page.ts');
  mkdirSync(join(folder, 'src'));
  writeFileSync(
    page,
    `import { toVpError, vpError } from '${vpErrorFile}';
     export const raised = vpError('HUB_UNKNOWN', { hub: 'acme' }).message;
     export const foreign = toVpError(new Error('x')).message;`,
  );
  const outfile = join(folder, 'page.mjs');
  const options: BuildOptions = { entryPoints: [page], bundle: true, format: 'esm', outfile };
  const { metafile = { inputs: {}, outputs: {} } } = await build({ ...options, write: false, metafile: true });
  await build({ ...options, plugins: [createErrorTablePlugin(metafile)] });
  const bundledPage = await import(pathToFileURL(outfile).href);
  t.equal(bundledPage.raised, 'you are not a member of a hub acme');
  t.ok(bundledPage.foreign.length > 0);
  t.notMatch(bundledPage.foreign, /\{\{/);
});
