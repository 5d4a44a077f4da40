/** Random runs with everything that a search asks for, and what a search must find, by looking at each run. */
import type { RunSearchParameters } from '../../../src/contract/run-search-api.ts';
import { formatRunId } from '../../../src/run/run-id.ts';
import type { RunState } from '../../../src/run/state.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Sql } from '../../../src/store/sql.ts';
import type { SeededRandom } from '../../storm/seeded-random.ts';

type Revision = {
  readonly id: number;
  readonly instance: string;
  readonly scenario: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly owner: string | null;
  readonly text: string;
};
type Source = { readonly id: number; readonly instance: string; readonly branch: string; readonly commit: string };
type Group = {
  readonly id: string;
  readonly instance: string;
  readonly check: string | null;
  readonly outcome: string;
};
export type SearchedRun = {
  readonly id: number;
  readonly revision: Revision;
  readonly state: RunState;
  readonly kind: string | null;
  readonly message: string | null;
  readonly summary: string | null;
  readonly version: string | null;
  readonly schedule: string | null;
  readonly source: Source | undefined;
  readonly group: Group | undefined;
};
export type SearchedRuns = readonly SearchedRun[];

export const words = [
  'Order',
  'refund',
  'Basket',
  'ÄRGER',
  'über',
  'café',
  '100%',
  "o'neil",
  'a"b',
  '\\n',
  '/items',
  '/orders/7',
];
export const tags = ['smoke', 'nightly', 'SMOKE', 'über', 'a"b'];
export const owners = ['Checkout team', 'checkout TEAM', 'ana'];
export const branches = ['main', 'feature/é', 'fix'];
const commits = ['abc123f', 'abc9', 'ffff000'];
export const versions = ['1.0', '1.0.1', '2.0'];
export const instances = ['app', 'bank'];
const firstRunMs = Date.UTC(2026, 0, 1);

function createRevision(random: SeededRandom, id: number): Revision {
  const instance = random.pick(instances);
  const scenario = `RT-${random.pick(['one', 'two', 'three', 'four', 'ITEM'])}`;
  const title = `${random.pick(words)} ${random.pick(words)}`;
  const ownTags = tags.filter(() => random.chance(0.3));
  const owner = random.chance(0.5) ? random.pick(owners) : null;
  const text = `GET \${INGESTION_URL}${random.pick(['/items', '/orders/7/lines', '/Items'])}\n\n- status=200`;
  return { id, instance, scenario, title, tags: ownTags, owner, text };
}

const inInstance = <T extends { readonly instance: string }>(all: readonly T[], instance: string): readonly T[] =>
  all.filter((entry) => entry.instance === instance);

/** `failedShare` of the runs failed. The ids are a second apart, with gaps. */
export function createSearchedRuns(random: SeededRandom, count: number, failedShare: number): SearchedRun[] {
  const revisions = Array.from({ length: 30 }, (_, index) => createRevision(random, index + 1));
  const sources = Array.from({ length: 60 }, (_, index): Source => {
    const branch = random.chance(0.9) ? 'main' : random.pick(branches);
    return { id: index + 1, instance: random.pick(instances), branch, commit: random.pick(commits) };
  });
  const groups = Array.from({ length: 20 }, (_, index): Group => {
    const check = random.chance(0.5) ? `body has ${random.pick(words)}` : null;
    const id = index.toString(16).padStart(16, '0');
    return { id, instance: random.pick(instances), check, outcome: `got ${random.pick(words)}` };
  });
  return Array.from({ length: count }, (_, index): SearchedRun => {
    const revision = random.pick(revisions);
    const states: RunState[] = ['passed', 'passed', 'passed', 'cancelled', 'queued'];
    const state = random.chance(failedShare) ? 'failed' : random.pick(states);
    const hasFailed = state === 'failed';
    const ownSources = inInstance(sources, revision.instance);
    const ownGroups = inInstance(groups, revision.instance);
    return {
      id: firstRunMs + index * 1000 + random.integer(0, 900),
      revision,
      state,
      kind: hasFailed ? random.pick(['body_mismatch', 'timeout']) : null,
      message: hasFailed ? `no ${random.pick(words)}` : null,
      summary: hasFailed && random.chance(0.5) ? `got ${random.pick(words)} (+${index})` : null,
      version: random.chance(0.7) ? random.pick(versions) : null,
      schedule: random.chance(0.1) ? 'hourly' : null,
      source: random.chance(0.6) && ownSources.length > 0 ? random.pick(ownSources) : undefined,
      group: hasFailed && ownGroups.length > 0 && random.chance(0.8) ? random.pick(ownGroups) : undefined,
    };
  });
}

