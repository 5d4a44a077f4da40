/** Reports as text for terminals. Everything that came from a target or a file is escaped. */
import { describeQuarantine } from '../../run/quarantine.ts';
import { outcomeLabels } from '../../run/state.ts';
import { locateLine } from '../../scenario/embedded-files.ts';
import { buildBodyExcerpt, buildCheckExcerpt } from '../body-excerpt.ts';
import { countCases } from '../cases.ts';
import { splitChecksByDetail } from '../detail.ts';
import { escapeUnsafe, escapeUnsafeLine } from '../escape-unsafe.ts';
import { formatDuration, formatTimeTaken } from '../measures.ts';
import {
  countUnfinished,
  describeOutcome,
  getOutcome,
  isQuarantined,
  quarantinedLabel,
  type ReportOutcome,
  tallyOutcomes,
  unfinishedLabels,
} from '../outcome.ts';
import type { FailedCheck, Report } from '../report.ts';
import type { RunResults, ScenarioSource, UnfinishedRun } from '../results.ts';
import { nameEarlier, PrintedFailures, repeatsFailure } from './printed-failures.ts';
import { formatCases } from './text-cases.ts';
import { formatEvidence } from './text-evidence.ts';
import { formatExchange } from './text-exchange.ts';
import { formatProof } from './text-proof.ts';
import { formatQuarantinedFailures } from './text-quarantine.ts';
import { formatSteps } from './text-steps.ts';
import { plainStyles, type TextStyles } from './text-styles.ts';
import { measureWidth } from './text-width.ts';
import { wrapParts, wrapText } from './wrap-text.ts';

const outcomeSigns: Readonly<Record<ReportOutcome, string>> = { passed: '✓', failed: '✕', broken: '!', cancelled: '-' };

export function renderText(results: RunResults, paint: TextStyles = plainStyles): string {
  const printedFailures = new PrintedFailures();
  const texts = results.reports.map((report) =>
    renderReport(report, paint, results.sources.get(report.scenario.id), printedFailures),
  );
  const unfinishedTexts = results.unfinished.map((run) => renderUnfinishedRun(run, paint));
  return [...texts, ...unfinishedTexts, renderSummary(results, paint)].join('');
}

/**
 * One line when the run passed, else the failure with its evidence; then the proof if any. Ends with a line break. A fix
 * that `printedFailures` has is not repeated.
 */
export function renderReport(
  report: Report,
  paint: TextStyles,
  source?: ScenarioSource,
  printedFailures = new PrintedFailures(),
): string {
  const lines = [formatHeadline(report, paint)];
  if (getOutcome(report) !== 'passed') lines.push(...formatExplanation(report, paint, source, printedFailures));
  if (report.proof) lines.push(...formatProof(report.proof, paint));
  lines.push(...report.notes.map((note) => `  ${paint.broken('note')}  ${formatProse(note, paint, 8)}`));
  return `${lines.join('\n')}\n`;
}

/** `indent`: the column of the first and of all further lines. */
function formatProse(text: string, { proseWidth }: TextStyles, indent: number): string {
  return wrapText(escapeUnsafeLine(text), proseWidth, indent);
}

/** `4 runs: 3 passed, 1 failed in 1.2 s`. Ends with a line break. */
export function renderSummary(
  { reports, unfinished, startedAtMs, finishedAtMs, attempts }: RunResults,
  paint: TextStyles,
): string {
  const tally = tallyOutcomes(reports);
  const total = tally.total + unfinished.length;
  const parts = [
    tally.passed > 0 ? paint.passed(`${tally.passed} passed${formatRetried(reports, attempts)}`) : '',
    tally.failed > 0 ? paint.failed(`${tally.failed} failed`) : '',
    tally.broken > 0 ? paint.broken(`${tally.broken} ${outcomeLabels.broken}`) : '',
    tally.cancelled > 0 ? paint.broken(`${tally.cancelled} cancelled`) : '',
    tally.quarantined > 0 ? paint.broken(`${tally.quarantined} ${quarantinedLabel}`) : '',
    ...countUnfinished(unfinished).map(([count, label]) => paint.broken(`${count} ${label}`)),
  ].filter((part) => part !== '');
  const counts = parts.length > 0 ? parts.join(', ') : paint.failed('nothing was run');
  const names = formatQuarantinedFailures(reports.filter(isQuarantined).map(({ scenario }) => scenario.id));
  return `${paint.strong(`${total} ${total === 1 ? 'run' : 'runs'}`)}: ${counts} in ${formatDuration(finishedAtMs - startedAtMs)}\n${names}`;
}

