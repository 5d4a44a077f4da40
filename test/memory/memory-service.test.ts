/** What is remembered is found again by those it belongs to, and by nobody else. */
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { memoryConnection } from '../../src/memory/connection.ts';
import { type MemoryService, openMemory } from '../../src/memory/memory-service.ts';
import { type MemoryPrincipal, memoryBounds } from '../../src/memory/words.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';

function who(hub: string, person: string, role: MemoryPrincipal['role'] = 'member'): MemoryPrincipal {
  return { hub: { id: hub }, person: { personId: person, name: person }, role };
}

const [ana, max] = [who('acme', 'ana'), who('acme', 'max')];

function remembering(t: Test): { memory: MemoryService; clock: FakeClock } {
  const clock = fakeClock();
  const memory = openMemory({ folder: t.testdir(), clock, random: systemRandom });
  t.teardown(() => memory.close());
  return { memory, clock };
}

async function texts(found: Promise<readonly { text: string }[]>): Promise<string[]> {
  return (await found).map(({ text }) => text);
}

t.test('what fits best comes first, in any form of its words', async (t) => {
  const { memory } = remembering(t);
  await memory.remember(ana, 'user', { text: 'The deploys of the shop run on Tuesdays' });
  await memory.remember(ana, 'user', { text: 'The shop sells garden chairs. The shop is in Bern. The shop is old.' });
  await memory.remember(ana, 'user', { text: 'Größe der Tische: 80 cm' });
  t.strictSame(await texts(memory.recall(ana, 'when do we deploy the shop?', {})), [
    'The deploys of the shop run on Tuesdays',
    'The shop sells garden chairs. The shop is in Bern. The shop is old.',
  ]);
  t.strictSame(await texts(memory.recall(ana, 'grosse GROSSE grösse größe', {})), ['Größe der Tische: 80 cm']);
  t.strictSame(await texts(memory.recall(ana, 'gard', {})), [
    'The shop sells garden chairs. The shop is in Bern. The shop is old.',
  ]);
  t.strictSame(await texts(memory.recall(ana, 'nothing of that', { limit: 1 })).then((all) => all.length), 1);
});

t.test('questions are words, whatever stands in them', async (t) => {
  const { memory } = remembering(t);
  await memory.remember(ana, 'user', { text: 'alpha beta' });
  for (const question of [
    'alpha" OR part : "x',
    'alpha*',
    '(alpha',
    'NEAR(alpha beta)',
    'alpha AND NOT beta',
    '"',
    '',
    '-- ;',
  ])
    t.ok((await memory.recall(ana, question, {})).length <= 1, question);
  t.strictSame(await texts(memory.recall(ana, 'alpha" OR part : "part1part', {})), ['alpha beta']);
});

t.test('tags, times, scopes and pages narrow what is told', async (t) => {
  const { memory, clock } = remembering(t);
  for (let at = 0; at < 25; at += 1) {
    await memory.remember(ana, at % 2 === 0 ? 'user' : 'hub', {
      text: `note ${at}`,
      tags: at % 5 === 0 ? ['Five', 'x'] : [],
    });
    clock.advance(1000);
  }
  t.strictSame(
    await texts(memory.recall(ana, 'note', { tags: ['five'], scope: 'user', limit: 9 })).then((all) => all.sort()),
    ['note 0', 'note 10', 'note 20'],
  );
  const start = Date.UTC(2026, 10, 20, 14, 30, 12, 345);
  const between = { sinceMs: start + 3000, untilMs: start + 6000 };
  t.strictSame((await texts(memory.recall(ana, 'note', between))).sort(), ['note 3', 'note 4', 'note 5', 'note 6']);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.list(ana, 'user', { limit: 4 }, cursor);
    seen.push(...page.memories.map(({ text }) => text));
    cursor = page.next;
  } while (cursor !== undefined);
  t.strictSame(
    seen,
    [24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0].map((at) => `note ${at}`),
  );
  await t.rejects(memory.list(ana, 'user', {}, 'x'), { code: 'MEMORY_INPUT_INVALID' });
});

