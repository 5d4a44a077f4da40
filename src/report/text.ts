/** Reports as text for terminals. Everything that came from a target or a file is made harmless first. */
import { byDetail } from './detail.ts';
import { bodyExcerpt } from './excerpt.ts';
import { durationText, sizeText } from './measures.ts';
import { outcomeOf, type ReportOutcome, tallyOf } from './outcome.ts';
import { type Paint, plainPaint } from './paint.ts';
import { printable, printableLine } from './printable.ts';
import type { FailedCheck, Report } from './report.ts';
import type { Results, ScenarioSource, UnfinishedRun } from './results.ts';
import { evidenceLines } from './text-evidence.ts';
import { proofLines } from './text-proof.ts';
import { widthOf } from './width.ts';
import { wrapped } from './wrapped.ts';

const marks: Readonly<Record<ReportOutcome, string>> = { passed: '✓', failed: '✕', broken: '!', cancelled: '-' };
const words: Readonly<Record<ReportOutcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  broken: 'could not be judged',
  cancelled: 'cancelled',
};

/** Every report, what is unfinished, and the summary. */
export function textResults(results: Results, paint: Paint = plainPaint): string {
  const told = results.reports.map((report) => textReport(report, paint, results.sources.get(report.scenario.id)));
  const waiting = results.unfinished.map((run) => unfinishedText(run, paint));
  return [...told, ...waiting, textSummary(results, paint)].join('');
}

/** One report: a line when it passed, else why not, with the evidence; its proof if any. Ends with a line break. */
export function textReport(report: Report, paint: Paint, source?: ScenarioSource): string {
  const lines = [headline(report, paint)];
  if (outcomeOf(report) !== 'passed') lines.push(...explanation(report, paint, source));
  if (report.proof) lines.push(...proofLines(report.proof, paint));
  lines.push(...report.notes.map((note) => `  ${paint.broken('note')}  ${prose(note, paint, 8)}`));
  return `${lines.join('\n')}\n`;
}

/** A sentence that begins, and goes on, at column `indent`. */
function prose(text: string, { proseWidth }: Paint, indent: number): string {
  return wrapped(printableLine(text), proseWidth, indent);
}

/** `4 runs: 3 passed, 1 failed in 1.2 s`. Ends with a line break. */
export function textSummary({ reports, unfinished, startedAtMs, finishedAtMs }: Results, paint: Paint): string {
  const tally = tallyOf(reports);
  const total = tally.total + unfinished.length;
  const parts = [
    tally.passed > 0 ? paint.passed(`${tally.passed} passed`) : '',
    tally.failed > 0 ? paint.failed(`${tally.failed} failed`) : '',
    tally.broken > 0 ? paint.broken(`${tally.broken} could not be judged`) : '',
    tally.cancelled > 0 ? paint.broken(`${tally.cancelled} cancelled`) : '',
    unfinished.length > 0 ? paint.broken(`${unfinished.length} not finished`) : '',
  ].filter((part) => part !== '');
  const counts = parts.length > 0 ? parts.join(', ') : paint.failed('nothing was run');
  return `${paint.strong(`${total} ${total === 1 ? 'run' : 'runs'}`)}: ${counts} in ${durationText(finishedAtMs - startedAtMs)}\n`;
}

function headline(report: Report, paint: Paint): string {
  const outcome = outcomeOf(report);
  const colour = { passed: paint.passed, failed: paint.failed, broken: paint.broken, cancelled: paint.broken }[outcome];
  const status = report.observed_status === null ? [] : [`status ${report.observed_status}`];
  const enforced = report.assertions_enforced_count;
  const beside = report.evidence_assertions_count;
  const enforcedText = `${enforced} body ${enforced === 1 ? 'check' : 'checks'}`;
  const besideText = beside > 0 ? [`${beside} of log and database`] : [];
  const counts = outcome === 'passed' ? [...status, enforcedText, ...besideText] : status;
  const facts = [...counts, durationText(report.timings.total_ms), report.run_id].join(' · ');
  const title = `${colour(marks[outcome])} ${paint.strong(printableLine(report.scenario.id))}`;
  return `${title}  ${colour(words[outcome])}  ${paint.faint(facts)}`;
}

function explanation(report: Report, paint: Paint, source: ScenarioSource | undefined): string[] {
  const { failure } = report;
  const why = failure ? [`  ${paint.strong(prose(failure.message, paint, 2))}`] : [];
  const cure = failure ? [`  ${paint.strong('cure')}  ${prose(failure.cure, paint, 8)}`] : [];
  const { full, short } = byDetail(report);
  const checks = full.flatMap((check) => checkLines(check, report, paint, source));
  const bodyShown = full.some(({ pointer }) => pointer !== null);
  const body = bodyShown ? [] : bodyLines(report, null, paint);
  return [
    ...why,
    ...checks,
    ...body,
    ...alsoFalse(short),
    ...exchangeLines(report, paint),
    ...evidenceLines(report, paint),
    ...cure,
  ];
}

