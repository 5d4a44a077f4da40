/** Sends the scenarios that only read, twice, and completes them with what came back. */
import { createLocalRuns } from '../../assemble/executor/local-runs.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { toSeenBody } from '../../import/recorded-body.ts';
import { isSafeScenario, type RefinedScenario, refineScenario } from '../../import/refine-scenario.ts';
import type { WrittenScenario } from '../../import/write-scenarios.ts';
import type { SeenResponse } from '../../judge/prove/propose-checks.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { Report } from '../../report/report.ts';
import { parseScenario } from '../../scenario/parse.ts';

/** `skipped`: why no check was taken from the target; `isSent`: whether a request was sent to it. */
export type ObservedScenario = WrittenScenario & {
  readonly refined: RefinedScenario | undefined;
  readonly skipped: string | undefined;
  readonly isSent: boolean;
};

type ObserveOptions = {
  readonly project: ProjectConfig;
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly extraRoots: readonly string[];
  readonly signal: AbortSignal;
};

const parallelRuns = 4;
/** Times that are shown in seconds differ after this. */
const pauseMs = 1100;

/** Throws IMPORT_INTERRUPTED, and IMPORT_UNANSWERED where scenarios were sent and none was answered. */
export async function observeTarget(
  scenarios: readonly WrittenScenario[],
  options: ObserveOptions,
): Promise<readonly ObservedScenario[]> {
  const { project, environment, extraRoots, signal } = options;
  const { clock, random } = environment;
  const refusals = scenarios.map(({ text }) => findReasonNotSent(text, project));
  const sent = scenarios.flatMap((scenario, index) => (refusals[index] === undefined ? [{ scenario, index }] : []));
  const runs = createLocalRuns({ project, clock, random, extraRoots });
  const reports = new Map<number, Report[]>();
  const sendAll = async (): Promise<void> => {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < sent.length && !signal.aborted; at = next++) {
        const entry = sent[at];
        if (!entry) return;
        const report = await runs.execute({ id: entry.scenario.id, text: entry.scenario.text }, signal);
        reports.set(entry.index, [...(reports.get(entry.index) ?? []), report]);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallelRuns, sent.length) }, work));
  };
  try {
    const startMs = clock.monotonicMs();
    await sendAll();
    const isAnswered = [...reports.values()].flat().some(({ exchange }) => exchange.response !== null);
    if (isAnswered) await clock.sleep(Math.max(0, pauseMs - (clock.monotonicMs() - startMs)), signal);
    if (isAnswered) await sendAll();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    runs.close();
  }
  if (signal.aborted) throw vpError('IMPORT_INTERRUPTED', {});
  assertAnswered(reports);
  return scenarios.map((scenario, index) => {
    const skipped = refusals[index];
    return skipped === undefined
      ? complete(scenario, reports.get(index) ?? [], project)
      : { ...scenario, refined: undefined, skipped, isSent: false };
  });
}

function assertAnswered(reports: ReadonlyMap<number, readonly Report[]>): void {
  const all = [...reports.values()].flat();
  const [first] = all;
  if (!first || all.some(({ exchange }) => exchange.response !== null)) return;
  const count =
    reports.size === 1 ? 'the scenario that was sent has' : `the ${reports.size} scenarios that were sent have`;
  throw vpError('IMPORT_UNANSWERED', { count, problem: describeUnanswered(first) });
}

/** Why the requests of a scenario are not sent. */
export function findReasonNotSent(text: string, { names }: ProjectConfig): string | undefined {
  const readable = parseScenario(text, { variables: 'any' }, () => {});
  if (!readable || !isSafeScenario(readable)) return 'it may change data';
  const missing = new Set<string>();
  parseScenario(text, names, ({ code, message }) => {
    if (code.startsWith('SCENARIO_PLACEHOLDER')) missing.add(/\$\{\w+\}/.exec(message)?.[0] ?? message);
  });
  return missing.size === 0
    ? undefined
    : `${[...missing].join(', ')} ${missing.size === 1 ? 'has' : 'have'} no value yet`;
}

function complete(scenario: WrittenScenario, reports: readonly Report[], project: ProjectConfig): ObservedScenario {
  const unusable = reports.find((report) => toSeenResponse(report) === undefined);
  if (unusable) return { ...scenario, refined: undefined, skipped: describeUnanswered(unusable), isSent: true };
  const responses = reports.flatMap((report) => toSeenResponse(report) ?? []);
  const refined = refineScenario(scenario, responses, project.secretValues);
  return {
    ...scenario,
    text: refined?.text ?? scenario.text,
    refined,
    skipped: refined ? undefined : 'it cannot be read',
    isSent: true,
  };
}

/** Why {@link toSeenResponse} is undefined. */
export function describeUnanswered({ exchange: { response }, failure }: Report): string {
  if (response) return `its response is larger than what is recorded (${response.body.size_bytes} bytes)`;
  return failure?.message ?? 'no response';
}

/** Undefined where there is no answer, or only a part of it. */
export function toSeenResponse({ exchange: { response } }: Report): SeenResponse | undefined {
  if (!response || response.body.truncated) return undefined;
  const { text, size_bytes } = response.body;
  const body =
    text === null && size_bytes > 0
      ? { kind: 'not_json' as const, problem: 'it is not text', excerpt: '' }
      : toSeenBody(text ?? '');
  return { status: response.status, headers: response.headers, body };
}