t.test('what is updated is found by its new words only; what is forgotten not at all', async (t) => {
  const { memory } = remembering(t);
  const { id } = await memory.remember(ana, 'user', { text: 'the server is called turtle', tags: ['ops'] });
  await memory.update(ana, id, { text: 'the server is called rabbit' });
  t.strictSame(await texts(memory.recall(ana, 'turtle', {})), []);
  t.match(await memory.recall(ana, 'rabbit', {}), [{ id, tags: ['ops'] }]);
  await memory.update(ana, id, { tags: ['pets'] });
  t.match(await memory.recall(ana, 'pets', {}), [{ id, text: /rabbit/ }]);
  await memory.forget(ana, id);
  t.strictSame(await texts(memory.recall(ana, 'rabbit', {})), []);
  await t.rejects(memory.forget(ana, id), { code: 'MEMORY_UNKNOWN' });
});

t.test('what a hub shares is everybody’s to read; its author and owners change it, viewers add nothing', async (t) => {
  const { memory } = remembering(t);
  const { id } = await memory.remember(ana, 'hub', { text: 'we meet on Mondays' });
  t.match(await memory.recall(max, 'meet', {}), [{ id, scope: 'hub', author: 'ana' }]);
  await t.rejects(memory.update(max, id, { text: 'never' }), { code: 'MEMORY_NOT_YOURS', message: /ana/ });
  await t.rejects(memory.forget(max, id), { code: 'MEMORY_NOT_YOURS' });
  const viewer = who('acme', 'vic', 'viewer');
  await t.rejects(memory.remember(viewer, 'hub', { text: 'x' }), { code: 'MEMORY_READ_ONLY' });
  await memory.remember(viewer, 'user', { text: 'my own' });
  await memory.update(who('acme', 'otto', 'owner'), id, { text: 'we meet on Fridays' });
  t.match(await memory.recall(viewer, 'meet', {}), [{ text: 'we meet on Fridays' }]);
});

t.test('nobody reaches another’s by its id', async (t) => {
  const { memory } = remembering(t);
  const own = await memory.remember(ana, 'user', { text: 'secret' });
  const shared = await memory.remember(ana, 'hub', { text: 'shared' });
  for (const other of [max, who('beta', 'ana'), who('acme', 'max', 'owner')]) {
    await t.rejects(memory.forget(other, own.id), { code: 'MEMORY_UNKNOWN' });
    await t.rejects(memory.update(other, own.id, { text: 'x' }), { code: 'MEMORY_UNKNOWN' });
  }
  await t.rejects(memory.forget(who('beta', 'ana', 'owner'), shared.id), { code: 'MEMORY_UNKNOWN' });
});

const hubs = ['acme', 'beta'];
const people = ['ana', 'max'];
const words = fc.constantFrom('apple', 'bear', 'car', 'dog', 'part1part', 'part2part', 'acme');
const step = fc.record({
  hub: fc.constantFrom(...hubs),
  person: fc.constantFrom(...people),
  scope: fc.constantFrom('user' as const, 'hub' as const),
  text: fc.array(words, { minLength: 1, maxLength: 5 }).map((all) => all.join(' ')),
});

t.test('whatever others remember, everybody is told the same, in the same order, as if they were alone', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), words, async (steps, question) => {
      const together = remembering(t);
      for (const { hub, person, scope, text } of steps)
        await together.memory.remember(who(hub, person), scope, {
          text: `${text} by ${person} of ${hub} for ${scope}`,
        });
      for (const hub of hubs) {
        for (const person of people) {
          const alone = remembering(t);
          const mine = steps.filter((one) => one.hub === hub && (one.scope === 'hub' || one.person === person));
          for (const { person: by, scope, text } of mine)
            await alone.memory.remember(who(hub, by), scope, { text: `${text} by ${by} of ${hub} for ${scope}` });
          const asked = who(hub, person);
          const [here, there] = [alone.memory, together.memory];
          t.strictSame(
            await texts(there.recall(asked, question, { limit: 100 })),
            await texts(here.recall(asked, question, { limit: 100 })),
          );
          for (const scope of ['user', 'hub'] as const) {
            const [a, b] = [
              await there.list(asked, scope, { limit: 100 }),
              await here.list(asked, scope, { limit: 100 }),
            ];
            t.strictSame(a.memories.map(({ text }) => text).sort(), b.memories.map(({ text }) => text).sort());
          }
          await alone.memory.close();
        }
      }
      await together.memory.close();
    }),
    { numRuns: 6 },
  );
});

