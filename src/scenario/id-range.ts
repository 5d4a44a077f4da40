import { readBlocks } from './blocks.ts';
import { findValuePiece } from './metadata.ts';
import { readOutline } from './outline.ts';
import type { Range } from './position.ts';
import type { Scenario } from './scenario.ts';
import { readSource, toRange } from './source.ts';

const unreported = (): void => {};

/** Range of the ID in the text, for problems found by comparing scenarios. Parses the text again. */
export function findIdRange({ source: text }: Scenario): Range {
  const source = readSource(text);
  const { sections } = readOutline(readBlocks(source, unreported), unreported);
  const metadata = sections.find(({ definition }) => definition.name === 'Metadata');
  const id = metadata && findValuePiece(metadata, 'ID');
  return toRange(source, id?.start ?? 0, id === undefined ? 0 : id.start + id.text.length);
}

/** The text with another ID. */
export function replaceScenarioId(scenario: Scenario, id: string): string {
  const { start, end } = findIdRange(scenario);
  return scenario.source.slice(0, start.offset) + id + scenario.source.slice(end.offset);
}
