import type { ScenarioEdit } from '../../src/scenario/quick-fix.ts';

/** The text after an edit, as editors apply it. */
export function applyEdit(text: string, { from, to, insert }: ScenarioEdit): string {
  return text.slice(0, from) + insert + text.slice(to);
}
