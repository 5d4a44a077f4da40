/** All details of a run as text. */
import type { RunDocument } from '../../contract/api.ts';
import { escapeUnsafe, escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { getOutcome } from '../../report/outcome.ts';
import type { Report, ReportCheck } from '../../report/report.ts';
import type { ScenarioSource } from '../../report/results.ts';
import { renderObservations, renderReport } from '../../report/text/render-text.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';
import { formatRemark, formatState, runStyle } from './run-style.ts';

/** Longer bodies are truncated; the HTML report has all that was stored. */
const maxBodyLines = 60;
/** Limits for each line and in total, because JSON often is one long line. */
const maxLineLength = 2000;
const maxBodyLength = 20_000;

/** Ends with a line break. */
export function formatRunDetails(run: RunDocument, source: ScenarioSource | undefined, paint: TerminalPaint): string {
  const { report, late_report: lateReport } = run;
  const head = report ? renderReport(report, paint, source) : `${formatHead(run, paint)}\n`;
  const parts = [
    head,
    ...formatRequestFacts(run),
    ...(report ? formatDetails(report, paint) : formatMissingReport(run)),
  ];
  if (lateReport)
    parts.push('\nreport that arrived after the run had ended:\n', renderReport(lateReport, paint, source));
  return parts.join('');
}

function formatHead(run: RunDocument, paint: TerminalPaint): string {
  const state = runStyle(run, paint)(formatState(run));
  const remark = formatRemark(run);
  return `${paint.strong(escapeUnsafeLine(run.scenario_id))}  ${state}${remark === '' ? '' : `  ${escapeUnsafeLine(remark)}`}`;
}

function formatFact(name: string, value: string): string {
  return `  ${name.padEnd(9)} ${value}\n`;
}

function formatRequestFacts(run: RunDocument): string[] {
  const revision = run.revision === null ? 'not in the catalogue' : `revision ${run.revision}`;
  return [
    '\n',
    formatFact('run', `${run.run_id} (${run.origin}, instance ${run.instance})`),
    formatFact('scenario', `${escapeUnsafeLine(run.title)} (${revision})`),
    ...(run.owner === undefined ? [] : [formatFact('owner', escapeUnsafeLine(run.owner))]),
    ...(run.links ?? []).map((link) => formatFact('link', escapeUnsafeLine(link))),
    ...formatTarget(run),
    ...formatSource(run),
    formatFact('requested', `${run.requested_at} by ${escapeUnsafeLine(run.requested_by)}`),
    ...(run.started_at === null ? [] : [formatFact('started', run.started_at)]),
    ...(run.finished_at === null ? [] : [formatFact('finished', run.finished_at)]),
  ];
}

/** Which version of the target answered, and which of its processes. */
function formatTarget({ target_version: version = '', target_process: process = '' }: RunDocument): string[] {
  const facts = [['version', version] as const, ['process', process] as const];
  return facts.flatMap(([name, text]) => (text === '' ? [] : [formatFact(name, escapeUnsafeLine(text))]));
}

/** The change that was verified, and its job. */
function formatSource({ source = {}, suite }: RunDocument): string[] {
  const { branch, commit, author, job, url } = source;
  const change = [branch, commit, author].filter((part) => part !== undefined).join(' · ');
  const facts = [
    ['change', change],
    ['job', [job, url].filter((part) => part !== undefined).join(' · ')],
    ['suite', suite ?? ''],
  ] as const;
  return facts.flatMap(([name, text]) => (text === '' ? [] : [formatFact(name, escapeUnsafeLine(text))]));
}

function formatMissingReport({ report_expired: expired }: RunDocument): string[] {
  return expired ? [formatFact('report', 'deleted by retention')] : [];
}

function formatDetails(report: Report, paint: TerminalPaint): string[] {
  const { request, response } = report.exchange;
  return [
    '\nchecks\n',
    ...report.checks.map((check) => formatCheckLine(check, paint)),
    // The explanation of a run that did not pass has them already.
    ...(getOutcome(report) === 'passed' ? ['\nevidence\n', renderObservations(report, paint)] : []),
    ...(request
      ? [
          '\nrequest\n',
          formatBlock([`${request.method} ${request.url}`, ...headerLines(request.headers)]),
          formatBody(request.body),
        ]
      : []),
    ...(response
      ? [
          '\nresponse\n',
          formatBlock([`status ${response.status}`, ...headerLines(response.headers)]),
          formatBody(response.body.text),
        ]
      : []),
  ];
}

function formatCheckLine({ line, text, outcome, counted, actual }: ReportCheck, paint: TerminalPaint): string {
  const marks = { passed: paint.passed('✓'), failed: paint.failed('✕'), not_judged: paint.broken('-') };
  const actualNote = outcome === 'failed' && actual !== null ? paint.faint(`  got ${escapeUnsafeLine(actual)}`) : '';
  const note = outcome === 'not_judged' ? paint.faint('  not judged') : counted ? '' : paint.faint('  not counted');
  return `  ${marks[outcome]} ${String(line).padStart(4)}  ${escapeUnsafeLine(text)}${actualNote}${note}\n`;
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${name}: ${value}`);
}

function formatBlock(lines: readonly string[]): string {
  return lines.map((line) => `  ${escapeUnsafeLine(line)}\n`).join('');
}

function formatBody(body: string | null): string {
  if (body === null || body === '') return '';
  const lines = escapeUnsafe(body.slice(0, maxBodyLength)).replaceAll('\t', '  ').split('\n');
  const excerptLines = lines.slice(0, maxBodyLines).map((line) => `  ${truncateLine(line)}\n`);
  const remainingCharacters = body.length - maxBodyLength;
  const remainingLines = lines.length - maxBodyLines;
  const omittedNote =
    remainingCharacters > 0
      ? `${remainingCharacters} more characters`
      : remainingLines > 0
        ? `${remainingLines} more lines`
        : undefined;
  return `\n${excerptLines.join('')}${omittedNote === undefined ? '' : `  … ${omittedNote}\n`}`;
}

function truncateLine(line: string): string {
  const remainingCharacters = line.length - maxLineLength;
  return remainingCharacters > 0 ? `${line.slice(0, maxLineLength)}… ${remainingCharacters} more characters` : line;
}
