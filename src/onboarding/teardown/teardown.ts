/** A teardown: takes away an instance and leaves its target running. Can be repeated after a failure half-way. */
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { asVpError } from '../../errors/vp-error.ts';
import type { Tell } from '../engine/event.ts';
import { type JournalFacts, readJournal } from '../engine/journal.ts';
import { runSteps, type StepNotes } from '../engine/run-steps.ts';
import type { Step } from '../engine/step.ts';
import { openTranscript, transcriptFile } from '../engine/transcript.ts';
import type { TeardownAsked, TeardownContext, TeardownPorts } from './context.ts';
import { executorProjectStep } from './executor-project.ts';
import { foldersStep } from './folders.ts';
import { kitStep } from './kit.ts';
import { lastInstanceStep } from './last-instance.ts';
import { registrationStep } from './registration.ts';

/** Every step, in order. The containers go first: they hold the copy of the secrets. */
export const teardownSteps: readonly Step<TeardownContext>[] = [
  executorProjectStep,
  registrationStep,
  foldersStep,
  lastInstanceStep,
  kitStep,
];

/** What came of it, for programs. */
export type TeardownResult = {
  readonly outcome: 'REMOVED' | 'PARTIALLY REMOVED' | 'INTERRUPTED';
  readonly exit_code: ExitCode;
  readonly instance: string;
  readonly removed: readonly string[];
  readonly kept: readonly { readonly what: string; readonly why: string }[];
  readonly remains: readonly { readonly reason: string; readonly cure: string }[];
  readonly transcript: string;
};

/** What a teardown takes. */
export type Teardown = {
  readonly asked: TeardownAsked;
  readonly ports: TeardownPorts;
  readonly tell: Tell;
  readonly signal: AbortSignal;
  readonly steps?: readonly Step<TeardownContext>[];
};

const noNotes: StepNotes = { begin: async () => {}, finish: async () => {}, drop: async () => {} };

/** Runs it. What a step cannot do is told at the end, and the steps behind it are done all the same. */
export async function teardown({
  asked,
  ports,
  tell,
  signal,
  steps = teardownSteps,
}: Teardown): Promise<TeardownResult> {
  const { clock, paths } = ports.environment;
  const transcript = openTranscript(clock);
  const file = transcriptFile(paths, asked.instanceId);
  transcript.settle(file);
  const facts = await factsOf(asked);
  const base = { asked, ports, facts, removed: [], kept: [], state: { isUnregistered: false } };
  const telling: Tell = (event) => {
    transcript.event(event);
    tell(event);
  };
  telling({ event: 'started', operation: 'teardown', steps: steps.map(({ id, title }) => ({ id, title })) });
  const contextFor = (_: unknown, say: (text: string) => void): TeardownContext => ({ ...base, signal, say });
  const going = steps.map(goingOn);
  const end = await runSteps({ steps: going, contextFor, notes: noNotes, tell: telling, clock, signal });
  const kept = [...base.kept, { what: file, why: 'the transcript' }];
  const remains = end.shortfalls.map(({ reason, cure }) => ({ reason, cure }));
  const result: TeardownResult = {
    ...outcomeOf(end.kind, remains.length),
    ...{ instance: asked.instanceId, removed: base.removed, kept, remains, transcript: file },
  };
  transcript.write(`${result.outcome} ${JSON.stringify(result)}`);
  return result;
}

function outcomeOf(kind: 'finished' | 'interrupted', troubles: number): Pick<TeardownResult, 'outcome' | 'exit_code'> {
  if (kind === 'interrupted') return { outcome: 'INTERRUPTED', exit_code: exitCode.interrupted };
  if (troubles > 0) return { outcome: 'PARTIALLY REMOVED', exit_code: exitCode.checkFailed };
  return { outcome: 'REMOVED', exit_code: exitCode.done };
}

/** A broken journal is no reason to leave the rest. */
async function factsOf({ kit, instanceId }: TeardownAsked): Promise<JournalFacts | undefined> {
  const facts = (await readJournal(kit).catch(() => undefined))?.facts;
  return facts?.instance_id === instanceId ? facts : undefined;
}

/** The step, with what it throws as a shortfall. */
function goingOn(step: Step<TeardownContext>): Step<TeardownContext> {
  const short = (error: unknown, { signal }: TeardownContext) => {
    signal.throwIfAborted();
    const { message, cure, row } = asVpError(error);
    if (row.visibility === 'private') throw error;
    return { detail: message, shortfall: { reason: `${step.title}: ${message}`, cure, passes: false } };
  };
  const failed = new WeakMap<object, unknown>();
  return {
    ...step,
    async check(context) {
      try {
        return await step.check(context);
      } catch (error) {
        failed.set(context, error);
        return { state: 'todo', detail: 'cannot be looked at' };
      }
    },
    async act(context) {
      if (failed.has(context)) return short(failed.get(context), context);
      try {
        return (await step.act?.(context)) ?? { detail: '' };
      } catch (error) {
        return short(error, context);
      }
    },
  };
}

/** The same for people. */
export function teardownText({ outcome, instance, removed, kept, remains }: TeardownResult): string {
  const lines = [
    `${outcome}: ${instance}`,
    ...remains.flatMap(({ reason, cure }) => [`  ! ${reason}`, `      ${cure}`]),
    ...removed.map((what) => `  removed  ${what}`),
    ...(removed.length === 0 ? ['  nothing was left to remove'] : []),
    ...kept.map(({ what, why }) => `  kept     ${what}: ${why}`),
    ...(outcome === 'REMOVED' ? ['  The target keeps running.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
