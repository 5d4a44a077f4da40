/** What a search for runs asks for, as conditions on `runs r`, `revisions v`, `suites u` and `failure_groups g`. */
import { hasRequest, toRequestText } from '../instances/scenario-texts.ts';
import { type Condition, isReplaced, judgedCondition, notJudgedCondition, type RunQuery } from './runs.ts';

/** All conditions must hold. */
export type RunSearch = Omit<RunQuery, 'scenarios'> & {
  /** Any of these; empty for every scenario. */
  readonly scenarios: readonly string[];
  /** Each must occur in the scenario's id, title, tags or owner, or in what failed; one that begins with `/` also as a path. */
  readonly texts: readonly string[];
  /** How the path of one of the scenario's requests begins. */
  readonly path?: string | undefined;
  readonly tags: readonly string[];
  readonly owner?: string | undefined;
  readonly targetVersion?: string | undefined;
  readonly branch?: string | undefined;
  /** How the id of the commit begins. */
  readonly commit?: string | undefined;
  readonly failureGroup?: string | undefined;
  readonly schedule?: string | undefined;
};

/** Behind every text that begins with another one, in the order of bytes. */
const highestCharacter = '\u{10ffff}';

/** Both engines lower the letters of ASCII only. */
function toLowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Repeats the last item, so that statements have few lengths: each text is prepared once. */
export function padToLength<T>(items: readonly T[], lengths: readonly number[]): readonly T[] {
  const last = items.at(-1);
  if (last === undefined) return [];
  const length = lengths.find((candidate) => candidate >= items.length) ?? items.length;
  return [...items, ...Array.from({ length: length - items.length }, () => last)];
}

const listLengths = [1, 2, 4, 8];
const scenarioWords = "lower(v.scenario_id || '\n' || v.title || '\n' || v.tags || '\n' || coalesce(v.owner, ''))";
const failureWords = `lower(coalesce(r.failure_kind, '') || '\n' || coalesce(r.failure_message, '') || '\n'
  || coalesce(r.failure_summary, '') || '\n' || coalesce(g.check_text, '') || '\n' || coalesce(g.outcome, ''))`;

function buildScenarioTextCondition(text: string): Condition {
  const word = toLowerAscii(text);
  if (!text.startsWith('/')) return [`instr(${scenarioWords}, ?) > 0`, [word]];
  return [`(instr(${scenarioWords}, ?) > 0 OR ${hasRequest})`, [word, toRequestText(text)]];
}

/** Conditions on the scenario alone, without those on its text. */
export function buildScenarioConditions({ path, tags, owner }: RunSearch): Condition[] {
  const conditions: Condition[] = padToLength(tags, listLengths).map((tag) => [
    'instr(v.tags, ?) > 0',
    // An element of a JSON array of strings.
    [JSON.stringify(tag)],
  ]);
  if (owner !== undefined) conditions.push(['lower(v.owner) = ?', [toLowerAscii(owner)]]);
  if (path !== undefined) conditions.push([hasRequest, [toRequestText(path)]]);
  return conditions;
}

/** Each text is found in the scenario. */
export function buildScenarioTextConditions({ texts }: RunSearch): Condition[] {
  return padToLength(texts, listLengths).map(buildScenarioTextCondition);
}

export function buildSourceConditions({ branch, commit }: RunSearch): Condition[] {
  const conditions: Condition[] = [];
  if (branch !== undefined) conditions.push(['u.branch = ?', [branch]]);
  if (commit !== undefined)
    conditions.push(['u.commit_id >= ? AND u.commit_id < ?', [commit, commit + highestCharacter]]);
  return conditions;
}

/** Everything that a run must satisfy. */
export function buildSearchConditions(search: RunSearch): Condition[] {
  const { instance, scenarios, states = [], judged, replaced } = search;
  const conditions: Condition[] = [...buildScenarioConditions(search), ...buildSourceConditions(search)];
  for (const [scenarioText, values] of buildScenarioTextConditions(search)) {
    const [word = ''] = values;
    conditions.push([`(${scenarioText} OR instr(${failureWords}, ?) > 0)`, [...values, word]]);
  }
  const equal: readonly (readonly [column: string, value: string | number | undefined])[] = [
    ['r.instance_id', instance],
    ['r.suite_id', search.suite],
    ['r.target_version', search.targetVersion],
    ['r.failure_group', search.failureGroup],
    ['r.schedule_id', search.schedule],
  ];
  for (const [column, value] of equal) if (value !== undefined) conditions.push([`${column} = ?`, [value]]);
  const ids = padToLength(scenarios, listLengths);
  if (ids.length > 0) conditions.push([`r.scenario_id IN (${ids.map(() => '?').join(', ')})`, ids]);
  const inStates = [...new Set(states)].sort().map((state) => `'${state}'`);
  if (inStates.length > 0) conditions.push([`r.state IN (${inStates.join(', ')})`, []]);
  if (judged !== undefined) conditions.push([judged ? judgedCondition : notJudgedCondition, []]);
  if (replaced !== undefined) conditions.push([`${replaced ? '' : 'NOT '}${isReplaced('r')}`, []]);
  return conditions;
}
