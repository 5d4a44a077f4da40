/** Tells scenarios from the other Markdown of a folder, such as its README. */
import { readBlocks } from './blocks.ts';
import { sectionNamed } from './sections.ts';
import { readSource } from './source.ts';

const title = /^ {0,3}#{1,6}\s*scenario\s*:/i;

/** How nearly all of them begin. */
const usual = /^\uFEFF?# Scenario: /;

/** True for a text with the title of a scenario, or with two sections of one, so that a bad title is still told. */
export function looksLikeScenario(text: string): boolean {
  if (usual.test(text)) return true;
  const blocks = readBlocks(readSource(text), () => {});
  const isTitled = blocks.some(
    ({ kind, lines: [line] }) => (kind === 'heading' || kind === 'text') && title.test(line.text),
  );
  if (isTitled) return true;
  const names = blocks.flatMap((block) =>
    block.kind === 'heading' ? (sectionNamed(block.name.text)?.name ?? []) : [],
  );
  return new Set(names).size > 1;
}
