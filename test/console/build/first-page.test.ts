/** What a browser loads before it can paint anything. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { bundleConsole } from '../../../src/console/build/bundle-console.ts';

t.setTimeout(180_000);

t.test('the first page loads at most three scripts, and the one that is part of it has no imports', async (t) => {
  // esbuild names its outputs from here, and the page is written with their names.
  const folder = relative(process.cwd(), realpathSync(t.testdir()));
  await bundleConsole(folder);
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const scripts = Array.from(page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g), ([, file = '']) => file);
  t.ok(scripts.length >= 1 && scripts.length <= 3, scripts.join(' '));
  const [, attribute = '', start = ''] = /<script data-parts='([^']*)'>([\s\S]*?)<\/script>/.exec(page) ?? [];
  for (const files of Object.values<string[]>(JSON.parse(attribute)))
    for (const file of files) {
      t.ok(existsSync(join(folder, file)), file);
      t.notOk(scripts.includes(file.slice(1)), `${file} is loaded only with its page`);
    }
  t.ok(page.indexOf(start) < page.indexOf('rel="stylesheet"'), 'it does not wait for the style');
  t.notMatch(start, /\b(?:import|export)\b/, 'it is a plain script');
  t.match(start, 'vpEarlyResponses');
});