t.test('what is too much is refused with the bound, and nothing of it is kept', async (t) => {
  const { memory } = remembering(t);
  const refused = (input: { text: string; tags?: string[] }) =>
    t.rejects(memory.remember(ana, 'user', input), { code: 'MEMORY_INPUT_INVALID' });
  await refused({ text: '  \u0000 ' });
  await refused({ text: 'x'.repeat(memoryBounds.textLength + 1) });
  await refused({ text: 'x', tags: ['two words'] });
  await refused({ text: 'x', tags: Array.from({ length: 17 }, (_, at) => `t${at}`) });
  const many = Array.from({ length: 500 }, (_, at) => ({ text: `thing ${at}` }));
  for (let round = 0; round < 20; round += 1) {
    const inputs = many.map(({ text }) => ({ text: `${text} of ${round}` }));
    t.equal(await memory.import(ana, 'user', inputs), 500);
  }
  await t.rejects(memory.remember(ana, 'user', { text: 'one more' }), {
    code: 'MEMORY_FULL',
    message: /10000 memories/,
  });
  await t.rejects(memory.import(ana, 'user', [{ text: 'one more' }]), { code: 'MEMORY_FULL' });
  t.equal((await memory.recall(ana, 'thing', { limit: 100 })).length, 100);
  await memory.remember(max, 'user', { text: 'others go on' });
});

t.test('what is exported is imported as it was, once', async (t) => {
  const { memory } = remembering(t);
  for (let at = 0; at < 30; at += 1) await memory.remember(ana, 'user', { text: `line ${at}\nand more`, tags: ['x'] });
  const connection = memoryConnection(memory, (fault) => t.fail('fault', { fault: String(fault) }));
  const exported: unknown[] = [];
  let cursor: unknown;
  do {
    const page = await connection.callTool(ana, 'export', cursor ? { cursor } : {});
    const data = page?.structuredContent;
    if (!data || !Array.isArray(data.memories)) throw new TypeError('no page');
    exported.push(...data.memories);
    cursor = data.next_cursor;
  } while (cursor);
  t.equal(exported.length, 30);
  const memories = exported.map((one) => ({
    text: Object(one).text,
    tags: Object(one).tags,
    created_at: Object(one).created_at,
  }));
  t.match(await connection.callTool(max, 'import', { memories }), { structuredContent: { imported: 30, known: 0 } });
  t.match(await connection.callTool(max, 'import', { memories }), { structuredContent: { imported: 0, known: 30 } });
  t.equal((await memory.list(max, 'user', { limit: 100 })).memories.length, 30);
});

t.test('tools refuse wrong arguments with what is wrong, and answers stay bounded', async (t) => {
  const { memory } = remembering(t);
  const connection = memoryConnection(memory, () => undefined);
  t.equal(await connection.callTool(ana, 'nothing', {}), undefined);
  for (const [name, input] of [
    ['remember', {}],
    ['remember', { text: 'x', hub: 'beta' }],
    ['recall', { query: 'x', since: 'yesterday' }],
    ['forget', undefined],
    ['import', { memories: [] }],
  ] as const)
    t.match(await connection.callTool(ana, name, input), {
      isError: true,
      structuredContent: { code: 'MEMORY_INPUT_INVALID' },
    });
  for (let at = 0; at < 40; at += 1)
    await connection.callTool(ana, 'remember', { text: `big ${at} ${'x'.repeat(16_000)}` });
  const recalled = await connection.callTool(ana, 'recall', { query: 'big', limit: 40 });
  t.ok(JSON.stringify(recalled).length < 3 * memoryBounds.answerLength);
  t.match(recalled, { structuredContent: { left_out: 28 } });
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    const page = await connection.callTool(ana, 'list', { limit: 40, ...(cursor ? { cursor } : {}) });
    const { memories, next_cursor } = Object(page?.structuredContent);
    for (const { id } of memories) seen.add(id);
    cursor = next_cursor;
  } while (cursor);
  t.equal(seen.size, 40);
});
