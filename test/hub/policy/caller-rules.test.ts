/** Rules by person, token and client narrow what a role may do. */
import t from 'tap';
import type { CallerRule } from '../../../src/contract/hubs/policy-api.ts';
import type { HubPrincipal } from '../../../src/hub/access/principal.ts';
import type { CallerFacts } from '../../../src/hub/policy/caller-rules.ts';
import { compilePolicy } from '../../../src/hub/policy/compiled-policy.ts';
import { createEntry } from '../audit/test-audit.ts';
import { findCallRefusal } from './call-refusal.ts';
import {
  ana,
  create,
  createPrincipal,
  decide,
  listVisible,
  max,
  read,
  startGovernance,
  tickets,
} from './test-governance.ts';

const caller: CallerFacts = {
  person: { personId: 'p-max', name: 'Max' },
  via: { kind: 'token', tokenId: 't-1', tokenName: 'ci' },
  client: { name: 'cursor', version: '1' },
};
const grant: CallerFacts = {
  ...caller,
  via: { kind: 'grant', clientId: 'https://app.example/client.json', clientName: 'App', scopes: [] },
  client: undefined,
};

function findReason(rules: CallerRule[], from: CallerFacts, tool = 'create', isReadOnly = false): string | undefined {
  const facts = { role: 'member', connection: 'tickets', tool, isReadOnly, caller: from } as const;
  return findCallRefusal(compilePolicy({ callers: rules }), facts)?.reason;
}

t.test('a rule is for whoever matches each of its members', async (t) => {
  for (const [rule, from, isRefused] of [
    [{ people: ['Max'] }, caller, true],
    [{ people: ['p-max'] }, caller, true],
    [{ people: ['max'] }, caller, false],
    [{ people: ['Ana'] }, caller, false],
    [{ tokens: ['ci'] }, caller, true],
    [{ tokens: ['t-1'] }, caller, true],
    [{ tokens: ['ci'] }, grant, false],
    [{ clients: ['cursor'] }, caller, true],
    [{ clients: ['cur*'] }, caller, true],
    [{ clients: ['App'] }, grant, true],
    [{ clients: ['https://app.example/*'] }, grant, true],
    [{ clients: ['*'] }, { ...caller, client: undefined }, false],
    [{ people: ['Max'], tokens: ['other'] }, caller, false],
    [{ people: ['Max'], tokens: ['ci'], clients: ['cursor'] }, caller, true],
    [{ people: ['Ana', 'Max'] }, { ...caller, via: { kind: 'console' } }, true],
  ] as const satisfies readonly (readonly [object, CallerFacts, boolean])[]) {
    const copied: CallerRule = JSON.parse(JSON.stringify({ ...rule, deny: ['tickets__*'] }));
    t.equal(findReason([copied], from) !== undefined, isRefused, JSON.stringify([rule, from.via]));
  }
});

t.test('every rule for a caller must allow, besides the role', async (t) => {
  const rules: CallerRule[] = [
    { people: ['Max'], allow: ['tickets__*'] },
    { tokens: ['ci'], read_only: true },
  ];
  t.equal(findReason(rules, caller, 'read', true), undefined);
  t.match(findReason(rules, caller, 'create'), /the token ci may only read/);
  t.equal(findReason(rules, grant, 'create'), undefined);
  t.match(findReason([{ people: ['Max'], allow: ['wiki__*'] }], caller), /does not allow this to the person Max/);
  t.match(
    findReason([{ people: ['a', 'b', 'c', 'Max'], clients: ['cursor'], deny: ['*'] }], caller),
    /denies \* to the person a, b, c, … with the client cursor/,
  );
  const policy = compilePolicy({ roles: { member: { allow: [] } }, callers: [{ people: ['Max'], allow: ['*'] }] });
  const facts = { role: 'member', connection: 'tickets', tool: 'create', isReadOnly: true, caller } as const;
  t.match(findCallRefusal(policy, facts), { reason: /to the role member/ }, 'a rule for a caller adds nothing');
  t.throws(() => compilePolicy({ callers: [{ deny: ['*'] }] }), { code: 'POLICY_INVALID' });
});

