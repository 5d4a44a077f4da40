/** Which scenarios of a catalogue a schedule requests. */

export type SelectableScenario = { readonly scenario_id: string; readonly tags: readonly string[] };

/** Ids, in which `*` stands for any characters, and tags; a scenario needs one of them. Neither: every scenario. */
export type ScheduleSelection = {
  readonly scenarios?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
};

/** Linear in time, unlike a regular expression of several `.*`. */
function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let position = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const index = text.indexOf(part, position);
    if (index < 0 || index + part.length > end) return false;
    position = index + part.length;
  }
  return true;
}

/** What the selection names and no scenario of the catalogue has: `RT-GET-old`, `tag smok`. */
export function listUnmatched(
  catalogue: readonly SelectableScenario[],
  { scenarios = [], tags = [] }: ScheduleSelection,
): string[] {
  const ids = scenarios.filter(
    (pattern) => !catalogue.some(({ scenario_id: scenario }) => matchesPattern(pattern, scenario)),
  );
  const known = new Set(catalogue.flatMap((entry) => entry.tags));
  return [...ids, ...tags.filter((tag) => !known.has(tag)).map((tag) => `tag ${tag}`)];
}

export function selectScenarios<T extends SelectableScenario>(
  catalogue: readonly T[],
  { scenarios = [], tags = [] }: ScheduleSelection,
): T[] {
  if (scenarios.length === 0 && tags.length === 0) return [...catalogue];
  return catalogue.filter(
    (entry) =>
      entry.tags.some((tag) => tags.includes(tag)) ||
      scenarios.some((pattern) => matchesPattern(pattern, entry.scenario_id)),
  );
}
