/** Validates checks of the log and the database: whether the layer has that evidence, and which query they refer to. */

import type { ReportProblem } from '../check/check-kind.ts';
import { abbreviate } from '../check/json/describe-value.ts';
import { findSuggestion } from '../errors/suggestion.ts';
import { formatList } from './format-list.ts';
import { findLayerByEvidence, getLayer, type Layer } from './layers.ts';
import type { QueriesResult } from './queries.ts';
import type { ScenarioCheck, ScenarioQuery } from './scenario.ts';

function reportLayers(
  checks: readonly ScenarioCheck[],
  layer: Layer,
  { hasQueries }: QueriesResult,
  report: ReportProblem,
): void {
  const evidence = getLayer(layer);
  const right = findLayerByEvidence(
    evidence.database || hasQueries || hasEvidenceCheck(checks, 'database'),
    evidence.log || hasEvidenceCheck(checks, 'log'),
  );
  for (const { definition, text, range } of checks) {
    const source = definition.looksAt;
    if (source === 'response' || evidence[source]) continue;
    const values = { check: abbreviate(text), evidence: `the ${source}`, layer, right };
    report('SCENARIO_CHECK_LAYER', range.start.offset, range.end.offset, values);
  }
}

export function hasEvidenceCheck(checks: readonly ScenarioCheck[], source: 'database' | 'log'): boolean {
  return checks.some(({ definition }) => definition.looksAt === source);
}

function reportUnknown(name: string, entry: ScenarioCheck, names: readonly string[], report: ReportProblem): void {
  const suggestion = findSuggestion(name, names);
  const known = names.length === 1 ? `the query is ${formatList(names)}` : `the queries are ${formatList(names)}`;
  const cure = suggestion === undefined ? known : `did you mean \`${suggestion}\`?`;
  const offset = entry.range.start.offset + Math.max(0, entry.text.indexOf(name, 2));
  report('SCENARIO_QUERY_UNKNOWN', offset, offset + name.length, { name, cure });
}

/** The name of the query that a check refers to; undefined if a problem was reported. */
function findQuery(
  writtenName: string | undefined,
  entry: ScenarioCheck,
  names: readonly string[],
  report: ReportProblem,
): string | undefined {
  const [first] = names;
  const { start, end } = entry.range;
  if (first === undefined) report('SCENARIO_QUERY_MISSING', start.offset, end.offset, {});
  else if (writtenName !== undefined && !names.includes(writtenName)) reportUnknown(writtenName, entry, names, report);
  else if (writtenName === undefined && names.length > 1) {
    const example = abbreviate(entry.text.replace(/^db\s+/, `db ${first} `));
    report('SCENARIO_QUERY_AMBIGUOUS', start.offset, end.offset, { count: names.length, example });
  } else return writtenName ?? first;
  return undefined;
}

function warnOfUnused(queries: readonly ScenarioQuery[], used: ReadonlySet<string>, report: ReportProblem): void {
  for (const { name, range } of queries) {
    if (used.has(name)) continue;
    const check = queries.length === 1 ? 'rows>=1' : `${name} rows>=1`;
    report('SCENARIO_QUERY_UNUSED', range.start.offset, range.end.offset, { name, check });
  }
}

/** Returns the checks; checks of the database have the name of their query. */
function withQueries(
  checks: readonly ScenarioCheck[],
  { queries, failed }: QueriesResult,
  isComplete: boolean,
  report: ReportProblem,
): readonly ScenarioCheck[] {
  const names = queries.map(({ name }) => name);
  const used = new Set<string>();
  const named = checks.map((entry): ScenarioCheck => {
    const { check, definition } = entry;
    if (!definition.getQuery || !definition.withQuery) return entry;
    const query = findQuery(definition.getQuery(check), entry, names, failed ? () => {} : report);
    if (query === undefined) return entry;
    used.add(query);
    return { ...entry, check: definition.withQuery(check, query) };
  });
  if (!failed && isComplete) warnOfUnused(queries, used, report);
  return named;
}

/**
 * Reports checks that cannot be judged and, where the checks are complete (`isComplete`), queries that no check uses; gives each check of
 * the database its query.
 */
export function assignEvidenceChecks(
  checks: readonly ScenarioCheck[],
  layer: Layer,
  queries: QueriesResult,
  isComplete: boolean,
  report: ReportProblem,
): readonly ScenarioCheck[] {
  reportLayers(checks, layer, queries, report);
  return getLayer(layer).database ? withQueries(checks, queries, isComplete, report) : checks;
}
