/** `vp validate` of a folder with 1,000 scenarios, from start to end, against a bare script that only reads the files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchContext, exampleScenarios } from './bench-context.ts';
import { inTurns, median, series } from './measure.ts';
import { run } from './processes.ts';
import { type Row, under } from './row.ts';

const files = 1000;

/** The example's scenarios under other IDs: no two files are the same. */
function writeScenarios(folder: string): string {
  mkdirSync(folder);
  const examples = exampleScenarios();
  for (let index = 0; index < files; index += 1) {
    const { id = '', text = '' } = examples[index % examples.length] ?? {};
    writeFileSync(join(folder, `${id}-${index}.md`), text.replace(`ID: ${id}`, `ID: ${id}-${index}`));
  }
  return folder;
}

/** One row. */
export async function validate({ vp, node, fresh, quick }: BenchContext): Promise<Row[]> {
  const folder = writeScenarios(fresh('scenarios'));
  const ofVp = series(async () => (await run(vp('validate', folder))).ms);
  const ofBare = series(async () => (await run(node('bare-read.mjs', folder))).ms);
  await inTurns(quick ? 2 : 7, [ofVp, ofBare], 1);
  const floor = { what: 'reading them', value: median(ofBare.samples) };
  const measured = `\`vp validate\`, ${files.toLocaleString('en')} files`;
  return [under({ measured, value: median(ofVp.samples), unit: 'ms', floor }, 1000)];
}
