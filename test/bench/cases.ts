/** 1,000 cases of a scenario, from start to end, against the same request repeated 1,000 times. Rates count the whole process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchContext, exampleScenarios } from './bench-context.ts';
import { inTurns, median, series } from './measure.ts';
import { run } from './processes.ts';
import { type Row, ratioAtLeast } from './row.ts';

const count = 1000;

/** One row. */
export async function cases({ vp, target, productDir, fresh, quick }: BenchContext): Promise<Row[]> {
  const { url } = await target();
  const folder = fresh('cases');
  mkdirSync(folder);
  const { text = '' } = exampleScenarios()[0] ?? {};
  const rows = Array.from({ length: count }, (_, index) => `| case ${index} |\n`);
  writeFileSync(join(folder, 'plain.md'), text);
  writeFileSync(join(folder, 'cases.md'), `${text.trimEnd()}\n\n## CASES\n\n| case |\n| --- |\n${rows.join('')}`);
  const rate = (file: string, ...more: readonly string[]) =>
    series(async () => {
      const path = join(folder, file);
      const program = vp('run', '--local', path, '--base-url', url, '--product-dir', productDir, ...more);
      return (count * 1000) / (await run(program)).ms;
    });
  const ofCases = rate('cases.md');
  const ofRepeats = rate('plain.md', '--repeat', String(count));
  await inTurns(quick ? 3 : 9, [ofCases, ofRepeats], 1);
  const floor = { what: `\`--repeat ${count}\``, value: median(ofRepeats.samples) };
  const measured = `${count.toLocaleString('en')} cases of one scenario`;
  return [ratioAtLeast({ measured, value: median(ofCases.samples), unit: 'requests/s', floor }, 0.8)];
}
