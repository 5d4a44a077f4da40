import { join } from 'node:path';
import t from 'tap';
import { formatPathSuggestion } from '../../../src/commands/scenarios/suggest-path.ts';

t.test('the path that was probably meant is suggested', async (t) => {
  const cwd = t.testdir({
    scenarios: { 'RT-GET-items.md': '', shop: { 'RT-GET-price.md': '' }, 'notes.txt': '' },
    test: { scenarios: { 'RT-PUT-order.md': '' } },
    '.git': { 'scenarios.md': '' },
  });
  const suggest = (path: string): string => formatPathSuggestion(path, cwd);
  for (const [path, suggestion] of [
    ['scenarois/RT-GET-items.md', 'scenarios/RT-GET-items.md'],
    ['scenarios/RT-GET-itmes.md', 'scenarios/RT-GET-items.md'],
    ['./scenarios/shpo/RT-GET-price.md', 'scenarios/shop/RT-GET-price.md'],
    ['RT-GET-items.md', 'scenarios/RT-GET-items.md'],
    ['RT-GET-items', 'scenarios/RT-GET-items.md'],
    ['RT-PUT-oder', 'test/scenarios/RT-PUT-order.md'],
    ['scenaros', 'scenarios'],
    ['scenarois/RT-PUT-order.md', 'test/scenarios/RT-PUT-order.md'],
    [join(cwd, 'scenarios/RT-GET-itmes.md'), join(cwd, 'scenarios/RT-GET-items.md')],
  ] as const)
    t.equal(suggest(path), `did you mean \`${suggestion}\`? `, path);
  for (const path of ['nowhere.md', 'elsewhere/entirely/different.md']) t.equal(suggest(path), '', path);
});
