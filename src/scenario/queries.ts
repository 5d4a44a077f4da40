/** The queries of `## VERIFY`: its fences that begin with `sql` or `sql <name>`. Everything else there never executes. */
import type { Fence } from './blocks.ts';
import { type Layer, layerOf, layerWith } from './layers.ts';
import type { Section } from './outline.ts';
import { readQueryText } from './query-text.ts';
import type { ScenarioQuery } from './scenario.ts';
import { rangeIn } from './source.ts';
import type { TemplateContext } from './template.ts';

/** As many as one run may ask. */
export const maxQueries = 20;

/** The name of a query that has none because it is the only one. */
export const onlyQuery = 'query';

const nameForm = /^[a-z][a-z0-9_]{0,49}$/;
/** They stand behind `db` in checks. */
const wordsOfChecks: readonly string[] = ['has', 'rows'];
const otherWords = /^(?:postgres|postgresql|psql|pgsql|plsql|plpgsql|mysql|query)\b/i;

/** A fence that is to be executed, and what stands behind `sql`. */
type QueryFence = { readonly fence: Fence; readonly name: string };

function queryFences(section: Section | undefined): readonly QueryFence[] {
  return (section?.blocks ?? []).flatMap((fence) => {
    const name = fence.kind === 'fence' ? /^sql(?:\s+(.*))?$/i.exec(fence.info) : null;
    return fence.kind === 'fence' && name !== null ? [{ fence, name: name[1] ?? '' }] : [];
  });
}

function warnOfOtherWords(section: Section | undefined, { report }: TemplateContext): void {
  for (const block of section?.blocks ?? []) {
    if (block.kind !== 'fence' || !otherWords.test(block.info)) continue;
    const [{ start, end }] = block.lines;
    report('SCENARIO_QUERY_LANGUAGE', start, end, { info: block.info.slice(0, 60) });
  }
}

/** The names in their order; undefined where one was reported. */
function namesOf(found: readonly QueryFence[], { report }: TemplateContext): readonly (string | undefined)[] {
  const lines = new Map<string, number>();
  return found.map(({ fence, name: written }) => {
    const [{ start, end, number }] = fence.lines;
    const name = written === '' && found.length === 1 ? onlyQuery : written;
    const earlier = lines.get(name);
    if (name === '') report('SCENARIO_QUERY_UNNAMED', start, end, { count: found.length, example: 'documents' });
    else if (!nameForm.test(name) || wordsOfChecks.includes(name)) {
      report('SCENARIO_QUERY_NAME', start, end, { name: name.slice(0, 60) });
    } else if (earlier !== undefined) report('SCENARIO_QUERY_DOUBLED', start, end, { name, line: earlier });
    else {
      lines.set(name, number);
      return name;
    }
    return undefined;
  });
}

/** What VERIFY asks. `failed` where a query was reported and left out; `asked` where there was one at all. */
export type Queries = {
  readonly queries: readonly ScenarioQuery[];
  readonly failed: boolean;
  readonly asked: boolean;
};

function reportLayer(found: readonly QueryFence[], layer: Layer, logNeeded: boolean, context: TemplateContext): void {
  const right = layerWith(true, logNeeded || layerOf(layer).log);
  for (const { fence } of found) {
    const [{ start, end }] = fence.lines;
    context.report('SCENARIO_QUERY_LAYER', start, end, { layer, right });
  }
}

function readAll(found: readonly QueryFence[], context: TemplateContext): readonly ScenarioQuery[] {
  const names = namesOf(found, context);
  return found.flatMap(({ fence }, at) => {
    const sql = readQueryText(fence, context);
    const name = names[at];
    if (sql === undefined || name === undefined) return [];
    const [{ start }] = fence.lines;
    return [{ name, sql, range: rangeIn(context.source, start, fence.lines.at(-1)?.end ?? start) }];
  });
}

function tooMany(section: Section | undefined, count: number, { report }: TemplateContext): boolean {
  const heading = section?.heading.lines[0];
  if (heading === undefined || count <= maxQueries) return false;
  report('SCENARIO_QUERIES_TOO_MANY', heading.start, heading.end, { count, most: maxQueries });
  return true;
}

/**
 * Reads the queries. `layer` is undefined where it is not known; `logNeeded` where checks look at the log, for the layer
 * that a cure names.
 */
export function readQueries(
  section: Section | undefined,
  layer: Layer | undefined,
  logNeeded: boolean,
  context: TemplateContext,
): Queries {
  const found = queryFences(section);
  const asked = found.length > 0;
  if (layer !== undefined && !layerOf(layer).database) {
    reportLayer(found, layer, logNeeded, context);
    return { queries: [], failed: asked, asked };
  }
  warnOfOtherWords(section, context);
  if (tooMany(section, found.length, context)) return { queries: [], failed: true, asked };
  const queries = readAll(found, context);
  return { queries, failed: queries.length < found.length, asked };
}
