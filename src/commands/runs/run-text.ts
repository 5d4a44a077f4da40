/** A run with all that is known of it, for people. */
import type { RunDocument } from '../../contract/api.ts';
import { printable, printableLine } from '../../report/printable.ts';
import type { Report, ReportCheck } from '../../report/report.ts';
import type { ScenarioSource } from '../../report/results.ts';
import { textReport } from '../../report/text.ts';
import type { Paint } from '../../terminal/paint.ts';
import { remarkOf, styleOf } from './run-look.ts';

/** Of a body this many lines are shown; the HTML report has all that was kept. */
const bodyLines = 60;
/** JSON often comes in one line: so much is shown of each, and of all together. */
const lineLength = 2000;
const bodyLength = 20_000;

/** The whole text; ends with a line break. */
export function runText(run: RunDocument, source: ScenarioSource | undefined, paint: Paint): string {
  const { report, late_report: late } = run;
  const head = report ? textReport(report, paint, source) : `${headOf(run, paint)}\n`;
  const parts = [head, ...requestFacts(run), ...(report ? details(report, paint) : absence(run))];
  if (late) parts.push('\na report that arrived after the run had ended:\n', textReport(late, paint, source));
  return parts.join('');
}

function headOf(run: RunDocument, paint: Paint): string {
  const state = styleOf(run, paint)(run.state);
  const remark = remarkOf(run);
  return `${paint.strong(printableLine(run.scenario_id))}  ${state}${remark === '' ? '' : `  ${printableLine(remark)}`}`;
}

function fact(name: string, value: string): string {
  return `  ${name.padEnd(9)} ${value}\n`;
}

function requestFacts(run: RunDocument): string[] {
  const revision = run.revision === null ? 'not in the catalogue' : `revision ${run.revision}`;
  return [
    '\n',
    fact('run', `${run.run_id} (${run.origin}, instance ${run.instance})`),
    fact('scenario', `${printableLine(run.title)} (${revision})`),
    fact('requested', `${run.requested_at} by ${printableLine(run.requested_by)}`),
    ...(run.started_at === null ? [] : [fact('started', run.started_at)]),
    ...(run.finished_at === null ? [] : [fact('finished', run.finished_at)]),
  ];
}

function absence({ report_expired: expired }: RunDocument): string[] {
  return expired ? [fact('report', 'deleted by retention')] : [];
}

function details(report: Report, paint: Paint): string[] {
  const { request, response } = report.exchange;
  return [
    '\nchecks\n',
    ...report.checks.map((check) => checkLine(check, paint)),
    ...(request
      ? [
          '\nrequest\n',
          block([`${request.method} ${request.url}`, ...headerLines(request.headers)]),
          bodyBlock(request.body),
        ]
      : []),
    ...(response
      ? [
          '\nresponse\n',
          block([`status ${response.status}`, ...headerLines(response.headers)]),
          bodyBlock(response.body.text),
        ]
      : []),
  ];
}

function checkLine({ line, text, outcome, counted, actual }: ReportCheck, paint: Paint): string {
  const marks = { passed: paint.passed('✓'), failed: paint.failed('✕'), not_judged: paint.broken('-') };
  const got = outcome === 'failed' && actual !== null ? paint.faint(`  got ${printableLine(actual)}`) : '';
  const aside = outcome === 'not_judged' ? paint.faint('  not judged') : counted ? '' : paint.faint('  not counted');
  return `  ${marks[outcome]} ${String(line).padStart(4)}  ${printableLine(text)}${got}${aside}\n`;
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${name}: ${value}`);
}

function block(lines: readonly string[]): string {
  return lines.map((line) => `  ${printableLine(line)}\n`).join('');
}

function bodyBlock(body: string | null): string {
  if (body === null || body === '') return '';
  const lines = printable(body.slice(0, bodyLength)).replaceAll('\t', '  ').split('\n');
  const shown = lines.slice(0, bodyLines).map((line) => `  ${beginningOf(line)}\n`);
  const rest = body.length - bodyLength;
  const more = lines.length - bodyLines;
  const left = rest > 0 ? `${rest} more characters` : more > 0 ? `${more} more lines` : undefined;
  return `\n${shown.join('')}${left === undefined ? '' : `  … ${left}\n`}`;
}

function beginningOf(line: string): string {
  const rest = line.length - lineLength;
  return rest > 0 ? `${line.slice(0, lineLength)}… ${rest} more characters` : line;
}
