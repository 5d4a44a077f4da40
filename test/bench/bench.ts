/**
 * Measures `vp` against floors that are measured in turns with it, and prints a table.
 *
 *     node test/bench/bench.ts                    everything, as Markdown
 *     node test/bench/bench.ts --only start       one part; may be repeated
 *     node test/bench/bench.ts --json             as JSON
 *     node test/bench/bench.ts --quick            few repetitions: to see that it works, not to quote
 *
 * Ends with 0 whatever the numbers say, and with 1 when something could not be measured.
 */
import { parseArgs } from 'node:util';
import { openBenchContext } from './bench-context.ts';
import { describeMachine } from './machine.ts';
import { measurePart, type PartResult, parts } from './parts.ts';
import { killAll } from './processes.ts';
import { calculateRatio } from './row.ts';
import { markdown } from './table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(parts) },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  const lines = [
    'npm run bench                    everything, as Markdown',
    'npm run bench -- --only <part>   one part; may be repeated',
    'npm run bench -- --json          as JSON',
    'npm run bench -- --quick         few repetitions: to see that it works, not to quote',
    `parts: ${Object.keys(parts).join(', ')}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(0);
}

const unknown = values.only.find((name) => !(name in parts));
if (unknown !== undefined) {
  console.error(`✕ there is no part ${unknown}; there are: ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}

const selectedParts = Object.entries(parts).filter(([name]) => values.only.includes(name));
const context = openBenchContext(values.quick);
process.on('exit', () => {
  killAll();
  context.remove();
});
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  process.on(signal, () => process.exit(code));

const startMs = performance.now();
const machine = describeMachine(context.folder);
const results: PartResult[] = [];
for (const [name, part] of selectedParts) {
  const partStartMs = performance.now();
  process.stderr.write(`${name} … `);
  const result = await measurePart(name, part, context);
  results.push(result);
  const seconds = ((performance.now() - partStartMs) / 1000).toFixed(1);
  process.stderr.write(result.failure === undefined ? `${seconds} s\n` : `✕ ${result.failure}\n`);
}
await context.close();

const seconds = Math.round((performance.now() - startMs) / 1000);
const withRatios = results.map((result) => ({
  ...result,
  rows: result.rows.map((row) => ({ ...row, ratio: calculateRatio(row) })),
}));
const { text, ...facts } = machine;
process.stdout.write(
  values.json
    ? `${JSON.stringify({ machine: text, ...facts, quick: values.quick, seconds, results: withRatios }, null, 2)}\n`
    : markdown(text, results),
);
// A part that could not measure may have left programs behind, which would keep this one waiting.
killAll();
process.exitCode = results.some(({ failure }) => failure !== undefined) ? 1 : 0;
