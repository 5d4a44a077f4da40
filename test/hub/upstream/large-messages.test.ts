/** Messages of megabytes of a server: in order, and read in steps, in every way in which servers answer. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { answerWays, callLarge, getTextLength, openLargeCaller, textLength } from '../fixtures/large-caller.ts';

type Turns = { readonly turns: readonly number[]; readonly isShort: boolean };

async function measureTurns(): Promise<Readonly<Record<string, Turns>>> {
  const args = ['--import', './test/tsx-hook.mjs', resolve('test/hub/fixtures/large-turns.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

for (const way of answerWays)
  t.test(`${way}: a result of megabytes comes behind what was sent before it`, async (t) => {
    const caller = await openLargeCaller(t, way);
    const answer = await callLarge(caller, 'tool');
    t.equal(getTextLength(answer), textLength);
    if (way === 'json') t.strictSame(answer.progress, []);
    else t.match(answer.progress, [{ progress: 1, message: 'p'.repeat(1_000_000) }]);
    const both = await Promise.all([callLarge(caller, 'tool'), callLarge(caller, 'tool')]);
    t.strictSame(both.map(getTextLength), [textLength, textLength], 'two at once');
  });

t.test('a result of megabytes is read in short turns', async (t) => {
  const measured = await measureTurns();
  for (const way of answerWays) {
    const { turns = [], isShort } = measured[way] ?? {};
    t.ok(isShort, `${way}: turns of ${turns.join(', ')} ms`);
  }
});

t.test('a call that is cancelled while its large result is read ends at once', async (t) => {
  for (const way of answerWays) {
    const caller = await openLargeCaller(t, way);
    const controller = new AbortController();
    const pending = callLarge(caller, 'tool', controller.signal);
    controller.abort(new Error('cancelled'));
    await t.rejects(pending, { message: 'cancelled' }, way);
    t.equal(getTextLength(await callLarge(caller, 'tool')), textLength, 'the next one is answered');
  }
});

t.test('a program that ends behind its large result has answered', async (t) => {
  const caller = await openLargeCaller(t, 'stdio');
  t.equal(getTextLength(await callLarge(caller, 'last')), textLength);
  await t.rejects(callLarge(caller, 'tool'), { message: /the program/ });
});
