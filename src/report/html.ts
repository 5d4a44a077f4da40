/**
 * Reports as one HTML file: nothing is loaded, nothing is executed (the page's own policy forbids both). What failed comes
 * first and stands open.
 */
import { byDetail } from './detail.ts';
import { bodyExcerpt } from './excerpt.ts';
import { evidenceMarkup } from './html-evidence.ts';
import { proofMarkup } from './html-proof.ts';
import { htmlStyle } from './html-style.ts';
import { type Markup, type MarkupValue, markup, trusted } from './markup.ts';
import { durationText, sizeText } from './measures.ts';
import { outcomeOf, outcomes, type ReportOutcome, type Tally, tallyOf } from './outcome.ts';
import type { FailedCheck, Report, ReportCheck } from './report.ts';
import type { Results, ScenarioSource, UnfinishedRun } from './results.ts';

/** Passed runs beyond this many are one line each: a page of thousands must still open at once. */
const passedInFull = 100;

const signs = { passed: '✓', failed: '✕', broken: '!', cancelled: '–' } as const;
const words = { passed: 'passed', failed: 'failed', broken: 'could not be judged', cancelled: 'cancelled' } as const;

/** The page. */
export function htmlResults(results: Results): string {
  const { reports, unfinished, version } = results;
  const title = summaryText(tallyOf(reports), unfinished.length);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${trusted(htmlStyle)}</style>
</head>
<body>
<h1>${title}</h1>
<p class="quiet">${moment(results.startedAtMs)} · ${durationText(results.finishedAtMs - results.startedAtMs)} · vp ${version}</p>
${runsMarkup(results)}</body>
</html>
`;
  return page.text;
}

/** What needs a look first, then what is unfinished, then what passed. */
function runsMarkup({ reports, unfinished, sources }: Results): Markup[] {
  const full = (report: Report): Markup => runMarkup(report, sources.get(report.scenario.id));
  const of = (outcome: ReportOutcome): Report[] => reports.filter((report) => outcomeOf(report) === outcome);
  const wanting = outcomes.filter((outcome) => outcome !== 'passed').flatMap(of);
  const passed = of('passed');
  return [
    ...wanting.map(full),
    ...unfinished.map(unfinishedMarkup),
    ...passed.slice(0, passedInFull).map(full),
    ...passed.slice(passedInFull).map(lineMarkup),
  ];
}

function summaryText(tally: Tally, unfinished: number): string {
  const parts = outcomes
    .filter((outcome) => tally[outcome] > 0)
    .map((outcome) => `${tally[outcome]} ${words[outcome]}`);
  if (unfinished > 0) parts.push(`${unfinished} not finished`);
  return parts.length > 0 ? parts.join(', ') : 'nothing was run';
}

function moment(epochMs: number): string {
  return new Date(epochMs)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

function headMarkup(report: Report): Markup {
  const outcome = outcomeOf(report);
  const status = report.observed_status === null ? '' : `status ${report.observed_status} · `;
  const facts = `${status}${durationText(report.timings.total_ms)} · ${report.run_id}`;
  return markup`<span class="${outcome}">${signs[outcome]} ${words[outcome]}</span>
<span class="id">${report.scenario.id}</span> <span class="quiet">${report.scenario.title}</span>
<span class="facts quiet">${facts}</span>`;
}

function lineMarkup(report: Report): Markup {
  return markup`<details class="run"><summary>${headMarkup(report)}</summary></details>
`;
}

function unfinishedMarkup({ scenarioId, runId, state, hint }: UnfinishedRun): Markup {
  const facts = `${state.replaceAll('_', ' ')}${runId === undefined ? '' : ` · ${runId}`}`;
  return markup`<details class="run" open><summary><span class="unfinished">… not finished</span>
<span class="id">${scenarioId}</span> <span class="facts quiet">${facts}</span></summary>
<div class="inside"><p>${hint}</p></div></details>
`;
}

function runMarkup(report: Report, source: ScenarioSource | undefined): Markup {
  const open = outcomeOf(report) === 'passed' ? null : trusted(' open');
  return markup`<details class="run" id="${report.run_id}"${open}><summary>${headMarkup(report)}</summary>
<div class="inside">
${failureMarkup(report)}${byDetail(report).full.map((check) => foundMarkup(check, report, source))}
${report.notes.map((note) => markup`<p><b>Note</b> ${note}</p>`)}
${checksMarkup(report.checks)}${proofMarkup(report.proof)}${responseMarkup(report)}${requestMarkup(report)}${evidenceMarkup(report)}${timingsMarkup(report.timings)}
${factsMarkup(report, source)}
</div></details>
`;
}

function failureMarkup({ failure }: Report): Markup | null {
  if (!failure) return null;
  return markup`<p class="message">${failure.message}</p><p><b>Cure</b> ${failure.cure}</p>`;
}

function foundMarkup(check: FailedCheck, report: Report, source: ScenarioSource | undefined): Markup {
  const place = source ? `${source.file}:${check.line}:${check.column}` : `line ${check.line}`;
  const body = report.exchange.response?.body.text;
  const lines = body && check.pointer !== null ? bodyExcerpt(body, check.pointer) : [];
  const excerpt = lines.map(({ text, marked }) => (marked ? markup`<mark>${text}</mark>\n` : markup`${text}\n`));
  return markup`<div class="found"><p class="mono">${place}</p><pre>${check.text}</pre>
<table class="facts"><tr><th>expected</th><td class="mono">${check.expected}</td></tr>
<tr><th>actual</th><td class="mono">${check.actual}</td></tr></table>
${excerpt.length > 0 ? markup`<pre>${excerpt}</pre>` : null}</div>
`;
}

function checksMarkup(checks: readonly ReportCheck[]): Markup {
  const rows = checks.map((check) => {
    const outcome = { passed: '✓ passed', failed: '✕ failed', not_judged: '– not judged' }[check.outcome];
    return markup`<tr><td class="number">${check.line}</td><td class="mono">${check.text}</td>
<td class="${check.outcome}">${outcome}</td><td class="mono">${check.actual}</td></tr>
`;
  });
  return markup`<h2>Checks</h2><table><tr><th class="number">line</th><th>check</th><th>outcome</th><th>actual</th></tr>
${rows}</table>
`;
}

function responseMarkup({ exchange }: Report): Markup {
  if (!exchange.response) return markup`<h2>Response</h2><p class="quiet">No answer arrived.</p>`;
  const { status, headers, body } = exchange.response;
  const size = `${sizeText(body.size_bytes)}${body.truncated ? ', shortened here' : ''}`;
  const text = body.text === null ? markup`<p class="quiet">Not shown: no text, or expired.</p>` : block(body.text);
  return markup`<h2>Response</h2><p>status ${status} · ${size}</p>
${headersMarkup(headers)}${body.text === '' ? null : text}
`;
}

function requestMarkup({ exchange }: Report): Markup {
  if (!exchange.request) return markup`<h2>Request</h2><p class="quiet">Nothing was sent.</p>`;
  const { method, url, headers, body } = exchange.request;
  return markup`<h2>Request</h2><p class="mono">${method} ${url}</p>
${headersMarkup(headers)}${body === null ? null : block(body)}
`;
}

function block(text: string): Markup {
  return markup`<pre>${text}</pre>`;
}

function headersMarkup(headers: readonly (readonly [string, string])[]): Markup {
  if (headers.length === 0) return markup``;
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return markup`<details><summary class="quiet">${headers.length} ${headers.length === 1 ? 'header' : 'headers'}</summary>${block(lines)}</details>`;
}

/** A bar of what took how long; the points are moments, so each part is the way from the one before. */
function timingsMarkup(timings: Report['timings']): Markup {
  const points: [name: string, atMs: number | null][] = [
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['total', timings.total_ms],
  ];
  let before = 0;
  const parts = points.flatMap(([name, atMs], index) => {
    if (atMs === null) return [];
    const width = Math.max(0, atMs - before);
    before = Math.max(before, atMs);
    return [{ name, atMs, width, shade: 'abcd'.charAt(index) }];
  });
  const whole = Math.max(before, 0.001);
  const bars = parts.map(({ name, width, shade }) => {
    return markup`<i class="${shade}" style="width:${((100 * width) / whole).toFixed(1)}%" title="${name}"></i>`;
  });
  const told = parts.map(({ name, atMs }) => `${name} ${durationText(atMs)}`).join(' · ');
  return markup`<h2>Timing</h2><div class="bar">${bars}</div>
<p class="quiet">queued ${durationText(timings.queued_ms)} before · ${told}</p>
`;
}

function factsMarkup(report: Report, source: ScenarioSource | undefined): Markup {
  const { revision, tags } = report.scenario;
  const facts: [string, MarkupValue][] = [
    ['scenario', source?.file ?? `${report.scenario.id}${revision === null ? '' : `, revision ${revision}`}`],
    ['instance', report.instance],
    ['correlation id', report.correlation_id],
    ['body checks applied', report.assertions_enforced_count],
    ['checks of log and database applied', report.evidence_assertions_count],
    ['tags', tags.join(', ')],
    ['started', report.started_at],
    ['executor', report.executor_version],
  ];
  const rows = facts.map(([name, value]) => markup`<tr><th>${name}</th><td class="mono">${value}</td></tr>\n`);
  return markup`<h2>Run</h2><table class="facts">${rows}</table>`;
}