const insert = (sql: Sql, table: string, row: Readonly<Record<string, string | number | null>>): void => {
  const names = Object.keys(row);
  const statement = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  sql.execute(statement, ...Object.values(row));
};

/** What runs refer to. */
function insertSubjects(sql: Sql, runs: SearchedRuns): void {
  for (const id of instances)
    insert(sql, 'instances', { id, tier: 'compose', created_at_ms: 1, created_by: 'ana', key_hash: id, seq: 1 });
  for (const { id, ...revision } of new Set(runs.map((run) => run.revision)))
    insert(sql, 'revisions', {
      ...{ id, instance_id: revision.instance, scenario_id: revision.scenario, revision: id, title: revision.title },
      ...{ layer: 'HTTP Ingestion', tags: JSON.stringify(revision.tags), text: revision.text, sha256: `${id}` },
      ...{ created_at_ms: 1, created_by: 'ana', owner: revision.owner },
    });
  for (const source of new Set(runs.flatMap((run) => run.source ?? [])))
    insert(sql, 'suites', {
      ...{ id: source.id, instance_id: source.instance, branch: source.branch, commit_id: source.commit },
      ...{ expected_runs: 1, requested_by: 'ana', requested_at_ms: 1 },
    });
  for (const { id, ...group } of new Set(runs.flatMap((run) => run.group ?? [])))
    insert(sql, 'failure_groups', {
      ...{ id, instance_id: group.instance, scenario_id: 'RT', check_text: group.check, outcome: group.outcome },
      ...{ kind: 'body_mismatch', first_run_id: 1, last_run_id: 1, occurrences: 1 },
    });
}

/** PostgreSQL ends a transaction that stands still for seconds, as one of all runs does on a loaded machine. */
const runsPerWrite = 1_000;

/** Stores the runs as the control plane does. */
export async function saveSearchedRuns(database: Pick<Database, 'write'>, runs: SearchedRuns): Promise<void> {
  await database.write((sql) => insertSubjects(sql, runs));
  for (let first = 0; first < runs.length; first += runsPerWrite)
    await database.write((sql) => insertRuns(sql, runs.slice(first, first + runsPerWrite), first));
}

function insertRuns(sql: Sql, runs: SearchedRuns, first: number): void {
  for (const [index, { id, revision, ...run }] of runs.entries())
    insert(sql, 'runs', {
      ...{ id, instance_id: revision.instance, scenario_id: revision.scenario, revision_id: revision.id },
      ...{ correlation_id: `tr-${id}`, state: run.state, origin: 'queue', requested_by: 'ana', requested_at_ms: id },
      ...{ failure_kind: run.kind, failure_message: run.message, failure_summary: run.summary, seq: first + index + 1 },
      ...{ target_version: run.version, schedule_id: run.schedule, suite_id: run.source?.id ?? null },
      failure_group: run.group?.id ?? null,
    });
}

const loweredTexts = new Map<string, string>();

/** Each text is compared with hundreds of filters. */
function lower(text: string): string {
  const known = loweredTexts.get(text);
  if (known !== undefined) return known;
  const lowered = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  loweredTexts.set(text, lowered);
  return lowered;
}