t.test('rules decide calls and lists, of tools, prompts and resources', async (t) => {
  const { governance } = await startGovernance(t);
  await listVisible(governance, [create, read]);
  const document = { callers: [{ people: ['max'], allow: ['tickets__read', 'tickets__greet'] }] };
  await t.rejects(governance.setPolicy(ana, 'acme', { document, if_revision: 0 }), { code: 'POLICY_TOOL_UNKNOWN' });
  await governance.setPolicy(ana, 'acme', { document, if_revision: 0, accept_unknown_tools: true });
  t.match(await decide(governance), { allowed: false, reason: /to the person max/ });
  t.match(await decide(governance, { tool: 'read' }), { allowed: true });
  t.match(await decide(governance, { principal: createPrincipal(ana) }), { allowed: true });
  t.strictSame(await listVisible(governance, [create, read]), ['read']);
  const { policy } = governance;
  const listPrompts = async (principal: HubPrincipal) => [
    ...(await policy.filterVisibleItems(principal, tickets, 'prompt', [{ name: 'greet' }, { name: 'part' }])),
  ];
  t.strictSame(await listPrompts(createPrincipal(max)), ['greet']);
  t.strictSame(await listPrompts(createPrincipal(ana)), ['greet', 'part']);
  const part = { principal: createPrincipal(max), connection: tickets, tool: 'part', arguments: {} };
  t.match(await policy.admit(part), { allowed: false, reason: /to the person max/ });
});

t.test('people, tokens and clients that the hub does not know need a confirmation', async (t) => {
  const { governance, audit, database, clock } = await startGovernance(t);
  await database.write((sql) =>
    sql.run(
      `INSERT INTO hub_tokens (id, hub_id, person_id, name, sealed, expiry, created_at_ms, expires_at_ms)
       VALUES ('t-1', 'hub', 'max', 'nightly', ?, 'No expiration', 0, NULL)`,
      new Uint8Array(),
    ),
  );
  const client = { name: 'cursor', version: '1' };
  await audit.record(createEntry({ principal: { ...createPrincipal(max), client }, atMs: clock.nowMs() }));
  const save = (rule: CallerRule, revision: number, isConfirmed = false) => {
    const input = { document: { callers: [rule] }, if_revision: revision };
    return governance.setPolicy(ana, 'acme', isConfirmed ? { ...input, accept_unknown_callers: true } : input);
  };
  const known = { people: ['max', 'ana'], tokens: ['nightly', 't-1'], clients: ['cursor', 'other*'], read_only: true };
  t.match(await save(known, 0), { revision: 1 });
  for (const [rule, message] of [
    [{ people: ['maxx'], read_only: true }, /person maxx \(did you mean max\?\)/],
    [{ tokens: ['nihtly'], read_only: true }, /token nihtly \(did you mean nightly\?\)/],
    [{ clients: ['cursr'], read_only: true }, /client cursr \(did you mean cursor\?\)/],
    [{ people: ['eve'], read_only: true }, /person eve/],
  ] as const)
    await t.rejects(save(JSON.parse(JSON.stringify(rule)), 1), { code: 'POLICY_CALLER_UNKNOWN', message });
  t.match(await save({ people: ['maxx'], read_only: true }, 1, true), { revision: 2 });
  t.match(await save({ people: ['maxx'], deny: ['*'] }, 2), { revision: 3 }, 'confirmed before');
});

t.test('a trial applies the rules to the callers of recorded calls', async (t) => {
  const { governance, audit, clock } = await startGovernance(t);
  await listVisible(governance, [create, read]);
  const record = (overrides: object) => audit.record(createEntry({ atMs: clock.nowMs() - 1000, ...overrides }));
  const call = { principal: createPrincipal(max), connection: { id: tickets.id, name: 'tickets' }, tool: 'create' };
  await record(call);
  await record({ ...call, principal: createPrincipal(ana, 'owner') });
  await record({ ...call, method: 'resources/read', tool: 'note://one', arguments: { uri: 'note://one' } });
  const trial = await governance.tryPolicy(ana, 'acme', { callers: [{ people: ['max'], deny: ['tickets__*'] }] });
  t.match(trial, {
    calls: 3,
    refused: [
      { tool: 'tickets__create', person: 'Max', reason: /denies/ },
      { tool: 'tickets__note://one', person: 'Max', reason: /denies/ },
    ],
  });
  t.equal(trial.refused.length, 2);
});

t.test('a refused save has both policies: the one in force, and the one that the change was made from', async (t) => {
  const { governance } = await startGovernance(t);
  const save = (callers: CallerRule[], revision: number) =>
    governance.setPolicy(ana, 'acme', { document: { callers }, if_revision: revision, accept_unknown_callers: true });
  const first: CallerRule = { people: ['max'], read_only: true };
  const second: CallerRule = { people: ['ana'], read_only: true };
  await save([first], 0);
  await save([second], 1);
  await t.rejects(save([], 1), {
    code: 'POLICY_REVISION_OTHER',
    diagnostics: [
      { revision: 2, document: { callers: [second] }, changed_by: 'Ana' },
      { revision: 1, document: { callers: [first] } },
    ],
  });
  await t.rejects(save([], 0), {
    code: 'POLICY_REVISION_OTHER',
    diagnostics: [{ revision: 2 }, { revision: 0, document: { new_tools: 'hold' } }],
  });
  const error: unknown = await save([], 17).catch((thrown: unknown) => thrown);
  t.equal(Object(error).diagnostics.length, 1, 'a revision that never was');
});
