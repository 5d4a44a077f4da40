/** The exit code of a comparison, and what it is for. */
import { isFailingAddition } from '../../contract/change-labels.ts';
import type { ComparedScenario, RunComparison } from '../../contract/comparison-api.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';

type ScenarioSide = ComparedScenario['base'];

function isJudged(side: ScenarioSide): boolean {
  return side !== null && side.passed + side.failed > 0;
}

function isRegression(scenario: ComparedScenario): boolean {
  return !scenario.quarantined && (scenario.change === 'newly_failing' || isFailingAddition(scenario));
}

/** Whether it broke is not known: it passed on base, or is new, and no run on head could be judged. */
function isUnknownOnHead({ base, head, quarantined }: ComparedScenario): boolean {
  if (quarantined || head === null || isJudged(head)) return false;
  return base === null || base.passed > 0;
}

/** A regression that is known decides before what is not known. */
export function getComparisonExitCode({ scenarios }: RunComparison): ExitCode {
  if (scenarios.some(isRegression)) return exitCode.checkFailed;
  return hasCommonScenario(scenarios) && !scenarios.some(isUnknownOnHead) ? exitCode.done : exitCode.broken;
}

function hasCommonScenario(scenarios: readonly ComparedScenario[]): boolean {
  return scenarios.some(({ base, head }) => isJudged(base) && isJudged(head));
}

const maxNamed = 5;

/** Lines that say what could not be compared; empty where all was. */
export function formatUncompared({ scenarios }: RunComparison): string {
  const unknown = scenarios.filter(isUnknownOnHead).map(({ scenario_id: id }) => id);
  const rest = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : '';
  const named = escapeUnsafeLine(`${unknown.slice(0, maxNamed).join(', ')}${rest}`);
  return [
    ...(hasCommonScenario(scenarios) ? [] : ['nothing was compared: no scenario was judged on both sides\n']),
    ...(unknown.length === 0 ? [] : [`whether these work on head is not known, as no run could be judged: ${named}\n`]),
  ].join('');
}