const includes = (texts: readonly (string | null | undefined)[], word: string): boolean =>
  texts.some((text) => lower(text ?? '').includes(lower(word)));

function hasText({ revision, ...run }: SearchedRun, word: string): boolean {
  const { scenario, title, owner, text } = revision;
  if (word.startsWith('/') && text.includes(`\${INGESTION_URL}${word}`)) return true;
  const ofScenario = [scenario, title, owner, JSON.stringify(revision.tags)];
  return includes([...ofScenario, run.kind, run.message, run.summary, run.group?.check, run.group?.outcome], word);
}

export type SearchedFilter = {
  readonly instance?: string | undefined;
  readonly scenario?: string | undefined;
  readonly states?: readonly RunState[] | undefined;
  readonly judged?: boolean | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly search: RunSearchParameters;
};

function matches(run: SearchedRun, { search, ...filter }: SearchedFilter): boolean {
  const { revision, source, kind } = run;
  const isNotJudged = kind === 'timeout';
  const { text = [], tag = [], path, owner, commit } = search;
  return [
    filter.instance === undefined || revision.instance === filter.instance,
    filter.scenario === undefined || revision.scenario === filter.scenario,
    filter.states === undefined || filter.states.includes(run.state),
    filter.judged === undefined || filter.judged !== isNotJudged,
    run.id >= (filter.sinceMs ?? 0) && run.id < (filter.untilMs ?? Number.MAX_SAFE_INTEGER),
    text.every((word) => hasText(run, word)),
    tag.every((name) => revision.tags.includes(name)),
    path === undefined || revision.text.includes(`\${INGESTION_URL}${path}`),
    owner === undefined || (revision.owner !== null && lower(revision.owner) === lower(owner)),
    search.target_version === undefined || run.version === search.target_version,
    search.branch === undefined || source?.branch === search.branch,
    commit === undefined || source?.commit.startsWith(commit) === true,
    search.failure === undefined || run.group?.id === search.failure,
    search.schedule === undefined || run.schedule === search.schedule,
  ].every(Boolean);
}

/** Ids of all runs that match, newest first. */
export function findSearchedRuns(runs: SearchedRuns, filter: SearchedFilter): string[] {
  return runs
    .filter((run) => matches(run, filter))
    .map(({ id }) => formatRunId(id))
    .reverse();
}

/** A filter of one to three terms. */
export function createFilter(random: SeededRandom, runs: SearchedRuns): SearchedFilter {
  const example = random.pick(runs);
  const terms: readonly RunSearchParameters[] = [
    { text: [random.pick([...words, 'got', 'NO', 'RT-', 'item', 'absent'])] },
    { text: [random.pick(words), random.pick(words), random.pick(['got', 'er'])] },
    { tag: [random.pick(tags)] },
    { tag: [...tags.slice(0, 2), 'über'] },
    { owner: random.pick([...owners, 'nobody']) },
    { path: random.pick(['/items', '/orders', '/orders/7/', '/none']) },
    { target_version: random.pick(versions) },
    { branch: random.pick(branches) },
    { commit: random.pick(['abc', 'abc123f', 'f', 'e']) },
    { failure: example.group?.id ?? 'ffffffffffffffff' },
    { schedule: 'hourly' },
  ];
  const chosen = Array.from({ length: random.integer(1, 3) }, () => random.pick(terms));
  const search = Object.assign({}, ...chosen);
  const time = example.id + random.integer(-1, 1);
  return {
    search,
    ...(random.chance(0.8) ? { instance: random.pick(instances) } : {}),
    ...(random.chance(0.2) ? { scenario: example.revision.scenario } : {}),
    ...random.pick<Partial<SearchedFilter>>([
      {},
      { states: ['passed', 'failed', 'cancelled'] },
      { states: ['failed'], judged: random.chance(0.5) },
      { states: ['cancelled', 'queued'] },
    ]),
    ...random.pick<Partial<SearchedFilter>>([{}, {}, { sinceMs: time }, { untilMs: time }]),
  };
}
