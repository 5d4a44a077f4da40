/** `vp validate` of a folder with 1,000 scenarios, from start to end, against a bare script that only reads the files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns, median, series } from './measure.ts';
import { exampleScenarios, type Place } from './place.ts';
import { run } from './processes.ts';
import { type Row, under } from './row.ts';

const files = 1000;

/** The example's scenarios under other IDs: no two files are the same. */
function writeScenarios(folder: string): string {
  mkdirSync(folder);
  const examples = exampleScenarios();
  for (let at = 0; at < files; at += 1) {
    const { id = '', text = '' } = examples[at % examples.length] ?? {};
    writeFileSync(join(folder, `${id}-${at}.md`), text.replace(`ID: ${id}`, `ID: ${id}-${at}`));
  }
  return folder;
}

/** One row. */
export async function validate({ vp, node, fresh, quick }: Place): Promise<Row[]> {
  const folder = writeScenarios(fresh('scenarios'));
  const ofVp = series(async () => (await run(vp('validate', folder))).ms);
  const ofBare = series(async () => (await run(node('bare-read.mjs', folder))).ms);
  await inTurns(quick ? 2 : 7, [ofVp, ofBare], 1);
  const floor = { what: 'reading them', value: median(ofBare.samples) };
  const measured = `\`vp validate\`, ${files.toLocaleString('en')} files`;
  return [under({ measured, value: median(ofVp.samples), unit: 'ms', floor }, 1000)];
}
