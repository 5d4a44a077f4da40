/** Steps run in order and are recorded, undone and continued, at every one of them. */
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { OnboardingEvent, OnboardingStepOutcome } from '../../../src/onboarding/workflow/event.ts';
import { runWorkflowSteps, type StepContext, type StepRecorder } from '../../../src/onboarding/workflow/run-steps.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../../../src/onboarding/workflow/step.ts';

const stepIds = ['a', 'b', 'c', 'd'];

/** Steps that each create one item, and a log of what was done. */
function createStepFixture() {
  const created = new Set<string>();
  const log: string[] = [];
  const finished: string[] = [];
  const state: { inHand: string | undefined } = { inHand: undefined };
  const recorder: StepRecorder = {
    start: async (step) => {
      state.inHand = step;
    },
    finish: async (step) => {
      finished.push(step);
      if (state.inHand === step) state.inHand = undefined;
    },
    discard: async () => {
      state.inHand = undefined;
    },
  };
  const createStep = (id: string, more: Partial<WorkflowStep<StepContext>> = {}): WorkflowStep<StepContext> => ({
    id,
    title: `thing ${id}`,
    check: async () => (created.has(id) ? upToDate('there') : actionNeeded('missing')),
    act: async () => {
      log.push(`act ${id}`);
      created.add(id);
      return { detail: 'made' };
    },
    undo: async () => {
      log.push(`undo ${id}`);
      created.delete(id);
    },
    ...more,
  });
  const run = async (steps: readonly WorkflowStep<StepContext>[], signal = new AbortController().signal) => {
    const events: OnboardingEvent[] = [];
    const contextFor = (_: unknown, report: (text: string) => void): StepContext => ({ signal, report });
    const onEvent = (event: OnboardingEvent): number => events.push(event);
    const result = await runWorkflowSteps({
      steps,
      contextFor,
      recorder,
      onEvent,
      clock: systemClock,
      signal,
    });
    const outcomes = events.flatMap((event): OnboardingStepOutcome[] =>
      event.event === 'step_ended' ? [event.outcome] : [],
    );
    return { end: result, events, outcomes };
  };
  return { things: created, log, finished, state, createStep, run };
}

t.test('steps run in order, and a second run has nothing to do', async (t) => {
  const { log, finished, createStep, run } = createStepFixture();
  const steps = stepIds.map((name) => createStep(name));
  const first = await run(steps);
  t.match(first.end, { kind: 'finished', acted: 4, shortfalls: [] });
  t.same(log, ['act a', 'act b', 'act c', 'act d']);
  t.same(finished, stepIds);
  const second = await run(steps);
  t.match(second.end, { kind: 'finished', acted: 0 });
  t.same(second.outcomes, ['kept', 'kept', 'kept', 'kept']);
  t.equal(log.length, 4);
});

t.test('a run that fails at any step continues from there', async (t) => {
  for (const broken of stepIds) {
    const { log, state, createStep, run } = createStepFixture();
    const fails = { act: async () => Promise.reject(new Error('no room')) };
    const steps = stepIds.map((name) => createStep(name, name === broken ? fails : {}));
    await t.rejects(run(steps), { message: 'no room' });
    t.equal(state.inHand, broken);
    const before = [...log];
    await run(stepIds.map((name) => createStep(name)));
    t.same(
      log.slice(before.length),
      stepIds.slice(stepIds.indexOf(broken)).map((name) => `act ${name}`),
      `broken at ${broken}`,
    );
  }
});

t.test('only what was removed by hand is created again', async (t) => {
  const { things: created, log, createStep, run } = createStepFixture();
  const steps = stepIds.map((name) => createStep(name));
  await run(steps);
  created.delete('c');
  await run(steps);
  t.same(log.slice(4), ['act c']);
});

t.test('an interruption at any step undoes that step and runs no other', async (t) => {
  for (const name of stepIds) {
    const { things: created, log, state, createStep, run } = createStepFixture();
    const controller = new AbortController();
    const interrupted = async () => {
      created.add(`half of ${name}`);
      controller.abort(new Error('interrupted'));
      controller.signal.throwIfAborted();
      return { detail: '' };
    };
    const undoHalf = async () => void created.delete(`half of ${name}`);
    const steps = stepIds.map((stepName) =>
      createStep(stepName, stepName === name ? { act: interrupted, undo: undoHalf } : {}),
    );
    const { end: result, outcomes } = await run(steps, controller.signal);
    t.match(result, { kind: 'interrupted', step: name, undone: true });
    t.equal(outcomes.at(-1), 'undone');
    t.same([...created], stepIds.slice(0, stepIds.indexOf(name)));
    t.equal(state.inHand, undefined);
    const again = await run(stepIds.map((stepName) => createStep(stepName)));
    t.equal(again.end.kind, 'finished');
    t.equal(log.length, stepIds.length);
  }
});

t.test('a step that cannot be undone is continued by the next run', async (t) => {
  const { state, createStep, run } = createStepFixture();
  const controller = new AbortController();
  const act = async () => {
    controller.abort(new Error('interrupted'));
    throw new Error('killed');
  };
  const undo = async () => Promise.reject(new Error('the engine is gone'));
  const failed = await run([createStep('a', { act, undo })], controller.signal);
  t.match(failed.end, { kind: 'interrupted', undone: false });
  t.match(failed.events.at(-1), { outcome: 'stopped', detail: /the engine is gone.*continues from here/ });
  t.equal(state.inHand, 'a');
});

t.test('an interruption between steps or during a check changes nothing', async (t) => {
  const { log, createStep, run } = createStepFixture();
  const controller = new AbortController();
  const act = async () => {
    controller.abort(new Error('interrupted'));
    return { detail: 'made all the same' };
  };
  const between = await run([createStep('a', { act }), createStep('b')], controller.signal);
  t.match(between.end, { kind: 'interrupted', step: 'b', undone: true });
  const looking = new AbortController();
  const check = async () => {
    looking.abort(new Error('interrupted'));
    throw new Error('interrupted');
  };
  t.match((await run([createStep('b', { check })], looking.signal)).end, { kind: 'interrupted', undone: true });
  t.same(log, []);
});

t.test('shortfalls are collected, later steps run, and dependent steps are skipped', async (t) => {
  const { finished, createStep, run } = createStepFixture();
  const shortfall = { reason: 'no log line', cure: 'write one', passes: false };
  const short = createStep('a', { act: async () => ({ detail: '', shortfall }) });
  const waits = createStep('b', { skip: () => 'a is not there' });
  const { end: result, outcomes } = await run([short, waits, createStep('c')]);
  t.same(outcomes, ['short', 'skipped', 'done']);
  t.match(result, { kind: 'finished', shortfalls: [shortfall] });
  t.same(finished, ['c']);
});

t.test('a failed step emits its reason before the error is thrown', async (t) => {
  const { createStep } = createStepFixture();
  const events: OnboardingEvent[] = [];
  const { signal } = new AbortController();
  const recorder: StepRecorder = { start: async () => {}, finish: async () => {}, discard: async () => {} };
  const check = async () => Promise.reject(new Error('port 3000 is held'));
  const running = {
    steps: [createStep('a', { check })],
    contextFor: (_: unknown, report: (text: string) => void): StepContext => ({ signal, report }),
    ...{ recorder, signal, clock: systemClock, onEvent: (event: OnboardingEvent) => void events.push(event) },
  };
  await t.rejects(runWorkflowSteps(running), { message: 'port 3000 is held' });
  t.match(events.at(-1), { event: 'step_ended', outcome: 'failed', detail: 'port 3000 is held' });
});
