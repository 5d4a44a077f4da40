import { escapeUnsafeLine } from '../escape-unsafe.ts';
import { quarantinedLabel } from '../outcome.ts';

const maxQuarantinedNames = 20;

/** Which scenarios failed without counting; empty where there are none, else it ends with a line break. */
export function formatQuarantinedFailures(scenarioIds: readonly string[]): string {
  const names = [...new Set(scenarioIds)];
  if (names.length === 0) return '';
  const more = names.length > maxQuarantinedNames ? ` and ${names.length - maxQuarantinedNames} more` : '';
  const listed = names.slice(0, maxQuarantinedNames).map(escapeUnsafeLine).join(', ');
  return `${quarantinedLabel}, which does not count: ${listed}${more}\n`;
}
