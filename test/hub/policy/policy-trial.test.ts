/** A trial of a policy evaluates each recorded call once, also of calls whose outcome is open or unknown, of resources and prompts. */
import t from 'tap';
import type { AuditEntry } from '../../../src/hub/audit/audit-entry.ts';
import { createEntry } from '../audit/test-audit.ts';
import { ana, create, createPrincipal, listVisible, max, read, startGovernance, tickets } from './test-governance.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

t.test('a call that was recorded before it was sent counts once, whatever became of it', async (t) => {
  const { governance, audit, clock } = await startGovernance(t);
  await listVisible(governance, [create, read]);
  const record = async (overrides: Partial<AuditEntry>): Promise<void> =>
    audit.record(
      createEntry({
        atMs: clock.nowMs() - 1000,
        principal: createPrincipal(max),
        connection: { id: tickets.id, name: 'tickets' },
        tool: 'create',
        arguments: { title: 'long' },
        ...overrides,
      }),
    );
  await record({ outcome: 'started' });
  await record({ outcome: 'ok', intentSeq: 1 });
  await record({ outcome: 'started' });
  await record({ outcome: 'unknown', intentSeq: 3, arguments: undefined, redact: { keep: false, hide: [] } });
  await record({ outcome: 'started' });
  await record({ outcome: 'ok' });
  const rule = { tools: 'tickets__create', schema: { properties: { title: { maxLength: 2 } } } };
  t.match(await governance.tryPolicy(ana, 'acme', { arguments: [rule] }), {
    calls: 4,
    unknown: 0,
    refused: [{ tool: 'tickets__create', calls: 4, seqs: [1, 3, 5, 6] }],
    allowed: [],
  });
});

t.test('resources and prompts are decided by their rules, refused ones too', async (t) => {
  const { governance, audit, clock } = await startGovernance(t);
  await listVisible(governance, [create, read]);
  const record = (overrides: Partial<AuditEntry>) =>
    audit.record(
      createEntry({
        atMs: clock.nowMs() - 1000,
        principal: createPrincipal(max, 'viewer'),
        connection: { id: tickets.id, name: 'tickets' },
        ...overrides,
      }),
    );
  const uri = 'file:///private/one';
  await record({ method: 'resources/read', tool: uri, arguments: { uri } });
  await record({ method: 'resources/read', tool: 'note://one', arguments: { uri: 'note://one' } });
  await record({ method: 'prompts/get', tool: 'greet', arguments: { whom: 'you' } });
  await record({ method: 'completion/complete', tool: 'greet', arguments: { name: 'whom' } });
  await record({ method: 'prompts/get', tool: 'part', outcome: 'denied', reason: 'denied before' });
  await record({ method: 'tools/list', connection: undefined, tool: undefined });
  const rules = { deny: ['tickets__file:///private/*', 'tickets__greet'], read_only: true };
  t.match(await governance.tryPolicy(ana, 'acme', { roles: { viewer: rules } }), {
    calls: 5,
    refused: [
      { tool: 'tickets__greet', calls: 2, seqs: [3, 4] },
      { tool: `tickets__${uri}`, calls: 1, seqs: [1] },
    ],
    allowed: [{ tool: 'tickets__part', calls: 1, reason: 'denied before' }],
  });
});

t.test('budgets are tried with what was used since their period began, each day anew', async (t) => {
  const { governance, audit, clock } = await startGovernance(t);
  await listVisible(governance, [create, read]);
  clock.jump(Math.ceil(clock.nowMs() / dayMs) * dayMs + dayMs / 2 - clock.nowMs());
  const noonMs = clock.nowMs();
  const record = (atMs: number, overrides: Partial<AuditEntry> = {}) =>
    audit.record(
      createEntry({
        ...{ atMs, principal: createPrincipal(max), connection: { id: tickets.id, name: 'tickets' }, tool: 'create' },
        ...{ requestBytes: 400, responseBytes: 600, ...overrides },
      }),
    );
  const tryBudget = async (amount: object, sinceMs = noonMs - 2 * hourMs) =>
    governance.tryPolicy(ana, 'acme', { budgets: [{ per: 'person', period: 'day', ...amount }] }, sinceMs);
  await record(noonMs - 14 * hourMs);
  await record(noonMs - 3 * hourMs);
  await record(noonMs - hourMs, { outcome: 'cancelled', counts: 'nothing' });
  await record(noonMs - hourMs, { outcome: 'started', responseBytes: 0 });
  await record(noonMs - hourMs, { intentSeq: 4 });
  await record(noonMs - hourMs, { counts: 'bytes' });
  await record(noonMs - hourMs);
  t.match(await tryBudget({ calls: 3 }), { calls: 4, refused: [] }, 'three calls were sent this day');
  const refused = [{ tool: 'tickets__create', person: 'Max', calls: 1, seqs: [7], reason: /2 of 2 calls/ }];
  t.match(await tryBudget({ calls: 2 }), { refused });
  t.match(await tryBudget({ bytes: 3000 }), { refused: [{ calls: 1, seqs: [7], reason: /3000 of 3000 bytes/ }] });
  t.match(await tryBudget({ calls: 1, tools: 'wiki__*' }), { refused: [] }, 'of other tools');
  t.match(
    await tryBudget({ calls: 1 }, noonMs - dayMs),
    { refused: [{ calls: 2, seqs: [4, 7] }] },
    'not the day before',
  );
});
