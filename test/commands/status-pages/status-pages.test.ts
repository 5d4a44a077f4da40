/** `vp status-pages`, on a real control plane. */
import t from 'tap';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText } from '../test-workspace.ts';

t.test('a page is created, read, listed, extended and revoked', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9', { 'scenarios/b.md': scenarioText('RT-b') });
  const { vp, registerInstance } = await startTestControlPlane(t, workspace);
  await registerInstance('shop');
  await vp(['scenarios', 'push', 'scenarios/b.md']);
  t.match(await vp(['status-pages', 'list']), {
    code: 0,
    stdout: /^shop has no status page; create one with `vp status-pages create/,
  });
  const text = await vp(['status-pages', 'create', '--title', 'Shop [main]', '--until', '30d']);
  t.match(text, { code: 0, stdout: /^status page [0-9a-f]{10} of shop until .* \(the link is not shown again\)\n/ });
  t.match(text.stdout, /Markdown {2}\[!\[Shop \\\[main\\\]\]\(http:\S+\/badge\.svg\)\]\(http:\S+\)\n/);
  const url = /page +(http\S+)/.exec(text.stdout)?.[1] ?? '';
  const page = await fetch(url);
  t.equal(page.status, 200);
  t.match(await page.text(), '<h1>Shop [main]</h1>');
  const badge = await fetch(`${url}/badge.svg`);
  t.match(await badge.text(), 'aria-label="Shop [main]: no runs"');
  t.equal(badge.headers.get('cross-origin-resource-policy'), 'cross-origin');
  const id = /status page (\w+)/.exec(text.stdout)?.[1] ?? '';
  t.match(await vp(['status-pages', 'extend', id, '--until', '60d']), { code: 0, stdout: /goes on until/ });
  const { status_pages: pages } = JSON.parse((await vp(['status-pages', 'list', '--json'])).stdout);
  t.match(pages, [{ status_page_id: id, title: 'Shop [main]', created_by: 'owner', ended: false }]);
  t.match(await vp(['status-pages', 'list']), { stdout: /Shop \[main\] .* owner / });
  t.match(await vp(['status-pages', 'revoke', id]), { code: 0, stdout: /its badge says unknown/ });
  t.equal((await fetch(url)).status, 404);
  t.match(await (await fetch(`${url}/badge.svg`)).text(), 'status: unknown');
  t.match(await vp(['status-pages', 'revoke', id]), { code: 2, stderr: /STATUS_PAGE_UNKNOWN/ });
});

t.test('tags, a suite and a limit are taken over, and what is wrong is refused by its flag', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const { vp, registerInstance } = await startTestControlPlane(t, workspace);
  await registerInstance('shop');
  const create = (...more: string[]) => vp(['status-pages', 'create', '--json', ...more]);
  const all = [
    '--title',
    'Shop',
    '--until',
    '2d',
    '--tag',
    'a',
    '--tag',
    'b',
    '--suite-name',
    'main',
    '--branch',
    'b',
    '--stale-after',
    '36h',
  ];
  t.match(JSON.parse((await create(...all)).stdout), {
    status_page: { tags: ['a', 'b'], suite: 'main', branch: 'b', stale_after_s: 129_600 },
  });
  t.match(await create('--until', '2d'), { code: 2, stdout: /--title is required/ });
  t.match(await create('--title', 'x'), { code: 2, stdout: /--until is required/ });
  t.match(await create('--title', 'x', '--until', 'soon'), { code: 2, stdout: /--until must be a day/ });
  t.match(await create('--title', 'x', '--until', '2d', '--stale-after', '5s'), { code: 2, stdout: /from 1m to 90d/ });
  t.match(await create('--title', 'x', '--until', '400d'), { code: 2, stdout: /STATUS_PAGE_INVALID/ });
  t.match(await vp(['status-pages', 'extend', 'x']), { code: 2, stderr: /--until is required/ });
});
