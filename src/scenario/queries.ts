/** The queries of `## VERIFY`: its fences that begin with `sql` or `sql <name>`. Everything else there never executes. */
import type { FencedBlock } from './blocks.ts';
import { findLayerByEvidence, getLayer, type Layer } from './layers.ts';
import type { Section } from './outline.ts';
import { readQueryText } from './query-text.ts';
import type { ScenarioQuery } from './scenario.ts';
import { toRange } from './source.ts';
import type { TemplateContext } from './template.ts';

/** Maximum per run. */
export const maxQueries = 20;

/** The name of a query that has none because it is the only one. */
const onlyQueryName = 'query';

const nameForm = /^[a-z][a-z0-9_]{0,49}$/;
/** Keywords after `db` in checks. */
const checkKeywords: readonly string[] = ['has', 'rows'];
const otherDialects = /^(?:postgres|postgresql|psql|pgsql|plsql|plpgsql|mysql|query)\b/i;

/** A fence to execute, with the text after `sql`. */
type QueryFence = { readonly fence: FencedBlock; readonly name: string };

function queryFences(section: Section | undefined): readonly QueryFence[] {
  return (section?.blocks ?? []).flatMap((fence) => {
    const name = fence.kind === 'fence' ? /^sql(?:\s+(.*))?$/i.exec(fence.info) : null;
    return fence.kind === 'fence' && name !== null ? [{ fence, name: name[1] ?? '' }] : [];
  });
}

function warnOfOtherDialects(section: Section | undefined, { report }: TemplateContext): void {
  for (const block of section?.blocks ?? []) {
    if (block.kind !== 'fence' || !otherDialects.test(block.info)) continue;
    const [{ start, end }] = block.lines;
    report('SCENARIO_QUERY_LANGUAGE', start, end, { info: block.info.slice(0, 60) });
  }
}

/** The names in order; undefined for those with a reported problem. */
function readNames(fences: readonly QueryFence[], { report }: TemplateContext): readonly (string | undefined)[] {
  const lines = new Map<string, number>();
  return fences.map(({ fence, name: written }) => {
    const [{ start, end, number }] = fence.lines;
    const name = written === '' && fences.length === 1 ? onlyQueryName : written;
    const earlier = lines.get(name);
    if (name === '') report('SCENARIO_QUERY_UNNAMED', start, end, { count: fences.length, example: 'documents' });
    else if (!nameForm.test(name) || checkKeywords.includes(name)) {
      report('SCENARIO_QUERY_NAME', start, end, { name: name.slice(0, 60) });
    } else if (earlier !== undefined) report('SCENARIO_QUERY_DOUBLED', start, end, { name, line: earlier });
    else {
      lines.set(name, number);
      return name;
    }
    return undefined;
  });
}

/** The queries of VERIFY. `failed`: one was reported and omitted; `hasQueries`: there was at least one, also an invalid one. */
export type QueriesResult = {
  readonly queries: readonly ScenarioQuery[];
  readonly failed: boolean;
  readonly hasQueries: boolean;
};

function reportLayer(fences: readonly QueryFence[], layer: Layer, logNeeded: boolean, context: TemplateContext): void {
  const right = findLayerByEvidence(true, logNeeded || getLayer(layer).log);
  for (const { fence } of fences) {
    const [{ start, end }] = fence.lines;
    context.report('SCENARIO_QUERY_LAYER', start, end, { layer, right });
  }
}

function readAll(fences: readonly QueryFence[], context: TemplateContext): readonly ScenarioQuery[] {
  const names = readNames(fences, context);
  return fences.flatMap(({ fence }, index) => {
    const sql = readQueryText(fence, context);
    const name = names[index];
    if (sql === undefined || name === undefined) return [];
    const [{ start }] = fence.lines;
    return [{ name, sql, range: toRange(context.source, start, fence.lines.at(-1)?.end ?? start) }];
  });
}

function tooMany(section: Section | undefined, count: number, { report }: TemplateContext): boolean {
  const heading = section?.heading.lines[0];
  if (heading === undefined || count <= maxQueries) return false;
  report('SCENARIO_QUERIES_TOO_MANY', heading.start, heading.end, { count, max: maxQueries });
  return true;
}

/**
 * Parses the queries. `layer` is undefined if it is not known. `logNeeded`: checks use the log, so a suggested layer must
 * have it.
 */
export function readQueries(
  section: Section | undefined,
  layer: Layer | undefined,
  logNeeded: boolean,
  context: TemplateContext,
): QueriesResult {
  const fences = queryFences(section);
  const hasQueries = fences.length > 0;
  if (layer !== undefined && !getLayer(layer).database) {
    reportLayer(fences, layer, logNeeded, context);
    return { queries: [], failed: hasQueries, hasQueries };
  }
  warnOfOtherDialects(section, context);
  if (tooMany(section, fences.length, context)) return { queries: [], failed: true, hasQueries };
  const queries = readAll(fences, context);
  return { queries, failed: queries.length < fences.length, hasQueries };
}
