/** Steps run in order, are noted, taken back and gone on with: at every one of them. */
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { OnboardingEvent, StepOutcome } from '../../../src/onboarding/engine/event.ts';
import { runSteps, type StepContext, type StepNotes } from '../../../src/onboarding/engine/run-steps.ts';
import { done, type Step, todo } from '../../../src/onboarding/engine/step.ts';

const names = ['a', 'b', 'c', 'd'];

/** A world in which each step makes one thing, and what was done to it. */
function world() {
  const things = new Set<string>();
  const log: string[] = [];
  const finished: string[] = [];
  const state: { inHand: string | undefined } = { inHand: undefined };
  const notes: StepNotes = {
    begin: async (step) => {
      state.inHand = step;
    },
    finish: async (step) => {
      finished.push(step);
      if (state.inHand === step) state.inHand = undefined;
    },
    drop: async () => {
      state.inHand = undefined;
    },
  };
  const stepOf = (id: string, more: Partial<Step<StepContext>> = {}): Step<StepContext> => ({
    id,
    title: `thing ${id}`,
    check: async () => (things.has(id) ? done('there') : todo('missing')),
    act: async () => {
      log.push(`act ${id}`);
      things.add(id);
      return { detail: 'made' };
    },
    undo: async () => {
      log.push(`undo ${id}`);
      things.delete(id);
    },
    ...more,
  });
  const run = async (steps: readonly Step<StepContext>[], signal = new AbortController().signal) => {
    const events: OnboardingEvent[] = [];
    const contextFor = (_: unknown, say: (text: string) => void): StepContext => ({ signal, say });
    const tell = (event: OnboardingEvent): number => events.push(event);
    const end = await runSteps({ steps, contextFor, notes, tell, clock: systemClock, signal });
    const outcomes = events.flatMap((event): StepOutcome[] => (event.event === 'step_ended' ? [event.outcome] : []));
    return { end, events, outcomes };
  };
  return { things, log, finished, state, stepOf, run };
}

t.test('steps act in their order, and a second run has nothing to do', async (t) => {
  const { log, finished, stepOf, run } = world();
  const steps = names.map((name) => stepOf(name));
  const first = await run(steps);
  t.match(first.end, { kind: 'finished', acted: 4, shortfalls: [] });
  t.same(log, ['act a', 'act b', 'act c', 'act d']);
  t.same(finished, names);
  const second = await run(steps);
  t.match(second.end, { kind: 'finished', acted: 0 });
  t.same(second.outcomes, ['kept', 'kept', 'kept', 'kept']);
  t.equal(log.length, 4);
});

t.test('a run that breaks at any step goes on from there', async (t) => {
  for (const broken of names) {
    const { log, state, stepOf, run } = world();
    const fails = { act: async () => Promise.reject(new Error('no room')) };
    const steps = names.map((name) => stepOf(name, name === broken ? fails : {}));
    await t.rejects(run(steps), { message: 'no room' });
    t.equal(state.inHand, broken);
    const before = [...log];
    await run(names.map((name) => stepOf(name)));
    t.same(
      log.slice(before.length),
      names.slice(names.indexOf(broken)).map((name) => `act ${name}`),
      `broken at ${broken}`,
    );
  }
});

t.test('what is removed by hand is made again, and nothing else', async (t) => {
  const { things, log, stepOf, run } = world();
  const steps = names.map((name) => stepOf(name));
  await run(steps);
  things.delete('c');
  await run(steps);
  t.same(log.slice(4), ['act c']);
});

t.test('an interruption at any step takes that step back and runs no other', async (t) => {
  for (const name of names) {
    const { things, log, state, stepOf, run } = world();
    const controller = new AbortController();
    const interrupted = async () => {
      things.add(`half of ${name}`);
      controller.abort(new Error('interrupted'));
      controller.signal.throwIfAborted();
      return { detail: '' };
    };
    const undo = async () => void things.delete(`half of ${name}`);
    const steps = names.map((one) => stepOf(one, one === name ? { act: interrupted, undo } : {}));
    const { end, outcomes } = await run(steps, controller.signal);
    t.match(end, { kind: 'interrupted', step: name, undone: true });
    t.equal(outcomes.at(-1), 'undone');
    t.same([...things], names.slice(0, names.indexOf(name)));
    t.equal(state.inHand, undefined);
    const again = await run(names.map((one) => stepOf(one)));
    t.equal(again.end.kind, 'finished');
    t.equal(log.length, names.length);
  }
});

t.test('a step that cannot be taken back is gone on with', async (t) => {
  const { state, stepOf, run } = world();
  const controller = new AbortController();
  const act = async () => {
    controller.abort(new Error('interrupted'));
    throw new Error('killed');
  };
  const undo = async () => Promise.reject(new Error('the engine is gone'));
  const failed = await run([stepOf('a', { act, undo })], controller.signal);
  t.match(failed.end, { kind: 'interrupted', undone: false });
  t.match(failed.events.at(-1), { outcome: 'stopped', detail: /the engine is gone.*goes on from here/ });
  t.equal(state.inHand, 'a');
});

t.test('an interruption between steps, and one while looking, change nothing', async (t) => {
  const { log, stepOf, run } = world();
  const controller = new AbortController();
  const act = async () => {
    controller.abort(new Error('interrupted'));
    return { detail: 'made all the same' };
  };
  const between = await run([stepOf('a', { act }), stepOf('b')], controller.signal);
  t.match(between.end, { kind: 'interrupted', step: 'b', undone: true });
  const looking = new AbortController();
  const check = async () => {
    looking.abort(new Error('interrupted'));
    throw new Error('interrupted');
  };
  t.match((await run([stepOf('b', { check })], looking.signal)).end, { kind: 'interrupted', undone: true });
  t.same(log, []);
});

t.test('what falls short is gathered, and the steps behind it run; what waits for it is skipped', async (t) => {
  const { finished, stepOf, run } = world();
  const shortfall = { reason: 'no log line', cure: 'write one', passes: false };
  const short = stepOf('a', { act: async () => ({ detail: '', shortfall }) });
  const waits = stepOf('b', { skip: () => 'a is not there' });
  const { end, outcomes } = await run([short, waits, stepOf('c')]);
  t.same(outcomes, ['short', 'skipped', 'done']);
  t.match(end, { kind: 'finished', shortfalls: [shortfall] });
  t.same(finished, ['c']);
});

t.test('a failed step is told with its reason before the error goes on', async (t) => {
  const { stepOf } = world();
  const events: OnboardingEvent[] = [];
  const { signal } = new AbortController();
  const notes: StepNotes = { begin: async () => {}, finish: async () => {}, drop: async () => {} };
  const check = async () => Promise.reject(new Error('port 3000 is held'));
  const running = {
    steps: [stepOf('a', { check })],
    contextFor: (_: unknown, say: (text: string) => void): StepContext => ({ signal, say }),
    ...{ notes, signal, clock: systemClock, tell: (event: OnboardingEvent) => void events.push(event) },
  };
  await t.rejects(runSteps(running), { message: 'port 3000 is held' });
  t.match(events.at(-1), { event: 'step_ended', outcome: 'failed', detail: 'port 3000 is held' });
});
