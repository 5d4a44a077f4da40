/** `vp coverage`: which operations, statuses and fields of an OpenAPI document the scenarios check. */
import { command, type FlagDefinitions, type Invocation } from '../../command-line/command.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  type CoverageTotals,
  computeCoverage,
  type DocumentCoverage,
  getCoverageState,
  type OperationCoverage,
  toPercent,
} from '../../import/openapi/coverage.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { paintFor, type TerminalPaint } from '../../terminal/paint.ts';
import { readAllScenarios, readApiDocument } from '../import/api-document-source.ts';
import { scenarioFolderFlag } from '../role-flags.ts';
import { findTestFolder } from '../run/select-local.ts';

const flags = {
  'test-dir': scenarioFolderFlag,
  all: { type: 'boolean', default: false, describe: 'list the operations that are covered too, with their fields' },
  least: {
    type: 'number',
    placeholder: '<percent>',
    integerRange: [0, 100],
    describe: 'exit with 1 where fewer operations have a scenario',
  },
} as const satisfies FlagDefinitions;

async function run({ flags: given, args, json, environment }: Invocation<typeof flags>): Promise<ExitCode> {
  const [path = ''] = args;
  const document = await readApiDocument(path, environment);
  const files = await readAllScenarios(findTestFolder(given['test-dir'], environment.cwd), json, environment);
  const coverage = computeCoverage(
    document,
    files.map(({ scenario }) => scenario),
  );
  const { streams, variables } = environment;
  if (json) streams.stdout.write(`${JSON.stringify(toDocument(path, coverage), null, 2)}\n`);
  else streams.stdout.write(formatCoverage(coverage, given.all, paintFor(streams.stdout, variables)));
  if (coverage.totals.operations.total === 0) throw vpError('IMPORT_NOTHING', { path, reason: 'it has no operations' });
  const isEnough = given.least === undefined || toPercent(coverage.totals.operations) >= given.least;
  return isEnough ? exitCode.done : exitCode.checkFailed;
}

function toDocument(document: string, { operations, totals }: DocumentCoverage) {
  return {
    document,
    totals,
    operations: operations.map(({ method, path, id, isDeprecated, scenarios, statuses, fields }) => ({
      ...{ method, path, operation_id: id, deprecated: isDeprecated, scenarios, statuses },
      checked_fields: fields.filter(({ isChecked }) => isChecked).map(({ field }) => field),
      unchecked_fields: fields.filter(({ isChecked }) => !isChecked).map(({ field }) => field),
    })),
  };
}

function formatTotal(label: string, totals: CoverageTotals): string {
  return `${label.padEnd(12)} ${totals.covered} of ${totals.total} (${toPercent(totals)}%)\n`;
}

const maxFields = 12;

function formatCoverage({ operations, totals }: DocumentCoverage, isWhole: boolean, paint: TerminalPaint): string {
  const listed = operations.filter((operation) => isWhole || getCoverageState(operation) !== 'complete');
  const rest = operations.length - listed.length;
  return [
    ...listed.map((operation) => formatOperation(operation, paint)),
    ...(rest > 0
      ? [paint.faint(`${rest} of ${operations.length} operations are covered as a whole; --all lists them\n`)]
      : []),
    '\n',
    formatTotal('operations', totals.operations),
    formatTotal('statuses', totals.statuses),
    formatTotal('fields', totals.fields),
  ].join('');
}

function formatOperation(
  { method, path, scenarios, statuses, fields, isDeprecated }: OperationCoverage,
  paint: TerminalPaint,
): string {
  const mark = scenarios.length === 0 ? paint.failed('✕') : paint.passed('✓');
  const head = `${mark} ${escapeUnsafeLine(`${method} ${path}`)}${isDeprecated ? paint.faint(' deprecated') : ''}`;
  if (scenarios.length === 0) return `${head}  ${paint.faint('no scenario')}\n`;
  const open = statuses.filter((status) => status.scenarios.length === 0).map(({ status }) => status);
  const unchecked = fields.filter(({ isChecked }) => !isChecked).map(({ field }) => field);
  const list = (names: readonly string[]): string =>
    names.slice(0, maxFields).join(', ') + (names.length > maxFields ? ` and ${names.length - maxFields} more` : '');
  const notes = [
    ...(open.length === 0 ? [] : [`no scenario expects ${list(open)}`]),
    ...(unchecked.length === 0 ? [] : [`not checked: ${list(unchecked)}`]),
  ];
  return `${head}\n${notes.map((note) => `    ${paint.faint(escapeUnsafeLine(note))}\n`).join('')}`;
}

export const coverageCommand = command({
  name: 'coverage',
  summary: 'show what of an OpenAPI document is checked',
  positionals: [{ name: 'document', describe: 'the OpenAPI document, or - for standard input', required: true }],
  flags,
  examples: [
    ['vp coverage openapi.yaml', 'what no scenario sends, expects or checks'],
    ['vp coverage openapi.yaml --least 80 --json', 'for CI'],
  ],
  notes:
    'An operation is covered if a scenario sends it, as TRIGGER, step or cleanup; a status if a check expects it; a field of the documented ' +
    'success if a check names it. Elements of lists are one field.\n\n' +
    'Exit code 0: done. 1: with --least, fewer operations are covered. 2: the document or a scenario cannot be read.',
  run,
});
