/** The results as Markdown. */
import type { PartResult } from './parts.ts';
import { calculateRatio, type Row, type Unit } from './row.ts';

function numberText(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function quantity(value: number, unit: Unit): string {
  return `${numberText(value)} ${unit}`;
}

function ratioText(row: Row): string {
  const ratio = calculateRatio(row);
  return ratio === undefined ? '' : `${ratio.toFixed(2)}×`;
}

function cells(row: Row): string[] {
  const { measured, value, unit, floor, limit } = row;
  return [
    measured,
    quantity(value, unit),
    floor ? `${quantity(floor.value, floor.unit ?? unit)} (${floor.what})` : '',
    ratioText(row),
    limit ? `${limit.text} ${limit.isMet ? '✓' : '✕'}` : '',
  ];
}

/** A table of every row; `machine` stands above it, parts that could not be measured below it. */
export function markdown(machine: string, results: readonly PartResult[]): string {
  const lines = [
    ['Measured', '`vp`', 'Floor', 'Ratio', 'Limit'],
    ['---', '--:', '--:', '--:', '--:'],
  ];
  for (const { rows } of results) lines.push(...rows.map(cells));
  const table = lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
  const failed = results.flatMap(({ part, failure }) =>
    failure === undefined ? [] : [`✕ ${part} could not be measured: ${failure}`],
  );
  return `${[machine, table, ...failed].join('\n\n')}\n`;
}
