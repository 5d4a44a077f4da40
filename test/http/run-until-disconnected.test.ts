import { getEventListeners } from 'node:events';
import t from 'tap';
import { runUntilDisconnected } from '../../src/http/run-until-disconnected.ts';

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

t.test('the result of the work is returned unchanged', async (t) => {
  const signal = new AbortController().signal;
  t.equal(await runUntilDisconnected(signal, undefined, async () => 7), 7);
  await t.rejects(
    runUntilDisconnected(signal, undefined, () => Promise.reject(new Error('of the work'))),
    /of the work/,
  );
});

t.test('a disconnecting caller ends the work with its reason', async (t) => {
  const caller = new AbortController();
  const waiting = runUntilDisconnected(caller.signal, new AbortController().signal, aborted);
  caller.abort(new Error('left'));
  await t.rejects(waiting, /left/);
  await t.rejects(runUntilDisconnected(caller.signal, undefined, aborted), /left/, 'before the work began too');
});

t.test('a closing listener ends the work with SHUTTING_DOWN', async (t) => {
  const closing = new AbortController();
  const waiting = runUntilDisconnected(new AbortController().signal, closing.signal, aborted);
  closing.abort();
  await t.rejects(waiting, { code: 'SHUTTING_DOWN' });
  await t.rejects(runUntilDisconnected(new AbortController().signal, closing.signal, aborted), {
    code: 'SHUTTING_DOWN',
  });
});

t.test('no listeners are left on the signals after a thousand waits', async (t) => {
  const [caller, closing] = [new AbortController().signal, new AbortController().signal];
  for (let index = 0; index < 1000; index += 1) await runUntilDisconnected(caller, closing, async () => index);
  t.equal(getEventListeners(closing, 'abort').length, 0);
  t.equal(getEventListeners(caller, 'abort').length, 0);
});
