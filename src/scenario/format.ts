/**
 * Writes a scenario in canonical form: LF, one empty line between parts, names as the tables spell them. Order, comments,
 * prose and bodies are unchanged. Parsing the result gives the same scenario except for positions; formatting it again gives
 * the same text.
 */
import { readBlocks } from './blocks.ts';
import { parseBullet } from './bullet.ts';
import type { OnDiagnostic } from './diagnostic.ts';
import { writeTable } from './format-cases.ts';
import { writeBullets, writeLines } from './format-lines.ts';
import { writeSteps } from './format-steps.ts';
import { formatTrigger } from './format-trigger.ts';
import { findMetadataKey, readMetadataEntry } from './metadata.ts';
import { readOutline, type Section } from './outline.ts';
import { type ParseOptions, parseScenario } from './parse.ts';
import { collectProse } from './prose.ts';
import type { Scenario } from './scenario.ts';
import { formatHeading } from './sections.ts';
import { readSource } from './source.ts';

const unreported = (): void => {};

function writeMetadata({ blocks }: Section, { id, layer, tags, owner = '', links = [] }: Scenario): string {
  const values = { ID: id, Layer: layer, Tags: tags.join(', '), Owner: owner, Links: links.join(' ') };
  return writeLines(blocks, (line) => {
    const bullet = parseBullet(line);
    const key = findMetadataKey((bullet && readMetadataEntry(bullet)?.key.text) ?? '');
    return key === undefined ? line.text : `- ${key}: ${values[key]}`.trimEnd();
  });
}

function writeSection(section: Section, scenario: Scenario): string {
  if (section.definition.holdsSteps) return writeSteps(section);
  if (section.definition.prose) return collectProse(section.blocks);
  switch (section.definition.name) {
    case 'Metadata':
      return writeMetadata(section, scenario);
    case 'TRIGGER':
      return formatTrigger(section);
    case 'Runnable':
      return writeBullets(section.blocks);
    case 'CASES':
      return writeTable(section);
    default:
      return writeLines(section.blocks, () => `${scenario.timeoutMs / 1000}s`);
  }
}

/** Marks at the end of a title would be parsed as closing marks of the heading. */
function writeTitle({ title }: Scenario): string {
  return title.endsWith('#') ? `# Scenario: ${title} #` : `# Scenario: ${title}`;
}

function write(scenario: Scenario): string {
  const outline = readOutline(readBlocks(readSource(scenario.source), unreported), unreported);
  const parts = [collectProse(outline.lead), writeTitle(scenario), collectProse(outline.preamble)];
  for (const section of outline.sections) {
    parts.push(formatHeading(section.definition), writeSection(section, scenario));
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Returns the formatted text; undefined when it has errors, which are passed to `onDiagnostic` as by `parseScenario`. */
export function formatScenario(text: string, options: ParseOptions, onDiagnostic: OnDiagnostic): string | undefined {
  const scenario = parseScenario(text, options, onDiagnostic);
  return scenario && write(scenario);
}
