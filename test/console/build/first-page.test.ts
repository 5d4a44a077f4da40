/** What a browser loads before it can paint anything. */
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { bundleConsole } from '../../../src/console/build/bundle-console.ts';

t.setTimeout(180_000);

t.test('the first page loads at most four scripts, and the first of them has no imports', async (t) => {
  // esbuild names its outputs from here, and the page is written with their names.
  const folder = relative(process.cwd(), realpathSync(t.testdir()));
  await bundleConsole(folder);
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const scripts = Array.from(page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g), ([, file = '']) => file);
  t.ok(scripts.length >= 2 && scripts.length <= 4, scripts.join(' '));
  const start = readFileSync(join(folder, scripts.find((file) => file.includes('/start-')) ?? ''), 'utf8');
  t.notMatch(start, /\b(?:import|export)\b/, 'it is a plain script');
  t.match(start, 'vpEarlyResponses');
});