/** Checks that are told in a line each, at most. */
const shownInShort = 10;

function alsoFalse(checks: readonly FailedCheck[]): string[] {
  if (checks.length === 0) return [];
  const told = checks.slice(0, shownInShort).map(({ line, text, actual }) => {
    return `    ${printableLine(`line ${line}  ${text}${actual === null ? '' : `: ${actual}`}`)}`;
  });
  const rest = checks.length > told.length ? [`    … ${checks.length - told.length} more`] : [];
  return ['', '  also false', ...told, ...rest];
}

function checkLines(check: FailedCheck, report: Report, paint: Paint, source: ScenarioSource | undefined): string[] {
  const place = source ? `${source.file}:${check.line}:${check.column}` : `${report.scenario.id}, line ${check.line}`;
  const number = String(check.line).padStart(5);
  const { line, padding, length } = sourceLine(check, source);
  const lines = [
    '',
    `  ${paint.strong(printableLine(place))}`,
    `  ${paint.faint(`${number} |`)} ${line}`,
    `  ${' '.repeat(number.length)} ${paint.faint('|')} ${padding}${paint.failed('^'.repeat(length))}`,
  ];
  if (check.expected !== null) lines.push(`    expected  ${paint.passed(printableLine(check.expected))}`);
  if (check.actual !== null) lines.push(`    actual    ${paint.failed(printableLine(check.actual))}`);
  return check.pointer === null ? lines : [...lines, ...bodyLines(report, check.pointer, paint)];
}

/** The line of the file where there is one, else the check alone; carets stand below the check. */
function sourceLine(check: FailedCheck, source: ScenarioSource | undefined) {
  const length = Math.max(1, printableLine(check.text).length);
  const line = source?.text.split(/\r\n|\n|\r/)[check.line - 1];
  if (line === undefined) return { line: printableLine(check.text), padding: '', length };
  const before = printableLine(line.slice(0, check.column - 1));
  return { line: printableLine(line), padding: ' '.repeat(before.length), length };
}

function bodyLines(report: Report, pointer: string | null, paint: Paint): string[] {
  const body = report.exchange.response?.body;
  if (!body?.text) return [];
  return bodyExcerpt(body.text, pointer).map(({ text, marked }, index) => {
    const shown = printable(text).replaceAll('\t', '  ');
    return `    ${index === 0 ? 'body' : '    '}    ${marked ? paint.failed(`> ${shown}`) : `  ${shown}`}`;
  });
}

function exchangeLines({ exchange, timings, correlation_id, log }: Report, paint: Paint): string[] {
  const { request, response } = exchange;
  const lines = [''];
  if (!request) lines.push('  sent      nothing');
  if (request) lines.push(`  sent      ${printableLine(`${request.method} ${request.url}`)}`);
  if (request) lines.push(`  received  ${response ? receivedText(response) : 'no answer'}`);
  lines.push(`  timings   ${timingsText(timings)}`);
  const use = request && !log ? ` ${paint.faint('(find the log line of the target by it)')}` : '';
  lines.push(`  id        ${printableLine(correlation_id)}${use}`);
  return lines;
}

function receivedText({ status, headers, body }: NonNullable<Report['exchange']['response']>): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const facts = [String(status), sizeText(body.size_bytes), ...(type === undefined ? [] : [type])];
  return printableLine(facts.join(' · '));
}

function timingsText(timings: Report['timings']): string {
  const points: [string, number | null][] = [
    ['queued', timings.queued_ms],
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['total', timings.total_ms],
    ['log and database', timings.evidence_ms],
  ];
  return points.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${durationText(ms)}`])).join(', ');
}

/** A run whose end is not known, on one line with its line break. */
export function unfinishedText({ scenarioId, runId, state, hint }: UnfinishedRun, paint: Paint): string {
  const facts = [state.replaceAll('_', ' '), ...(runId === undefined ? [] : [runId])].join(' · ');
  const title = `… ${printableLine(scenarioId)}  ${facts}  `;
  const how = wrapped(printableLine(hint), paint.proseWidth, 2, widthOf(title));
  return `${paint.broken('…')} ${paint.strong(printableLine(scenarioId))}  ${paint.faint(facts)}  ${how}\n`;
}
