/** Distinguishes scenarios from other Markdown files of a folder, such as its README. */
import { readBlocks } from './blocks.ts';
import { findSection } from './sections.ts';
import { readSource } from './source.ts';

const title = /^ {0,3}#{1,6}\s*scenario\s*:/i;

/** The beginning of nearly every scenario. */
const usual = /^\uFEFF?# Scenario: /;

/** True for a text with the title of a scenario, or with two sections of one, so that an invalid title is still reported. */
export function looksLikeScenario(text: string): boolean {
  if (usual.test(text)) return true;
  const blocks = readBlocks(readSource(text), () => {});
  const isTitled = blocks.some(
    ({ kind, lines: [line] }) => (kind === 'heading' || kind === 'text') && title.test(line.text),
  );
  if (isTitled) return true;
  const names = blocks.flatMap((block) => (block.kind === 'heading' ? (findSection(block.name.text)?.name ?? []) : []));
  return new Set(names).size > 1;
}
