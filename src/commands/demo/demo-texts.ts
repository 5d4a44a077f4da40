/** The texts of `vp demo`. */
import type { Demo } from '../../assemble/embedded/demo.ts';
import type { RunDocument } from '../../contract/api.ts';
import { version } from '../../environment/version.ts';
import { buildBodyExcerpt } from '../../report/body-excerpt.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatDuration, formatSize } from '../../report/measures.ts';
import type { Report } from '../../report/report.ts';
import { renderReport } from '../../report/text/render-text.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';

const joinLines = (...texts: readonly string[]): string => `${texts.join('\n')}\n`;

export function formatIntro(demo: Demo, paint: TerminalPaint): string {
  return joinLines(
    `${paint.strong(`vp ${version} demo`)}  the real components, all in this process`,
    '',
    `  application    document-signing API under /api/v2   ${paint.accent(demo.applicationUrl)}`,
    `  control plane  queue, catalogue, run history, API   ${paint.accent(demo.plane.url)}`,
    `  executor       instance ${demo.instance}, imported ${demo.plane.imported} of ${demo.scenarioIds.length} scenarios`,
    '',
    'Four scenarios run through the queue, one at a time:',
    '',
  );
}

export function formatDemoRun(run: RunDocument, paint: TerminalPaint): string {
  const passed = run.state === 'passed';
  const mark = passed ? paint.passed('✓') : paint.failed('✕');
  const facts = [
    `observed_status ${run.observed_status ?? 'none'}`,
    `assertions_enforced_count ${run.assertions_enforced_count ?? 0}`,
    formatDuration(run.duration_ms ?? 0),
  ];
  const word = passed ? paint.passed(run.state) : paint.failed(run.state);
  return joinLines(`  ${mark} ${run.scenario_id.padEnd(16)}  ${word}  ${paint.faint(facts.join(' · '))}`);
}

function formatExchange({ exchange }: Report): string[] {
  const { request, response } = exchange;
  if (!request || !response) return [];
  const id = request.headers.find(([name]) => name.toLowerCase() === 'x-request-id');
  const body = buildBodyExcerpt(response.body.text ?? '', null).slice(0, 3);
  return [
    `  sent      ${escapeUnsafeLine(`${request.method} ${request.url}`)}`,
    ...(id ? [`            ${escapeUnsafeLine(`${id[0]}: ${id[1]}`)}`] : []),
    `  received  ${response.status} · ${formatSize(response.body.size_bytes)}`,
    ...body.map(({ text }) => `            ${escapeUnsafeLine(text)}`),
  ];
}

/** The first run in full: the request, the response, the checks and the application's own log line. */
export function formatPassedRun(
  runs: readonly RunDocument[],
  logLines: readonly string[],
  paint: TerminalPaint,
): string {
  const report = runs[0]?.report;
  if (!report) return '';
  const width = Math.max(...report.checks.map(({ text }) => text.length));
  const checkLines = report.checks.map(
    ({ text, actual }) =>
      `    ${paint.passed('✓')} ${escapeUnsafeLine(text).padEnd(width)}  ${paint.faint(escapeUnsafeLine(actual ?? ''))}`,
  );
  const logged = logLines.find((line) => line.includes(report.correlation_id));
  return joinLines(
    '',
    paint.strong(`What ${report.scenario.id} did and why it passed`),
    ...formatExchange(report),
    '  checks',
    ...checkLines,
    ...(logged ? [`  log       ${paint.faint(escapeUnsafeLine(logged))}`] : []),
  );
}

/** The planted failure, formatted as `vp run` formats every failure. */
export function formatPlantedFailure(planted: RunDocument, text: string, paint: TerminalPaint): string {
  if (!planted.report) return joinLines('', `${planted.scenario_id} ended without a report: ${planted.state}`);
  const source = { file: 'RT-GET-envelope-planted.md', text };
  return (
    joinLines('', paint.strong('One more scenario, which fails on purpose')) +
    renderReport(planted.report, paint, source)
  );
}

export function formatClosing(
  result: { readonly runs: readonly RunDocument[] },
  tookMs: number,
  { paint, program }: { readonly paint: TerminalPaint; readonly program: string },
): string {
  const passed = result.runs.filter(({ state }) => state === 'passed').length;
  return joinLines(
    '',
    `${paint.strong(`${passed} of ${result.runs.length} passed`)}, 1 failed as planned, in ${formatDuration(tookMs)}.`,
    '',
    'Next, with your own application:',
    `  ${program} new`,
  );
}
