/** Text → `Scenario`. Collects every problem in one pass and throws nothing. */
import { type Block, readBlocks } from './blocks.ts';
import { type Collector, collect } from './collector.ts';
import type { OnDiagnostic } from './diagnostic.ts';
import { looksAtAny, placeEvidenceChecks } from './evidence-checks.ts';
import { readMetadata } from './metadata.ts';
import { type Outline, readOutline, type Section } from './outline.ts';
import { readQueries } from './queries.ts';
import { readRunnable } from './runnable.ts';
import type { Scenario } from './scenario.ts';
import type { SectionName } from './sections.ts';
import { readSource, type Source } from './source.ts';
import type { Placeholders } from './template.ts';
import { maxTextLength, textIsReadable } from './text-limits.ts';
import { readTimeoutMs } from './timeout.ts';
import { readTitle } from './title.ts';
import { readTrigger } from './trigger.ts';

/** Which placeholders the scenario may use beside those every scenario has. */
export type ParseOptions = Placeholders;

function sectionIn(outline: Outline, name: SectionName): Section | undefined {
  return outline.sections.find((section) => section.definition.name === name);
}

/** Lines as they stand, LF between them, without blank ones at both ends. */
export function proseOf(blocks: readonly Block[]): string {
  const lines = blocks.flatMap((block) => block.lines.map((line) => line.text));
  const text = lines.join('\n').replace(/^(?:[ \t]*\n)+/, '');
  let end = text.length;
  while (end > 0 && ' \t\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Only Runnable is executed: anything else under EXPECT is a check that somebody believes in. */
function refuseTextUnderExpect(section: Section | undefined, { report }: Collector): void {
  for (const { kind, lines } of section?.blocks ?? []) {
    if (kind === 'text' || kind === 'fence') report('SCENARIO_TEXT_MISPLACED', lines[0].start, lines[0].end, {});
  }
}

function readParts(
  source: Source,
  outline: Outline,
  options: ParseOptions,
  collector: Collector,
): Scenario | undefined {
  const { report } = collector;
  const context = { source, placeholders: options, report };
  const [metadataSection, triggerSection, runnable] = [
    sectionIn(outline, 'Metadata'),
    sectionIn(outline, 'TRIGGER'),
    sectionIn(outline, 'Runnable'),
  ];
  const metadata = metadataSection && readMetadata(metadataSection, report);
  const trigger = triggerSection && readTrigger(triggerSection, context);
  const title = readTitle(outline.title, trigger?.method, report);
  refuseTextUnderExpect(sectionIn(outline, 'EXPECT'), collector);
  const checks = runnable === undefined ? [] : readRunnable(runnable, metadata?.layer, context);
  const verifySection = sectionIn(outline, 'VERIFY');
  const queries = readQueries(verifySection, metadata?.layer, looksAtAny(checks, 'log'), context);
  const timeoutMs = readTimeoutMs(sectionIn(outline, 'TIMEOUT'), report);
  const { id, layer, tags = [] } = metadata ?? {};
  const complete = checks.length === runnable?.blocks.filter(({ kind }) => kind === 'text').length;
  const placed = layer === undefined ? checks : placeEvidenceChecks(checks, layer, queries, complete, report);
  if (!title || !id || !layer || !trigger || timeoutMs === undefined) return undefined;
  const verify = proseOf(verifySection?.blocks ?? []);
  const cleanup = proseOf(sectionIn(outline, 'CLEANUP')?.blocks ?? []);
  return {
    ...{ title, id, layer, tags, trigger, timeoutMs },
    checks: placed,
    queries: queries.queries,
    verify,
    cleanup,
    source: source.text,
  };
}

/**
 * Reads a scenario. `onDiagnostic` gets errors and warnings in the order of their places, at most 120 and then one that
 * counts the rest; the result is undefined exactly when one of them is an error.
 */
export function parseScenario(text: string, options: ParseOptions, onDiagnostic: OnDiagnostic): Scenario | undefined {
  const source = readSource(text.length > maxTextLength ? '' : text);
  const collector = collect(source);
  let scenario: Scenario | undefined;
  if (textIsReadable(text, collector.report)) {
    const outline = readOutline(readBlocks(source, collector.report), collector.report);
    scenario = readParts(source, outline, options, collector);
  }
  return collector.tell(onDiagnostic) ? scenario : undefined;
}
