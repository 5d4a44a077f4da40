/** A teardown removes an instance and leaves its target running. It can be repeated after a failure. */
import { readFile, rm } from 'node:fs/promises';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { toVpError, vpError } from '../../errors/vp-error.ts';
import type { OnboardingEventHandler } from '../workflow/event.ts';
import { readJournal } from '../workflow/journal.ts';
import { runWorkflowSteps, type StepRecorder } from '../workflow/run-steps.ts';
import type { WorkflowStep } from '../workflow/step.ts';
import { getTranscriptPath, openTranscript } from '../workflow/transcript.ts';
import type { TeardownContext, TeardownPorts, TeardownRequest, TeardownState } from './context.ts';
import { foldersRemovalStep } from './folders.ts';
import { instanceProjectStep } from './instance-project.ts';
import { kitStep } from './kit.ts';
import { lastInstanceStep } from './last-instance.ts';
import { registrationRemovalStep } from './registration.ts';

/** The steps, in order. The containers are removed first, because they have a copy of the secrets. */
export const teardownSteps: readonly WorkflowStep<TeardownContext>[] = [
  instanceProjectStep,
  registrationRemovalStep,
  foldersRemovalStep,
  lastInstanceStep,
  kitStep,
];

/** The result, as JSON output prints it. */
export type TeardownResult = {
  readonly outcome: 'REMOVED' | 'PARTIALLY REMOVED' | 'NOTHING REMOVED' | 'INTERRUPTED';
  readonly exit_code: ExitCode;
  readonly instance: string;
  readonly removed: readonly string[];
  readonly kept: readonly { readonly what: string; readonly why: string }[];
  readonly remains: readonly { readonly reason: string; readonly cure: string }[];
  /** Null where nothing of the instance was found. */
  readonly transcript: string | null;
};

export type TeardownOptions = {
  readonly request: TeardownRequest;
  readonly ports: TeardownPorts;
  readonly onEvent: OnboardingEventHandler;
  readonly signal: AbortSignal;
  readonly steps?: readonly WorkflowStep<TeardownContext>[];
};

const noRecorder: StepRecorder = { start: async () => {}, finish: async () => {}, discard: async () => {} };

/** Later steps run even if one fails; failures are reported at the end. Throws INSTANCE_OF_ANOTHER. */
export async function runTeardown({
  request,
  ports,
  onEvent,
  signal,
  steps = teardownSteps,
}: TeardownOptions): Promise<TeardownResult> {
  await assertOwnInstance(request, ports);
  const { clock, paths } = ports.environment;
  const transcript = openTranscript(clock);
  const transcriptFile = getTranscriptPath(paths, request.instanceId);
  const earlierTranscript = await readFile(transcriptFile, 'utf8').catch(() => undefined);
  const hadTranscript = earlierTranscript !== undefined;
  transcript.attach(transcriptFile);
  const base = {
    ...{ request, ports, ...(await readFacts(request)) },
    ...{ removed: [], retained: [], state: { registration: 'unknown', usedBy: [] } satisfies TeardownState },
  };
  const emit: OnboardingEventHandler = (event) => {
    transcript.event(event);
    onEvent(event);
  };
  emit({ event: 'started', operation: 'teardown', steps: steps.map(({ id, title }) => ({ id, title })) });
  const contextFor = (_: unknown, report: (text: string) => void): TeardownContext => ({ ...base, signal, report });
  const tolerantSteps = steps.map(tolerateFailure);
  const stepsResult = await runWorkflowSteps({
    steps: tolerantSteps,
    contextFor,
    recorder: noRecorder,
    onEvent: emit,
    clock,
    signal,
  });
  const shortfalls = stepsResult.shortfalls.map(({ reason, cure }) => ({ reason, cure }));
  const isUnknown = shortfalls.length + base.removed.length === 0 && !wasEverHere(earlierTranscript);
  const remains = isUnknown ? [describeUnknownInstance(base)] : shortfalls;
  const outcome = toOutcome(stepsResult.kind, remains.length, base.removed.length);
  // The transcript of a mistyped id would be the only thing that ever existed of it.
  const isTranscriptKept = outcome.outcome !== 'NOTHING REMOVED' || hadTranscript;
  if (!isTranscriptKept) await rm(transcriptFile, { force: true });
  const retained = [...base.retained, ...(isTranscriptKept ? [{ what: transcriptFile, why: 'the transcript' }] : [])];
  const result: TeardownResult = {
    ...outcome,
    ...{ instance: request.instanceId, removed: base.removed, kept: retained, remains },
    transcript: isTranscriptKept ? transcriptFile : null,
  };
  if (!isTranscriptKept) return result;
  transcript.write(`${result.outcome} ${JSON.stringify(result)}`);
  return result;
}

