/** Memories are found by those they belong to, and by nobody else. */

import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createMemoryConnection } from '../../src/memory/memory-connection.ts';
import { type MemoryService, openMemory } from '../../src/memory/memory-service.ts';
import { type MemoryPrincipal, memoryBounds } from '../../src/memory/types.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';
import { getSourcesUnderTest, openStoresUnderTest } from '../store/engine-under-test.ts';

function createPrincipal(hub: string, person: string, role: MemoryPrincipal['role'] = 'member'): MemoryPrincipal {
  return { hub: { id: hub }, person: { personId: person, name: person }, role };
}

const [ana, max] = [createPrincipal('acme', 'ana'), createPrincipal('acme', 'max')];

async function openTestMemory(t: Test): Promise<{ memory: MemoryService; clock: FakeClock }> {
  const clock = fakeClock();
  const folder = t.testdir();
  const database = (await openStoresUnderTest(t, folder))?.memory;
  const memory = openMemory({ folder, ...getSourcesUnderTest(clock), database });
  t.teardown(() => memory.close());
  return { memory, clock };
}

async function texts(memories: Promise<readonly { text: string }[]>): Promise<string[]> {
  return (await memories).map(({ text }) => text);
}

t.test('the best match comes first, in any form of its words', async (t) => {
  const { memory } = await openTestMemory(t);
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

t.test('queries are words, whatever they contain', async (t) => {
  const { memory } = await openTestMemory(t);
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

t.test('tags, times, scopes and pages filter the results', async (t) => {
  const { memory, clock } = await openTestMemory(t);
  for (let index = 0; index < 25; index += 1) {
    await memory.remember(ana, index % 2 === 0 ? 'user' : 'hub', {
      text: `note ${index}`,
      tags: index % 5 === 0 ? ['Five', 'x'] : [],
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
  const listedTexts: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.list(ana, 'user', { limit: 4 }, cursor);
    listedTexts.push(...page.memories.map(({ text }) => text));
    cursor = page.next;
  } while (cursor !== undefined);
  t.strictSame(
    listedTexts,
    [24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0].map((index) => `note ${index}`),
  );
  await t.rejects(memory.list(ana, 'user', {}, 'x'), { code: 'MEMORY_INPUT_INVALID' });
});

t.test('an updated memory is found by its new words only; a forgotten one not at all', async (t) => {
  const { memory } = await openTestMemory(t);
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

t.test('shared memories are readable by everybody, changed by author and owners, and added by no viewer', async (t) => {
  const { memory } = await openTestMemory(t);
  const { id } = await memory.remember(ana, 'hub', { text: 'we meet on Mondays' });
  t.match(await memory.recall(max, 'meet', {}), [{ id, scope: 'hub', author: 'ana' }]);
  await t.rejects(memory.update(max, id, { text: 'never' }), { code: 'MEMORY_NOT_YOURS', message: /ana/ });
  await t.rejects(memory.forget(max, id), { code: 'MEMORY_NOT_YOURS' });
  const viewer = createPrincipal('acme', 'vic', 'viewer');
  await t.rejects(memory.remember(viewer, 'hub', { text: 'x' }), { code: 'MEMORY_READ_ONLY' });
  await memory.remember(viewer, 'user', { text: 'my own' });
  await memory.update(createPrincipal('acme', 'otto', 'owner'), id, { text: 'we meet on Fridays' });
  t.match(await memory.recall(viewer, 'meet', {}), [{ text: 'we meet on Fridays' }]);
});

t.test('nobody reaches another person’s memory by its id', async (t) => {
  const { memory } = await openTestMemory(t);
  const ownMemory = await memory.remember(ana, 'user', { text: 'secret' });
  const sharedMemory = await memory.remember(ana, 'hub', { text: 'shared' });
  for (const otherPrincipal of [max, createPrincipal('beta', 'ana'), createPrincipal('acme', 'max', 'owner')]) {
    await t.rejects(memory.forget(otherPrincipal, ownMemory.id), { code: 'MEMORY_UNKNOWN' });
    await t.rejects(memory.update(otherPrincipal, ownMemory.id, { text: 'x' }), { code: 'MEMORY_UNKNOWN' });
  }
  await t.rejects(memory.forget(createPrincipal('beta', 'ana', 'owner'), sharedMemory.id), { code: 'MEMORY_UNKNOWN' });
});

const hubs = ['acme', 'beta'];
const people = ['ana', 'max'];
const wordChoices = fc.constantFrom('apple', 'bear', 'car', 'dog', 'part1part', 'part2part', 'acme');
const step = fc.record({
  hub: fc.constantFrom(...hubs),
  person: fc.constantFrom(...people),
  scope: fc.constantFrom('user' as const, 'hub' as const),
  text: fc.array(wordChoices, { minLength: 1, maxLength: 5 }).map((all) => all.join(' ')),
});

t.test('memories of others never change anybody’s results or their order', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), wordChoices, async (steps, question) => {
      const sharedService = await openTestMemory(t);
      for (const { hub, person, scope, text } of steps)
        await sharedService.memory.remember(createPrincipal(hub, person), scope, {
          text: `${text} by ${person} of ${hub} for ${scope}`,
        });
      for (const hub of hubs) {
        for (const person of people) {
          const ownService = await openTestMemory(t);
          const ownSteps = steps.filter(
            (candidateStep) =>
              candidateStep.hub === hub && (candidateStep.scope === 'hub' || candidateStep.person === person),
          );
          for (const { person: author, scope, text } of ownSteps)
            await ownService.memory.remember(createPrincipal(hub, author), scope, {
              text: `${text} by ${author} of ${hub} for ${scope}`,
            });
          const principal = createPrincipal(hub, person);
          const [ownMemories, sharedMemories] = [ownService.memory, sharedService.memory];
          t.strictSame(
            await texts(sharedMemories.recall(principal, question, { limit: 100 })),
            await texts(ownMemories.recall(principal, question, { limit: 100 })),
          );
          for (const scope of ['user', 'hub'] as const) {
            const [a, b] = [
              await sharedMemories.list(principal, scope, { limit: 100 }),
              await ownMemories.list(principal, scope, { limit: 100 }),
            ];
            t.strictSame(a.memories.map(({ text }) => text).sort(), b.memories.map(({ text }) => text).sort());
          }
          await ownService.memory.close();
        }
      }
      await sharedService.memory.close();
    }),
    { numRuns: 6 },
  );
});

t.test('what exceeds a limit is refused, and nothing of it is stored', async (t) => {
  const { memory } = await openTestMemory(t);
  const assertRefused = (input: { text: string; tags?: string[] }) =>
    t.rejects(memory.remember(ana, 'user', input), { code: 'MEMORY_INPUT_INVALID' });
  await assertRefused({ text: '  \u0000 ' });
  await assertRefused({ text: 'x'.repeat(memoryBounds.textLength + 1) });
  await assertRefused({ text: 'x', tags: ['two words'] });
  await assertRefused({ text: 'x', tags: Array.from({ length: 17 }, (_, index) => `t${index}`) });
  const bulkInputs = Array.from({ length: 500 }, (_, index) => ({ text: `thing ${index}` }));
  for (let round = 0; round < 20; round += 1) {
    const inputs = bulkInputs.map(({ text }) => ({ text: `${text} of ${round}` }));
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

t.test('an export is imported unchanged, once', async (t) => {
  const { memory } = await openTestMemory(t);
  for (let index = 0; index < 30; index += 1)
    await memory.remember(ana, 'user', { text: `line ${index}\nand more`, tags: ['x'] });
  const connection = createMemoryConnection(memory, (fault) => t.fail('fault', { fault: String(fault) }));
  const exportedMemories: unknown[] = [];
  let cursor: unknown;
  do {
    const page = await connection.callTool(ana, 'export', cursor ? { cursor } : {});
    const data = page?.structuredContent;
    if (!data || !Array.isArray(data.memories)) throw new TypeError('no page');
    exportedMemories.push(...data.memories);
    cursor = data.next_cursor;
  } while (cursor);
  t.equal(exportedMemories.length, 30);
  const memories = exportedMemories.map((item) => ({
    text: Object(item).text,
    tags: Object(item).tags,
    created_at: Object(item).created_at,
  }));
  t.match(await connection.callTool(max, 'import', { memories }), { structuredContent: { imported: 30, known: 0 } });
  t.match(await connection.callTool(max, 'import', { memories }), { structuredContent: { imported: 0, known: 30 } });
  t.equal((await memory.list(max, 'user', { limit: 100 })).memories.length, 30);
});

t.test('tools refuse invalid arguments with the reason, and results stay bounded', async (t) => {
  const { memory } = await openTestMemory(t);
  const connection = createMemoryConnection(memory, () => undefined);
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
  for (let index = 0; index < 40; index += 1)
    await connection.callTool(ana, 'remember', { text: `big ${index} ${'x'.repeat(16_000)}` });
  const recallResult = await connection.callTool(ana, 'recall', { query: 'big', limit: 40 });
  t.ok(JSON.stringify(recallResult).length < 3 * memoryBounds.answerLength);
  t.match(recallResult, { structuredContent: { left_out: 28 } });
  const seenIds = new Set<unknown>();
  let cursor: unknown;
  do {
    const page = await connection.callTool(ana, 'list', { limit: 40, ...(cursor ? { cursor } : {}) });
    const { memories, next_cursor } = Object(page?.structuredContent);
    for (const { id } of memories) seenIds.add(id);
    cursor = next_cursor;
  } while (cursor);
  t.equal(seenIds.size, 40);
});
