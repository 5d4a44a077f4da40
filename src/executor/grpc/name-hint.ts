import { findSuggestion } from '../../errors/suggestion.ts';

const maxListed = 20;

/** What may be meant, or what there is. */
export function formatHint(name: string, known: readonly string[], kind: 'services' | 'methods'): string {
  const near = findSuggestion(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return `its ${kind} are: ${known.slice(0, maxListed).join(', ') || 'none'}`;
}