/** Whoever may use the engine could remove the containers of every user, whose registrations they cannot remove. */
async function assertOwnInstance({ instanceId, kit }: TeardownRequest, { platform }: TeardownPorts): Promise<void> {
  const foreignKit = await platform.findForeignKit(instanceId, kit);
  if (foreignKit !== undefined) throw vpError('INSTANCE_OF_ANOTHER', { instance: instanceId, kit: foreignKit });
}

function toOutcome(
  kind: 'finished' | 'interrupted',
  remainingCount: number,
  removedCount: number,
): Pick<TeardownResult, 'outcome' | 'exit_code'> {
  if (kind === 'interrupted') return { outcome: 'INTERRUPTED', exit_code: exitCode.interrupted };
  if (remainingCount === 0) return { outcome: 'REMOVED', exit_code: exitCode.done };
  const outcome = removedCount === 0 ? 'NOTHING REMOVED' : 'PARTIALLY REMOVED';
  return { outcome, exit_code: exitCode.checkFailed };
}

/**
 * A repeated teardown has nothing to remove and is a success; one of a mistyped id is not. The onboarding counts too, because a
 * teardown may have been killed between its last step and its record.
 */
function wasEverHere(transcript = ''): boolean {
  return transcript.includes(` ${removalRecord}`) || /^\S+ onboard: /m.test(transcript);
}

const removalRecord = 'REMOVED {"outcome":"REMOVED"';

function describeUnknownInstance({ request, state }: Pick<TeardownContext, 'request' | 'state'>) {
  const { instanceId, controlPlane } = request;
  const reason = `there is no instance ${instanceId} at ${controlPlane}, and nothing of it on this machine`;
  const others = state.usedBy.length === 0 ? '' : `; instances of this machine: ${state.usedBy.join(', ')}`;
  return { reason, cure: `check --instance-id against \`vp instances --control-plane ${controlPlane}\`${others}` };
}

/** An unreadable journal must not stop a teardown. */
async function readFacts({
  kit,
  instanceId,
}: TeardownRequest): Promise<Pick<TeardownContext, 'facts' | 'interruptedStep'>> {
  const journal = await readJournal(kit).catch(() => undefined);
  if (journal?.facts.instance_id !== instanceId) return { facts: undefined, interruptedStep: null };
  return { facts: journal.facts, interruptedStep: journal.in_hand };
}

/** A step whose errors become shortfalls. */
function tolerateFailure(step: WorkflowStep<TeardownContext>): WorkflowStep<TeardownContext> {
  const toShortfall = (error: unknown, { signal }: TeardownContext) => {
    signal.throwIfAborted();
    const { message, cure, row } = toVpError(error);
    if (row.visibility === 'private') throw error;
    return { detail: message, shortfall: { reason: `${step.title}: ${message}`, cure, passes: false } };
  };
  const checkErrors = new WeakMap<object, unknown>();
  return {
    ...step,
    async check(context) {
      try {
        return await step.check(context);
      } catch (error) {
        checkErrors.set(context, error);
        return { state: 'todo', detail: 'the check failed' };
      }
    },
    async act(context) {
      if (checkErrors.has(context)) return toShortfall(checkErrors.get(context), context);
      try {
        return (await step.act?.(context)) ?? { detail: '' };
      } catch (error) {
        return toShortfall(error, context);
      }
    },
  };
}

/** For people. */
export function formatTeardown({ outcome, instance, removed, kept: retained, remains }: TeardownResult): string {
  const lines = [
    `${outcome}: ${instance}`,
    ...remains.flatMap(({ reason, cure }) => [`  ! ${reason}`, `      ${cure}`]),
    ...removed.map((item) => `  removed  ${item}`),
    ...(outcome === 'REMOVED' && removed.length === 0 ? ['  nothing was left to remove'] : []),
    ...retained.map(({ what, why }) => `  kept     ${what}: ${why}`),
    ...(outcome === 'REMOVED' ? ['  The target keeps running.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
