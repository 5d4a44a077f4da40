/**
 * Completes an imported scenario with what the target answered: equal values become checks, different ones patterns, and checks that no
 * other answer would fail are left out. What the source says itself stays, also where the target does not do it.
 */
import { checkKinds } from '../check/kinds.ts';
import { emptyObservation, type Observation } from '../check/observation.ts';
import { proposeChecks, type SeenResponse } from '../judge/prove/propose-checks.ts';
import { prove } from '../judge/prove/prove.ts';
import type { JudgedCheck } from '../judge/verdict.ts';
import { formatScenario } from '../scenario/format.ts';
import { parseScenario } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { mergeChecks, type WrittenScenario } from './write-scenarios.ts';

export type FailingCheck = { readonly check: string; readonly expected: string; readonly actual: string };

export type RefinedScenario = {
  readonly text: string;
  /** Checks that were added, and those that were left out because nothing makes them fail. */
  readonly added: readonly string[];
  readonly dropped: readonly string[];
  /** Checks of the source that do not hold on the target. */
  readonly failing: readonly FailingCheck[];
  readonly notes: readonly string[];
};

/** Undefined for a text that is no scenario. `secrets` are never written. */
export function refineScenario(
  { text, ownChecks }: WrittenScenario,
  responses: readonly SeenResponse[],
  secrets: readonly string[],
): RefinedScenario | undefined {
  const scenario = parse(text);
  const [response] = responses;
  if (!scenario || !response) return undefined;
  const observations = responses.map(toObservation);
  const failing = listFailing(scenario, ownChecks, observations);
  const before = scenario.checks.map((entry) => entry.text).filter((check) => !isFixed(check));
  const unchanged = { text, added: [], dropped: [], failing };
  if (failing.some(({ check }) => check.startsWith('status=')))
    return { ...unchanged, notes: ['the target answers with another status, so no check was taken from its answer'] };
  const proposal = proposeChecks(responses, secrets);
  if (proposal.checks.length === 0) return { ...unchanged, notes: proposal.notes };
  const own = before.filter((check) => ownChecks.includes(check));
  const merged = mergeChecks(own, proposal.checks);
  const dropped = findNeverFailing(replaceChecks(text, merged), observations);
  const remaining = merged.filter((check) => !dropped.includes(check));
  const written = replaceChecks(text, remaining.length === 0 ? merged : remaining);
  if (!parse(written)) return { ...unchanged, notes: ['the proposed checks cannot be written in a scenario'] };
  return {
    text: written,
    added: remaining.filter((check) => !before.includes(check)),
    dropped,
    failing,
    notes: proposal.notes,
  };
}

function parse(text: string): Scenario | undefined {
  return parseScenario(text, { variables: 'any' }, () => {});
}

/** Captures and `until` are no checks of one answer. */
function isFixed(check: string): boolean {
  return /^(?:capture|until) /.test(check);
}

function toObservation({ status, headers, body }: SeenResponse): Observation {
  return { ...emptyObservation, status, headers, body };
}

/** Those of the source that some answer does not pass. Checks with captured values, of time and of cookies are not judged here. */
function listFailing(
  { checks }: Scenario,
  ownChecks: readonly string[],
  observations: readonly Observation[],
): readonly FailingCheck[] {
  return checks.flatMap(({ check, definition, text, template }): FailingCheck[] => {
    if (template || isFixed(text) || !ownChecks.includes(text) || definition.readsTime || definition.kind === 'cookie')
      return [];
    const outcome = observations.map((each) => definition.judge(check, each)).find(({ passed }) => !passed);
    return outcome ? [{ check: text, expected: outcome.expected, actual: outcome.actual }] : [];
  });
}

/** The bullets of `### Runnable`, but for captures and `until`. */
function replaceChecks(text: string, checks: readonly string[]): string {
  const start = text.indexOf('\n### Runnable\n') + '\n### Runnable\n'.length;
  const length = text.slice(start).search(/\n## /);
  const fixed = text
    .slice(start, start + length)
    .split('\n')
    .filter((line) => line.startsWith('- ') && isFixed(line.slice(2)));
  const bullets = [...checks.map((check) => `- ${check}`), ...fixed].join('\n');
  const written = `${text.slice(0, start)}\n${bullets}\n${text.slice(start + length)}`;
  return formatScenario(written, { variables: 'any' }, () => {}) ?? written;
}

/** Nothing is sent: the answers are changed where the checks look, and judged again. */
function findNeverFailing(text: string, observations: readonly Observation[]): readonly string[] {
  const scenario = parse(text);
  const observation = observations.at(-1);
  if (!scenario || !observation) return [];
  const judged = scenario.checks
    .filter((entry) => !entry.template && !isFixed(entry.text))
    .map(
      (entry): JudgedCheck => ({
        ...entry,
        counted: entry.definition.counted,
        outcome: entry.definition.judge(entry.check, observation),
      }),
    );
  if (judged.some(({ outcome }) => !outcome?.passed)) return [];
  const proof = prove({ result: 'passed', checks: judged }, observation, { kinds: checkKinds });
  return proof.checks.filter(({ verdict }) => verdict === 'never_fails').map((each) => each.text);
}

/** True where every request only reads (RFC 9110, 9.2.1), so that it may be sent. */
export function isSafeScenario(scenario: Pick<Scenario, 'steps' | 'trigger' | 'cleanupSteps'>): boolean {
  const requests = [...scenario.steps, ...scenario.cleanupSteps].map(({ trigger }) => trigger);
  return [scenario.trigger, ...requests].every(
    ({ method, tool }) => tool === undefined && ['GET', 'HEAD', 'OPTIONS'].includes(method),
  );
}
