/** What `vp demo` says, piece by piece. */
import type { Demo } from '../assemble/demo.ts';
import type { RunDocument } from '../contract/api.ts';
import { version } from '../environment/version.ts';
import { bodyExcerpt } from '../report/excerpt.ts';
import { durationText, sizeText } from '../report/measures.ts';
import { printableLine } from '../report/printable.ts';
import type { Report } from '../report/report.ts';
import { textReport } from '../report/text.ts';
import type { Paint } from '../terminal/paint.ts';

const lines = (...texts: readonly string[]): string => `${texts.join('\n')}\n`;

/** What is running where. */
export function introText(demo: Demo, paint: Paint): string {
  return lines(
    `${paint.strong(`vp ${version} demo`)}  everything real, in this one process`,
    '',
    `  application    document-signing API under /api/v2   ${paint.accent(demo.applicationUrl)}`,
    `  control plane  queue, catalogue, run history, API   ${paint.accent(demo.plane.url)}`,
    `  executor       instance ${demo.instance}, imported ${demo.plane.imported} of ${demo.scenarioIds.length} scenarios`,
    '',
    'Four scenarios go through the queue, one at a time:',
    '',
  );
}

/** One run on one line. */
export function rowText(run: RunDocument, paint: Paint): string {
  const passed = run.state === 'passed';
  const mark = passed ? paint.passed('✓') : paint.failed('✕');
  const facts = [
    `observed_status ${run.observed_status ?? 'none'}`,
    `assertions_enforced_count ${run.assertions_enforced_count ?? 0}`,
    durationText(run.duration_ms ?? 0),
  ];
  const word = passed ? paint.passed(run.state) : paint.failed(run.state);
  return lines(`  ${mark} ${run.scenario_id.padEnd(16)}  ${word}  ${paint.faint(facts.join(' · '))}`);
}

function exchangeText({ exchange }: Report): string[] {
  const { request, response } = exchange;
  if (!request || !response) return [];
  const id = request.headers.find(([name]) => name.toLowerCase() === 'x-request-id');
  const body = bodyExcerpt(response.body.text ?? '', null).slice(0, 3);
  return [
    `  sent      ${printableLine(`${request.method} ${request.url}`)}`,
    ...(id ? [`            ${printableLine(`${id[0]}: ${id[1]}`)}`] : []),
    `  received  ${response.status} · ${sizeText(response.body.size_bytes)}`,
    ...body.map(({ text }) => `            ${printableLine(text)}`),
  ];
}

/** The first run in full: what was sent, what came back, why it passed, and the application's own log line. */
export function passText(runs: readonly RunDocument[], logLines: readonly string[], paint: Paint): string {
  const report = runs[0]?.report;
  if (!report) return '';
  const width = Math.max(...report.checks.map(({ text }) => text.length));
  const why = report.checks.map(
    ({ text, actual }) =>
      `    ${paint.passed('✓')} ${printableLine(text).padEnd(width)}  ${paint.faint(printableLine(actual ?? ''))}`,
  );
  const logged = logLines.find((line) => line.includes(report.correlation_id));
  return lines(
    '',
    paint.strong(`What ${report.scenario.id} did, and why it passed`),
    ...exchangeText(report),
    '  checks',
    ...why,
    ...(logged ? [`  log       ${paint.faint(printableLine(logged))}`] : []),
  );
}

/** The planted failure, told as `vp run` tells every failure. */
export function plantedText(planted: RunDocument, text: string, paint: Paint): string {
  if (!planted.report) return lines('', `${planted.scenario_id} ended without a report: ${planted.state}`);
  const source = { file: 'RT-GET-envelope-planted.md', text };
  return lines('', paint.strong('One more, that fails on purpose')) + textReport(planted.report, paint, source);
}

/** What to type next. */
export function closingText(result: { readonly runs: readonly RunDocument[] }, tookMs: number, paint: Paint): string {
  const passed = result.runs.filter(({ state }) => state === 'passed').length;
  return lines(
    '',
    `${paint.strong(`${passed} of ${result.runs.length} passed`)}, 1 failed as planned, in ${durationText(tookMs)}.`,
    '',
    'Next, with your own application:',
    '  vp validate-config product                    check platform-config.yaml and its .env',
    '  vp run --local --base-url http://localhost:3200 --product-dir product --test-dir test',
    '  vp serve --embedded --product-dir product --test-dir test   then: vp run RT-GET-document',
  );
}
