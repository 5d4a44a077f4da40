/**
 * Writes a scenario in the one usual way: LF, one empty line between parts, names as the tables spell them. Order, comments,
 * prose and bodies stay as they are. Reading the result gives the same scenario, places apart; writing it again, the same text.
 */
import { type Block, type Piece, readBlocks } from './blocks.ts';
import { bulletOf, withoutCodeMarks } from './bullet.ts';
import type { OnDiagnostic } from './diagnostic.ts';
import { verbatim, writeTrigger } from './format-trigger.ts';
import { keyNamed, readEntry } from './metadata.ts';
import { readOutline, type Section } from './outline.ts';
import { type ParseOptions, parseScenario, proseOf } from './parse.ts';
import type { Scenario } from './scenario.ts';
import { headingOf } from './sections.ts';
import { readSource } from './source.ts';

const unreported = (): void => {};

/** Text lines through `write`, comments as they stand, rules at a distance, because below a line they make it a heading. */
function writeLines(blocks: readonly Block[], write: (line: Piece) => string): string {
  const told = blocks.filter(({ kind }) => kind !== 'blank');
  return told
    .map((block, index) => {
      const [line] = block.lines;
      if (block.kind === 'text') return write({ text: line.text, start: line.start });
      const [before, behind] = [index > 0 ? '\n' : '', index < told.length - 1 ? '\n' : ''];
      return block.kind === 'rule' ? before + verbatim(block) + behind : verbatim(block);
    })
    .join('\n');
}

function writeMetadata({ blocks }: Section, { id, layer, tags }: Scenario): string {
  const values = { ID: id, Layer: layer, Tags: tags.join(', ') };
  return writeLines(blocks, (line) => {
    const bullet = bulletOf(line);
    const key = keyNamed((bullet && readEntry(bullet)?.key.text) ?? '');
    return key === undefined ? line.text : `- ${key}: ${values[key]}`.trimEnd();
  });
}

function writeBullets({ blocks }: Section): string {
  return writeLines(blocks, (line) => `- ${withoutCodeMarks(bulletOf(line) ?? line).text}`);
}

function writeSection(section: Section, scenario: Scenario): string {
  if (section.definition.prose) return proseOf(section.blocks);
  switch (section.definition.name) {
    case 'Metadata':
      return writeMetadata(section, scenario);
    case 'TRIGGER':
      return writeTrigger(section);
    case 'Runnable':
      return writeBullets(section);
    default:
      return writeLines(section.blocks, () => `${scenario.timeoutMs / 1000}s`);
  }
}

/** Marks at the end of a title would be taken for the heading's own. */
function writeTitle({ title }: Scenario): string {
  return title.endsWith('#') ? `# Scenario: ${title} #` : `# Scenario: ${title}`;
}

function write(scenario: Scenario): string {
  const outline = readOutline(readBlocks(readSource(scenario.source), unreported), unreported);
  const parts = [proseOf(outline.lead), writeTitle(scenario), proseOf(outline.preamble)];
  for (const section of outline.sections) {
    parts.push(headingOf(section.definition), writeSection(section, scenario));
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The text as it should be written; undefined when it has errors, which `onDiagnostic` gets, as from `parseScenario`. */
export function formatScenario(text: string, options: ParseOptions, onDiagnostic: OnDiagnostic): string | undefined {
  const scenario = parseScenario(text, options, onDiagnostic);
  return scenario && write(scenario);
}
