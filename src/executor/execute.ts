/** One run from its request to its report: parse, bind, send, judge, redact. */
import type { Clock } from '../environment/clock.ts';
import { VpError } from '../errors/vp-error.ts';
import { verdictOfFault } from '../judge/judge.ts';
import type { TargetDispatcher } from '../outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { reportOf } from '../report/make.ts';
import type { Report } from '../report/report.ts';
import type { Evidence, Fault } from '../run/evidence.ts';
import type { RunRequest } from '../run/run-request.ts';
import { type BoundRequest, bind } from '../scenario/bind.ts';
import type { ParseOptions } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { addressOf } from './address.ts';
import { type Beside, type BesideOptions, lookBeside } from './beside.ts';
import { type CollectTimes, collectTimes } from './collect.ts';
import { concealedNote, concealedOf, concealerOf } from './conceal.ts';
import { received } from './evidence.ts';
import { faultOf } from './fault.ts';
import { judgeSafely } from './judge-safely.ts';
import { headersOf, sentRequest, wireRequest } from './outgoing.ts';
import { proveSafely } from './prove-safely.ts';
import { redactorOf } from './redact.ts';
import { redactProof } from './redact-proof.ts';
import { redactVerdict } from './redact-verdict.ts';
import { firstError, scenarioTexts } from './scenario-texts.ts';
import { shownEvidence } from './shown-evidence.ts';
import { trigger } from './trigger.ts';
import type { Witnesses } from './witnesses.ts';

/** What all runs of one target share. */
export type RunnerOptions = {
  readonly project: ProjectConfig;
  readonly dispatcher: TargetDispatcher;
  readonly clock: Clock;
  /** Of this build; told to the target as `User-Agent: vp/<version>`. */
  readonly version: string;
  /**
   * Which placeholders a text may use. Any by default: only those of the config have values here, and a name without one
   * fails the run as `secret_missing`, with its cure, instead of as a text that cannot be read.
   */
  readonly placeholders?: ParseOptions;
  /** Log and database; nobody else is asked than the target itself without them. */
  readonly witnesses?: Witnesses | undefined;
  readonly collectTimes?: CollectTimes;
};

/** `signal` cancels. `refusal` is asked in the moment before the first byte leaves (see trigger.ts). */
export type ExecuteOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly refusal?: (() => Fault | undefined) | undefined;
};

/** Executes runs; any number at the same time. */
export type Runner = {
  /** Never rejects for anything the target, the scenario or the config did: that is in the report. */
  execute(request: RunRequest, options?: ExecuteOptions): Promise<Report>;
  /** The report of a run that is not executed, because of `fault`. */
  refuse(request: RunRequest, fault: Fault): Report;
};

/** A runner for the target of `project`. */
export function createRunner(options: RunnerOptions): Runner {
  const context: Context = {
    ...options,
    origin: options.project.targets.http.baseUrl,
    bearerToken: options.project.targets.auth?.bearerToken.reveal(),
    variables: Object.fromEntries(
      [...options.project.scenarioVariables].map(([name, value]) => [name, value.reveal()]),
    ),
    redactor: redactorOf(options.project.secretValues, seenByChecks(options.project)),
    concealer: concealerOf(targetSecrets(options.project)),
    read: scenarioTexts(options.placeholders ?? { variables: 'any' }),
  };
  return {
    execute: (request, each = {}) => execute(context, request, each),
    refuse: (request, fault) =>
      unsent(context, request, startOf(context), fault, context.read(request.scenarioText).scenario),
  };
}

/** Without the values that the config gives to scenarios: those they may use, and so read. */
function targetSecrets({ secretValues, scenarioVariables }: ProjectConfig): string[] {
  const given = new Set([...scenarioVariables.values()].map((value) => value.reveal()));
  return secretValues.filter((value) => !given.has(value));
}

function seenByChecks(project: ProjectConfig): string[] {
  const concealed = new Set(concealedOf(targetSecrets(project)));
  return project.secretValues.filter((value) => !concealed.has(value));
}

