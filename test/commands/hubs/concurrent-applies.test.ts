/** Several people apply their edits of one export at the same moment. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { eventually } from '../../eventually.ts';
import { startSignedIn } from './signed-in-workspace.ts';

t.test('of many that apply one revision at once, one does, and the hub is as its file says', async (t) => {
  const { vp, json, createHub, testWorkspace } = await startSignedIn(t);
  await createHub();
  for (const round of [1, 2]) {
    const { file } = await json('hubs', 'export', 'acme');
    const editors = ['a', 'b', 'c', 'd', 'e'].map((editor) => ({
      editor: `${editor}${round}`,
      name: `${editor}.yaml`,
    }));
    for (const { editor, name } of editors)
      testWorkspace.write(name, stringify({ ...file, hub: { ...file.hub, name: `Hub of ${editor}` } }));
    const outcomes = await Promise.all(editors.map(({ name }) => vp(['hubs', 'apply', name])));
    const winner = outcomes.findIndex(({ code }) => code === 0);
    t.same(
      outcomes.map(({ code }) => code).sort(),
      [0, 2, 2, 2, 2],
      outcomes.map(({ stdout, stderr }) => stdout + stderr).join('\n'),
    );
    for (const [index, { stderr }] of outcomes.entries())
      if (index !== winner) {
        t.match(stderr, /HUB_CHANGED/);
        for (const text of [`not ${file.revision}`, `vp hubs diff ${editors[index]?.name}`])
          t.ok(stderr.replaceAll(/\s+/g, ' ').includes(text), stderr);
      }
    t.match(await json('hubs', 'export', 'acme'), {
      file: { hub: { name: `Hub of ${editors[winner]?.editor}` } },
    });
    t.match(await vp(['hubs', 'apply', editors[winner]?.name ?? '']), { code: 0, stdout: /^acme is as/ });
  }
});

/** A program that gives a secret once somebody has written the file `go`. */
const slowSecret = `
import { existsSync, writeFileSync } from 'node:fs';
writeFileSync('started', '');
const timer = setInterval(() => {
  if (!existsSync('go')) return;
  clearInterval(timer);
  process.stdout.write('Bearer abc');
}, 10);
`;

t.test(
  'a hub that changes between the reading and the change is left alone, whatever the file says of its revision',
  async (t) => {
    const { vp, ana, json, createHub, testWorkspace } = await startSignedIn(t);
    await createHub();
    testWorkspace.write('secret.mjs', slowSecret);
    const value = `command:'${process.execPath}' secret.mjs`;
    const credential = { kind: 'header', header: 'Authorization', value };
    const connections = [{ name: 'docs', kind: 'http', url: 'https://tools.example.com/mcp', credential }];
    testWorkspace.write(
      'hub.yaml',
      stringify({ version: 1, hub: { slug: 'acme', name: 'From the file' }, connections }),
    );
    const applying = vp(['hubs', 'apply', 'hub.yaml', '--allow-commands']);
    await eventually(() => existsSync(join(testWorkspace.folder, 'started')));
    t.equal((await ana.api('PUT', '/hubs/acme', { name: 'From the console' })).status, 200);
    testWorkspace.write('go', '');
    t.match(await applying, { code: 2, stdout: '', stderr: /HUB_CHANGED/ });
    t.match(await json('hubs', 'export', 'acme'), { file: { hub: { name: 'From the console' }, connections: [] } });
    t.match(await vp(['hubs', 'apply', 'hub.yaml', '--allow-commands']), { code: 0 });
    t.match(await json('hubs', 'export', 'acme'), { file: { hub: { name: 'From the file' } } });
  },
);