/** Says how many of the runs that passed had failed before. */
function formatRetried(reports: readonly Report[], attempts: RunResults['attempts']): string {
  const retried = reports.filter((report) => getOutcome(report) === 'passed' && attempts?.has(report.run_id));
  return retried.length === 0 ? '' : ` (${retried.length} of them only when retried)`;
}

function formatHeadline(report: Report, paint: TextStyles): string {
  const outcome = getOutcome(report);
  const failedStyle = isQuarantined(report) ? paint.broken : paint.failed;
  const colour = { passed: paint.passed, failed: failedStyle, broken: paint.broken, cancelled: paint.broken }[outcome];
  const status = report.observed_status === null || report.cases ? [] : [`status ${report.observed_status}`];
  const enforced = report.assertions_enforced_count;
  const evidenceCount = report.evidence_assertions_count;
  const enforcedText = `${enforced} body ${enforced === 1 ? 'check' : 'checks'}`;
  const evidenceText = evidenceCount > 0 ? [`${evidenceCount} of log and database`] : [];
  const stepCount = report.steps?.length ?? 0;
  const stepText = stepCount > 0 ? [stepCount === 1 ? '1 step' : `${stepCount} steps`] : [];
  const caseText = report.cases ? [countCases(report.cases)] : [];
  const counts =
    outcome === 'passed'
      ? [...caseText, ...status, enforcedText, ...evidenceText, ...stepText]
      : [...caseText, ...status];
  const id = escapeUnsafeLine(report.scenario.id);
  const label = describeOutcome(report);
  const facts = [...counts, formatTimeTaken(report.timings), report.run_id];
  const factsText = wrapParts(facts, ' ·', paint.proseWidth, 4, measureWidth(`✓ ${id}  ${label}  `));
  return `${colour(outcomeSigns[outcome])} ${paint.strong(id)}  ${colour(label)}  ${paint.faint(factsText)}`;
}

function formatExplanation(
  report: Report,
  paint: TextStyles,
  source: ScenarioSource | undefined,
  printedFailures: PrintedFailures,
): string[] {
  const { failure, quarantine } = report;
  const note = quarantine ? [`  ${formatProse(describeQuarantine(quarantine), paint, 2)}`] : [];
  const earlier = printedFailures.findEarlier(report);
  const earlierName = earlier && escapeUnsafeLine(nameEarlier(report, earlier));
  if (earlier && repeatsFailure(report, earlier))
    return [`  the same failure as ${earlierName}, with the same fix`, ...note];
  const message = failure ? [`  ${paint.strong(formatProse(failure.message, paint, 2))}`] : [];
  const fix = earlier ? `as for ${earlierName}` : failure && formatProse(failure.cure, paint, 8);
  const cure = fix === null ? [] : [`  ${paint.strong('fix')}   ${fix}`];
  const { full, short } = splitChecksByDetail(report);
  const checks = full.flatMap((check) => formatFailedCheck(check, report, paint, source));
  const hasExcerpt = full.some(({ pointer }) => pointer !== null);
  const excerpt = hasExcerpt ? [] : formatBody(report, null, paint);
  return [
    ...message,
    ...note,
    ...formatCases(report, paint),
    ...checks,
    ...excerpt,
    ...formatShortChecks(short),
    ...formatExchange(report, paint),
    ...formatSteps(report, paint),
    ...formatEvidence(report, paint, failure?.cure),
    ...cure,
  ];
}

/** The exchange, its timings, and the log lines and rows of a run. Ends with a line break. */
export function renderObservations(report: Report, paint: TextStyles): string {
  const parts = [formatExchange(report, paint).slice(1), formatSteps(report, paint), formatEvidence(report, paint)];
  return `${parts.flat().join('\n')}\n`;
}

const maxShortChecks = 10;