type Context = RunnerOptions & {
  readonly origin: string;
  readonly bearerToken: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly redactor: ReturnType<typeof redactorOf>;
  readonly concealer: ReturnType<typeof concealerOf>;
  readonly read: ReturnType<typeof scenarioTexts>;
};

/** When a run was taken up, by both clocks. */
type Start = { readonly startedAtMs: number; readonly takenUpMs: number };

function startOf({ clock }: Context): Start {
  return { startedAtMs: clock.nowMs(), takenUpMs: clock.monotonicMs() };
}

async function execute(context: Context, request: RunRequest, options: ExecuteOptions): Promise<Report> {
  const start = startOf(context);
  const read = context.read(request.scenarioText);
  const { scenario } = read;
  if (!scenario) return unsent(context, request, start, faultOf('EXECUTOR_SCENARIO_UNREADABLE', firstError(read)));
  const bound = boundOrFault(context, request, scenario);
  if ('kind' in bound) return unsent(context, request, start, bound, scenario);
  const { conceal, happened } = context.concealer();
  const beside = lookBeside(besideOptions(context, request, scenario, conceal, options.signal));
  const evidence = { ...(await observe(context, request, scenario, bound, start, options, beside)), conceal };
  const judged = judgeSafely(scenario, evidence, addressOf(context.origin));
  const notes = happened() ? [...judged.notes, concealedNote] : judged.notes;
  const verdict = redactVerdict({ ...judged, notes }, context.redactor);
  const proof = request.prove ? redactProof(proveSafely(judged, evidence), context.redactor) : undefined;
  const shown = shownEvidence(evidence, context.redactor);
  return reportOf(request, scenario, verdict, shown, context.version, proof);
}

function besideOptions(
  context: Context,
  request: RunRequest,
  scenario: Scenario,
  conceal: Evidence['conceal'],
  signal: AbortSignal | undefined,
): BesideOptions {
  const { origin, variables, witnesses = {}, clock, project, collectTimes: times = collectTimes } = context;
  const values = { origin, correlationId: request.correlationId, variables };
  return { witnesses, clock, times, reading: project.logstore, conceal, scenario, request, values, signal };
}

function boundOrFault(
  { origin, variables }: Context,
  { correlationId }: RunRequest,
  scenario: Scenario,
): BoundRequest | Fault {
  try {
    return bind(scenario, { origin, correlationId, variables });
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { kind: 'secret_missing', message: error.message, cure: error.cure };
  }
}

async function observe(
  context: Context,
  { correlationId }: RunRequest,
  { timeoutMs }: Scenario,
  bound: BoundRequest,
  { startedAtMs, takenUpMs }: Start,
  options: ExecuteOptions,
  beside: Beside,
): Promise<Evidence> {
  const { clock, dispatcher, origin, bearerToken, redactor, version, project } = context;
  const { baseUrlFrom } = project.targets.http;
  const headers = headersOf(bound, { correlationId, bearerToken, userAgent: `vp/${version}` });
  const wire = wireRequest(bound, origin, headers);
  try {
    const heard = await trigger(wire, { dispatcher, clock, takenUpMs, timeoutMs, baseUrlFrom, ...options });
    const { response, fault: heardFault } = await received(heard, origin, redactor);
    const { log, queries, evidenceMs, fault } = await beside.collect({ response, fault: heardFault });
    const left = heard.timings.connectMs !== undefined;
    const request = left ? sentRequest(wire, headers, bound.body, redactor) : undefined;
    const timings = { ...heard.timings, evidenceMs };
    return { startedAtMs, request, response, fault, log, queries, timings };
  } finally {
    beside.end();
  }
}

/** The report of a run for which nothing could be sent. */
function unsent(context: Context, request: RunRequest, start: Start, fault: Fault, scenario?: Scenario): Report {
  const totalMs = context.clock.monotonicMs() - start.takenUpMs;
  const timings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined, totalMs };
  const { startedAtMs } = start;
  const evidence: Evidence = { startedAtMs, request: undefined, response: undefined, fault, timings };
  const verdict = redactVerdict(verdictOfFault(fault, scenario), context.redactor);
  return reportOf(request, scenario, verdict, evidence, context.version);
}
