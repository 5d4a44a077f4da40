/** `# Scenario: <METHOD> <path-name>` */
import type { ReportProblem } from '../check/check-kind.ts';
import type { Heading } from './blocks.ts';
import { readBlocks } from './blocks.ts';
import { findSection } from './sections.ts';
import { readSource } from './source.ts';
import { type TriggerKeyword, triggerKeywords } from './trigger-keyword.ts';

const form = /^scenario\s*:\s*(.*)$/i;

/** The text after `Scenario:`; undefined if a problem was reported. `method` is that of the trigger, if known. */
export function readTitle(
  heading: Heading | undefined,
  method: TriggerKeyword | undefined,
  report: ReportProblem,
): string | undefined {
  if (heading === undefined) return undefined;
  const { text, start } = heading.name;
  const title = form.exec(text)?.[1] ?? '';
  const [word = '', ...name] = title.split(/\s+/);
  const end = start + text.length;
  if (!triggerKeywords.some((each) => each === word) || name.length === 0) {
    if (/^scenario/i.test(text)) report('SCENARIO_TITLE_INVALID', start, end, { title: text.slice(0, 100) });
    return undefined;
  }
  if (method !== undefined && word !== method) report('SCENARIO_TITLE_METHOD', start, end, { word, method });
  return title;
}

const titleLine = /^ {0,3}#{1,6}\s*scenario\s*:/i;

/** The beginning of nearly every scenario. */
const usualStart = /^\uFEFF?# Scenario: /;

/**
 * Distinguishes scenarios from other Markdown files of a folder. True for a text with the title of a scenario, or with two
 * sections of one, so that an invalid title is still reported.
 */
export function looksLikeScenario(text: string): boolean {
  if (usualStart.test(text)) return true;
  const blocks = readBlocks(readSource(text), () => {});
  const isTitled = blocks.some(
    ({ kind, lines: [line] }) => (kind === 'heading' || kind === 'text') && titleLine.test(line.text),
  );
  if (isTitled) return true;
  const names = blocks.flatMap((block) => (block.kind === 'heading' ? (findSection(block.name.text)?.name ?? []) : []));
  // Steps to be used by scenarios are not one.
  const isLibrary = names.every((name) => name === 'STEPS' || name === 'CLEANUP');
  return new Set(names).size > 1 && !isLibrary;
}
