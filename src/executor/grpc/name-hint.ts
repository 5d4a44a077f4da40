import { findSuggestion } from '../../errors/suggestion.ts';

const maxListed = 20;
const maxNameLength = 200;

/** What may be meant, or what there is. */
export function formatHint(name: string, known: readonly string[], kind: 'services' | 'methods'): string {
  const near = findSuggestion(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  const listed = known.slice(0, maxListed).map((each) => each.slice(0, maxNameLength));
  return `its ${kind} are: ${listed.join(', ') || 'none'}`;
}