function formatShortChecks(checks: readonly FailedCheck[]): string[] {
  const following = checks.filter((check) => check.follows_from_status);
  const others = checks.filter((check) => !check.follows_from_status);
  return [...listChecks('also failed', others), ...listChecks('follow from the wrong status', following)];
}

function listChecks(title: string, checks: readonly FailedCheck[]): string[] {
  if (checks.length === 0) return [];
  const listed = checks.slice(0, maxShortChecks).map(({ line, text, actual }) => {
    return `    ${escapeUnsafeLine(`line ${line}  ${text}${actual === null ? '' : `: ${actual}`}`)}`;
  });
  const remaining = checks.length > listed.length ? [`    … ${checks.length - listed.length} more`] : [];
  return ['', `  ${title}`, ...listed, ...remaining];
}

function formatFailedCheck(
  check: FailedCheck,
  report: Report,
  paint: TextStyles,
  source: ScenarioSource | undefined,
): string[] {
  const checkLocation = formatCheckLocation(check, source) ?? `${report.scenario.id}, line ${check.line}`;
  const location = check.step === undefined ? checkLocation : `${checkLocation} in the step ${check.step}`;
  const number = String(source ? locateLine(source.file, source.text, check.line).line : check.line).padStart(5);
  const { line, padding, length } = formatSourceLine(check, source);
  const lines = [
    '',
    `  ${paint.strong(escapeUnsafeLine(location))}`,
    `  ${paint.faint(`${number} |`)} ${line}`,
    `  ${' '.repeat(number.length)} ${paint.faint('|')} ${padding}${paint.failed('^'.repeat(length))}`,
  ];
  if (check.expected !== null) lines.push(`    expected  ${paint.passed(escapeUnsafeLine(check.expected))}`);
  if (check.actual !== null) lines.push(`    actual    ${paint.failed(escapeUnsafeLine(check.actual))}`);
  return check.pointer === null ? lines : [...lines, ...formatBody(report, check, paint)];
}

/** `orders.md:17:3`, or the place in a file that the scenario uses; undefined where the scenario's file is not known. */
export function formatCheckLocation(
  { line, column }: FailedCheck,
  source: ScenarioSource | undefined,
): string | undefined {
  const sourceLine = source && locateLine(source.file, source.text, line);
  return sourceLine && `${sourceLine.file}:${sourceLine.line}:${column}`;
}

/** The line of the file where it is known, else the text of the check; with the position of the carets below it. */
function formatSourceLine(check: FailedCheck, source: ScenarioSource | undefined) {
  const length = Math.max(1, escapeUnsafeLine(check.text).length);
  const line = source?.text.split(/\r\n|\n|\r/)[check.line - 1];
  if (line === undefined) return { line: escapeUnsafeLine(check.text), padding: '', length };
  const before = escapeUnsafeLine(line.slice(0, check.column - 1));
  return { line: escapeUnsafeLine(line), padding: ' '.repeat(before.length), length };
}

function formatBody(report: Report, check: FailedCheck | null, paint: TextStyles): string[] {
  const body = report.exchange.response?.body;
  if (!body?.text) return [];
  const pointer = check?.pointer ?? null;
  const lines =
    pointer === null ? buildBodyExcerpt(body.text, null) : buildCheckExcerpt(body, pointer, check?.actual ?? null);
  return lines.map(({ text, marked }, index) => {
    const safeText = escapeUnsafe(text).replaceAll('\t', '  ');
    return `    ${index === 0 ? 'body' : '    '}    ${marked ? paint.failed(`> ${safeText}`) : `  ${safeText}`}`;
  });
}

/** One line that ends with a line break. */
export function renderUnfinishedRun({ scenarioId, runId, state, hint }: UnfinishedRun, paint: TextStyles): string {
  const stateText = unfinishedLabels[state];
  const facts = [stateText, ...(runId === undefined ? [] : [runId])].join(' · ');
  const title = `… ${escapeUnsafeLine(scenarioId)}  ${facts}  `;
  const hintText = wrapText(escapeUnsafeLine(hint), paint.proseWidth, 2, measureWidth(title));
  return `${paint.broken('…')} ${paint.strong(escapeUnsafeLine(scenarioId))}  ${paint.faint(facts)}  ${hintText}\n`;
}
