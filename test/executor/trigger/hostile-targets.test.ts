/** A run against a target that breaks HTTP ends within its timeout, with the exact reason. */
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { sendRequest, type TriggerResult } from '../../../src/executor/trigger/send-request.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import { eventually } from '../../eventually.ts';
import type { HostileTarget } from '../../targets/hostile/behaviour.ts';
import { behaveAs, hostileTargets } from '../../targets/hostile/targets.ts';
import { startRawTarget } from '../../targets/raw-target.ts';
import { findFailureCode } from '../failure-code.ts';

const minTargets = 105;

/** The run's timeout passes once everything written so far has been read, however loaded the machine is. */
async function send(hostile: HostileTarget): Promise<TriggerResult> {
  let timeOut = (): void => {};
  const expireAfter = (turns: number): void => {
    if (turns === 0) timeOut();
    else setTimeout(() => expireAfter(turns - 1), 5);
  };
  const target = await startRawTarget(behaveAs(hostile, () => expireAfter(10)));
  const after = (_delayMs: number, action: () => void): (() => void) => {
    timeOut = action;
    return () => {};
  };
  const dispatcher = createTargetDispatcher();
  const request = { origin: target.origin, method: 'GET', path: '/', headers: [], body: undefined };
  const startMonotonicMs = systemClock.monotonicMs();
  const clock = { ...systemClock, after };
  const options = { dispatcher, clock, startMonotonicMs, timeoutMs: 5000, baseUrlSource: 'config' } as const;
  const result = await sendRequest(request, options);
  dispatcher.close();
  await target.close();
  return result;
}

t.test(`there are at least ${minTargets} different ones`, async (t) => {
  t.equal(new Set(hostileTargets.map(({ name }) => name)).size, hostileTargets.length);
  t.ok(hostileTargets.length >= minTargets, `${hostileTargets.length}`);
});

for (const hostile of hostileTargets)
  t.test(`a target that ${hostile.name}`, async (t) => {
    const { failure, head } = await send(hostile);
    t.equal(failure ? findFailureCode(failure) : head?.status, hostile.outcome, failure?.message ?? '');
  });

t.test('a name that nobody resolves ends the run at its timeout, and is given up then', async (t) => {
  const signals: AbortSignal[] = [];
  // The clock's timers alone do not keep a process running; queries do.
  const running = setInterval(() => {}, 1000);
  const resolve = (_name: string, signal: AbortSignal): Promise<never> => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const dispatcher = createTargetDispatcher({ resolver: { resolve } });
  const request = { origin: 'http://silent.example', method: 'GET', path: '/', headers: [], body: undefined };
  const startMonotonicMs = systemClock.monotonicMs();
  const options = {
    dispatcher,
    clock: systemClock,
    startMonotonicMs,
    timeoutMs: 200,
    baseUrlSource: 'config',
  } as const;
  const { failure } = await sendRequest(request, options);
  clearInterval(running);
  t.equal(findFailureCode(failure), 'EXECUTOR_TIMEOUT_CONNECT');
  await eventually(() => signals, {
    until: ([signal]) => signal?.aborted === true,
    description: 'the query is given up',
  });
  t.equal(signals.length, 1);
  dispatcher.close();
});
