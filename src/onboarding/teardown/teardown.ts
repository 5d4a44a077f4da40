/** A teardown removes an instance and leaves its target running. It can be repeated after a failure. */
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { toVpError } from '../../errors/vp-error.ts';
import type { OnboardingEventHandler } from '../workflow/event.ts';
import { type JournalFacts, readJournal } from '../workflow/journal.ts';
import { runSteps, type StepRecorder } from '../workflow/run-steps.ts';
import type { WorkflowStep } from '../workflow/step.ts';
import { getTranscriptPath, openTranscript } from '../workflow/transcript.ts';
import type { TeardownContext, TeardownPorts, TeardownRequest } from './context.ts';
import { foldersStep } from './folders.ts';
import { instanceProjectStep } from './instance-project.ts';
import { kitStep } from './kit.ts';
import { lastInstanceStep } from './last-instance.ts';
import { registrationStep } from './registration.ts';

/** The steps, in order. The containers are removed first, because they have a copy of the secrets. */
export const teardownSteps: readonly WorkflowStep<TeardownContext>[] = [
  instanceProjectStep,
  registrationStep,
  foldersStep,
  lastInstanceStep,
  kitStep,
];

/** The result, as JSON output prints it. */
export type TeardownResult = {
  readonly outcome: 'REMOVED' | 'PARTIALLY REMOVED' | 'INTERRUPTED';
  readonly exit_code: ExitCode;
  readonly instance: string;
  readonly removed: readonly string[];
  readonly kept: readonly { readonly what: string; readonly why: string }[];
  readonly remains: readonly { readonly reason: string; readonly cure: string }[];
  readonly transcript: string;
};

export type TeardownOptions = {
  readonly request: TeardownRequest;
  readonly ports: TeardownPorts;
  readonly onEvent: OnboardingEventHandler;
  readonly signal: AbortSignal;
  readonly steps?: readonly WorkflowStep<TeardownContext>[];
};

const noRecorder: StepRecorder = { start: async () => {}, finish: async () => {}, discard: async () => {} };

/** Later steps run even if one fails; failures are reported at the end. */
export async function runTeardown({
  request,
  ports,
  onEvent,
  signal,
  steps = teardownSteps,
}: TeardownOptions): Promise<TeardownResult> {
  const { clock, paths } = ports.environment;
  const transcript = openTranscript(clock);
  const transcriptFile = getTranscriptPath(paths, request.instanceId);
  transcript.attach(transcriptFile);
  const facts = await readFacts(request);
  const base = { request, ports, facts, removed: [], retained: [], state: { isUnregistered: false } };
  const emit: OnboardingEventHandler = (event) => {
    transcript.event(event);
    onEvent(event);
  };
  emit({ event: 'started', operation: 'teardown', steps: steps.map(({ id, title }) => ({ id, title })) });
  const contextFor = (_: unknown, report: (text: string) => void): TeardownContext => ({ ...base, signal, report });
  const tolerantSteps = steps.map(tolerateFailure);
  const stepsResult = await runSteps({
    steps: tolerantSteps,
    contextFor,
    recorder: noRecorder,
    onEvent: emit,
    clock,
    signal,
  });
  const retained = [...base.retained, { what: transcriptFile, why: 'the transcript' }];
  const remains = stepsResult.shortfalls.map(({ reason, cure }) => ({ reason, cure }));
  const result: TeardownResult = {
    ...toOutcome(stepsResult.kind, remains.length),
    ...{ instance: request.instanceId, removed: base.removed, kept: retained, remains, transcript: transcriptFile },
  };
  transcript.write(`${result.outcome} ${JSON.stringify(result)}`);
  return result;
}

function toOutcome(
  kind: 'finished' | 'interrupted',
  failureCount: number,
): Pick<TeardownResult, 'outcome' | 'exit_code'> {
  if (kind === 'interrupted') return { outcome: 'INTERRUPTED', exit_code: exitCode.interrupted };
  if (failureCount > 0) return { outcome: 'PARTIALLY REMOVED', exit_code: exitCode.checkFailed };
  return { outcome: 'REMOVED', exit_code: exitCode.done };
}

/** An unreadable journal must not stop a teardown. */
async function readFacts({ kit, instanceId }: TeardownRequest): Promise<JournalFacts | undefined> {
  const facts = (await readJournal(kit).catch(() => undefined))?.facts;
  return facts?.instance_id === instanceId ? facts : undefined;
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
    ...(removed.length === 0 ? ['  nothing was left to remove'] : []),
    ...retained.map(({ what, why }) => `  kept     ${what}: ${why}`),
    ...(outcome === 'REMOVED' ? ['  The target keeps running.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
