/** Checks of the log and the database: whether the layer has what they look at, and which query they mean. */
import { bounded } from '../check/bounded.ts';
import type { ReportProblem } from '../check/kind.ts';
import { looksAt } from '../check/kinds.ts';
import { suggestion } from '../errors/suggestion.ts';
import { type Layer, layerOf, layerWith } from './layers.ts';
import { listed } from './listed.ts';
import type { Queries } from './queries.ts';
import type { ScenarioCheck, ScenarioQuery } from './scenario.ts';

function reportLayers(checks: readonly ScenarioCheck[], layer: Layer, { asked }: Queries, report: ReportProblem): void {
  const has = layerOf(layer);
  const right = layerWith(
    has.database || asked || looksAtAny(checks, 'database'),
    has.log || looksAtAny(checks, 'log'),
  );
  for (const { check, text, range } of checks) {
    const what = looksAt(check);
    if (what === 'response' || has[what]) continue;
    const values = { check: bounded(text), what: `the ${what}`, layer, right };
    report('SCENARIO_CHECK_LAYER', range.start.offset, range.end.offset, values);
  }
}

/** True where one of the checks looks there. */
export function looksAtAny(checks: readonly ScenarioCheck[], what: 'database' | 'log'): boolean {
  return checks.some(({ check }) => looksAt(check) === what);
}

function reportUnknown(name: string, entry: ScenarioCheck, names: readonly string[], report: ReportProblem): void {
  const near = suggestion(name, names);
  const known = names.length === 1 ? `the query is ${listed(names)}` : `the queries are ${listed(names)}`;
  const cure = near === undefined ? known : `did you mean \`${near}\`?`;
  const at = entry.range.start.offset + Math.max(0, entry.text.indexOf(name, 2));
  report('SCENARIO_QUERY_UNKNOWN', at, at + name.length, { name, cure });
}

/** The name of the query that a check means; undefined after a report. */
function queryOf(
  written: string | undefined,
  entry: ScenarioCheck,
  names: readonly string[],
  report: ReportProblem,
): string | undefined {
  const [first] = names;
  const { start, end } = entry.range;
  if (first === undefined) report('SCENARIO_QUERY_MISSING', start.offset, end.offset, {});
  else if (written !== undefined && !names.includes(written)) reportUnknown(written, entry, names, report);
  else if (written === undefined && names.length > 1) {
    const example = bounded(entry.text.replace(/^db\s+/, `db ${first} `));
    report('SCENARIO_QUERY_AMBIGUOUS', start.offset, end.offset, { count: names.length, example });
  } else return written ?? first;
  return undefined;
}

function warnOfUnused(queries: readonly ScenarioQuery[], used: ReadonlySet<string>, report: ReportProblem): void {
  for (const { name, range } of queries) {
    if (used.has(name)) continue;
    const check = queries.length === 1 ? 'rows>=1' : `${name} rows>=1`;
    report('SCENARIO_QUERY_UNUSED', range.start.offset, range.end.offset, { name, check });
  }
}

/** The checks, each of the database with the name of its query. */
function withQueries(
  checks: readonly ScenarioCheck[],
  { queries, failed }: Queries,
  complete: boolean,
  report: ReportProblem,
): readonly ScenarioCheck[] {
  const names = queries.map(({ name }) => name);
  const used = new Set<string>();
  const named = checks.map((entry): ScenarioCheck => {
    const { check } = entry;
    if (!('query' in check)) return entry;
    const query = queryOf(check.query, entry, names, failed ? () => {} : report);
    if (query === undefined) return entry;
    used.add(query);
    return { ...entry, check: { ...check, query } };
  });
  if (!failed && complete) warnOfUnused(queries, used, report);
  return named;
}

/**
 * Reports checks that cannot be judged and, where the checks are `complete`, queries that none looks at; gives each check of
 * the database its query.
 */
export function placeEvidenceChecks(
  checks: readonly ScenarioCheck[],
  layer: Layer,
  queries: Queries,
  complete: boolean,
  report: ReportProblem,
): readonly ScenarioCheck[] {
  reportLayers(checks, layer, queries, report);
  return layerOf(layer).database ? withQueries(checks, queries, complete, report) : checks;
}
