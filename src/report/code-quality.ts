/**
 * GitLab's code quality report: false checks at the lines of a merge request's scenarios. GitLab displays nothing else of it, so
 * that problems without a file of the checkout are left out; the JUnit file has all of them.
 */
import { escapeUnsafeLine } from './escape-unsafe.ts';
import { listResultProblems, type ResultProblem } from './result-problems.ts';
import type { RunResults } from './results.ts';

const severities = { failed: 'major', broken: 'critical', cancelled: 'critical' } as const;

export function renderCodeQuality(results: RunResults): string {
  const counts = new Map<string, number>();
  // GitLab compares two branches by fingerprint, so that the same check written twice needs two.
  const createFingerprint = ({ instance, scenarioId, kind, identity }: ResultProblem): string => {
    const key = JSON.stringify([instance, scenarioId, kind, identity]);
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return JSON.stringify([instance, scenarioId, kind, identity, nth]);
  };
  const entries = listResultProblems(results).flatMap((problem) => {
    const { location, scenarioId, message, kind, outcome, quarantine } = problem;
    if (!location) return [];
    const description = escapeUnsafeLine(`${scenarioId}: ${quarantine ? `${quarantine}: ` : ''}${message}`);
    return {
      description,
      check_name: kind,
      fingerprint: createFingerprint(problem),
      severity: quarantine ? 'info' : severities[outcome],
      location: { path: location.file, lines: { begin: location.line } },
    };
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}
