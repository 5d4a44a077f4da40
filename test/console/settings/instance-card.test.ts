/** What an environment without a connected executor says: each command can be pasted as it stands. */
import { createElement } from 'react';
import t, { type Test } from 'tap';
import { findCommand } from '../../../src/command-line/find-command.ts';
import { parseLine } from '../../../src/command-line/parse-line.ts';
import { catalogue } from '../../../src/commands/catalogue.ts';
import type { Instance } from '../../../src/contract/api.ts';
import { renderConsole } from '../render-console.ts';
import { createTestInstance } from '../test-records.ts';

async function readCommands(t: Test, overrides: Partial<Instance>): Promise<readonly string[]> {
  const { InstanceCard } = await import('../../../src/console/settings/environments/instance-card.tsx');
  const instance = createTestInstance('shop', overrides);
  const { container, until } = await renderConsole(
    t,
    'http://127.0.0.1:7811/settings/environments',
    { 'GET /api/v1/instances': { items: [instance], next_cursor: null } },
    async () => createElement(InstanceCard, { instance }),
  );
  await until(() => container.querySelector('.help') !== null);
  return [...container.querySelectorAll('.command code')].map(({ textContent }) => textContent);
}

async function assertPasteable(t: Test, line: string): Promise<void> {
  const match = findCommand(catalogue, line.split(' ').slice(1));
  if (match.kind !== 'command') throw new Error(`no command: ${line}`);
  t.ok(parseLine(await match.entry.load(), match.args, {}), line);
}

t.test('an executor that never connected is started with the file of its key', async (t) => {
  const [line = '', ...others] = await readCommands(t, { executor_status: 'NEVER_SEEN', tier: 'compose' });
  t.same(others, []);
  t.equal(line, 'vp executor --key-file shop.key --product-dir product --control-plane http://127.0.0.1:7811');
  await assertPasteable(t, line);
});

t.test('an executor of containers that is away is looked at and repaired by doctor', async (t) => {
  const [line = '', ...others] = await readCommands(t, { executor_status: 'AWAY', tier: 'compose' });
  t.same(others, []);
  t.equal(line, 'vp doctor --instance shop --fix --control-plane http://127.0.0.1:7811');
  await assertPasteable(t, line);
});

t.test('one that is embedded in vp serve needs no command', async (t) => {
  t.same(await readCommands(t, { executor_status: 'AWAY', tier: 'embedded' }), []);
});
