import { readBlocks } from './blocks.ts';
import { placeOf } from './metadata.ts';
import { readOutline } from './outline.ts';
import type { Range } from './position.ts';
import type { Scenario } from './scenario.ts';
import { rangeIn, readSource } from './source.ts';

const unreported = (): void => {};

/** Where a scenario says its ID, for what is only known when scenarios are compared. Reads the text again. */
export function idRange({ source: text }: Scenario): Range {
  const source = readSource(text);
  const { sections } = readOutline(readBlocks(source, unreported), unreported);
  const metadata = sections.find(({ definition }) => definition.name === 'Metadata');
  const id = metadata && placeOf(metadata, 'ID');
  return rangeIn(source, id?.start ?? 0, id === undefined ? 0 : id.start + id.text.length);
}
