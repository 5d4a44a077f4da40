/**
 * Reports as one HTML file that loads and executes nothing (its own policy forbids both). Failed runs come first and are
 * expanded.
 */
import { buildBodyExcerpt } from '../body-excerpt.ts';
import { splitByDetail } from '../detail.ts';
import { type Markup, type MarkupValue, markup, trusted } from '../markup.ts';
import { formatDuration, formatSize } from '../measures.ts';
import { getOutcome, type OutcomeTally, type ReportOutcome, reportOutcomes, tallyOutcomes } from '../outcome.ts';
import type { FailedCheck, Report, ReportCheck } from '../report.ts';
import type { RunResults, ScenarioSource, UnfinishedRun } from '../results.ts';
import { renderEvidence } from './html-evidence.ts';
import { renderProof } from './html-proof.ts';
import { htmlStyle } from './html-style.ts';

/** Further passed runs are one line each: a page of thousands must still open quickly. */
const maxPassedInFull = 100;

const signs = { passed: '✓', failed: '✕', broken: '!', cancelled: '–' } as const;
const outcomeTexts = {
  passed: 'passed',
  failed: 'failed',
  broken: 'could not be judged',
  cancelled: 'cancelled',
} as const;

export function renderHtml(results: RunResults): string {
  const { reports, unfinished, version } = results;
  const title = formatSummary(tallyOutcomes(reports), unfinished.length);
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
<p class="quiet">${formatMoment(results.startedAtMs)} · ${formatDuration(results.finishedAtMs - results.startedAtMs)} · vp ${version}</p>
${renderRuns(results)}</body>
</html>
`;
  return page.text;
}

/** Runs that did not pass, then unfinished ones, then those that passed. */
function renderRuns({ reports, unfinished, sources }: RunResults): Markup[] {
  const full = (report: Report): Markup => renderRun(report, sources.get(report.scenario.id));
  const filterByOutcome = (outcome: ReportOutcome): Report[] =>
    reports.filter((report) => getOutcome(report) === outcome);
  const notPassed = reportOutcomes.filter((outcome) => outcome !== 'passed').flatMap(filterByOutcome);
  const passed = filterByOutcome('passed');
  return [
    ...notPassed.map(full),
    ...unfinished.map(renderUnfinished),
    ...passed.slice(0, maxPassedInFull).map(full),
    ...passed.slice(maxPassedInFull).map(renderLine),
  ];
}

function formatSummary(tally: OutcomeTally, unfinished: number): string {
  const parts = reportOutcomes
    .filter((outcome) => tally[outcome] > 0)
    .map((outcome) => `${tally[outcome]} ${outcomeTexts[outcome]}`);
  if (unfinished > 0) parts.push(`${unfinished} not finished`);
  return parts.length > 0 ? parts.join(', ') : 'nothing was run';
}

function formatMoment(epochMs: number): string {
  return new Date(epochMs)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

function renderHead(report: Report): Markup {
  const outcome = getOutcome(report);
  const status = report.observed_status === null ? '' : `status ${report.observed_status} · `;
  const facts = `${status}${formatDuration(report.timings.total_ms)} · ${report.run_id}`;
  return markup`<span class="${outcome}">${signs[outcome]} ${outcomeTexts[outcome]}</span>
<span class="id">${report.scenario.id}</span> <span class="quiet">${report.scenario.title}</span>
<span class="facts quiet">${facts}</span>`;
}

function renderLine(report: Report): Markup {
  return markup`<details class="run"><summary>${renderHead(report)}</summary></details>
`;
}

function renderUnfinished({ scenarioId, runId, state, hint }: UnfinishedRun): Markup {
  const facts = `${state.replaceAll('_', ' ')}${runId === undefined ? '' : ` · ${runId}`}`;
  return markup`<details class="run" open><summary><span class="unfinished">… not finished</span>
<span class="id">${scenarioId}</span> <span class="facts quiet">${facts}</span></summary>
<div class="inside"><p>${hint}</p></div></details>
`;
}

function renderRun(report: Report, source: ScenarioSource | undefined): Markup {
  const open = getOutcome(report) === 'passed' ? null : trusted(' open');
  return markup`<details class="run" id="${report.run_id}"${open}><summary>${renderHead(report)}</summary>
<div class="inside">
${renderFailure(report)}${splitByDetail(report).full.map((check) => renderFailedCheck(check, report, source))}
${report.notes.map((note) => markup`<p><b>Note</b> ${note}</p>`)}
${renderChecks(report.checks)}${renderProof(report.proof)}${renderResponse(report)}${renderRequest(report)}${renderEvidence(report)}${renderTimings(report.timings)}
${renderFacts(report, source)}
</div></details>
`;
}

function renderFailure({ failure }: Report): Markup | null {
  if (!failure) return null;
  return markup`<p class="message">${failure.message}</p><p><b>How to fix</b> ${failure.cure}</p>`;
}

function renderFailedCheck(check: FailedCheck, report: Report, source: ScenarioSource | undefined): Markup {
  const location = source ? `${source.file}:${check.line}:${check.column}` : `line ${check.line}`;
  const body = report.exchange.response?.body.text;
  const lines = body && check.pointer !== null ? buildBodyExcerpt(body, check.pointer) : [];
  const excerpt = lines.map(({ text, marked }) => (marked ? markup`<mark>${text}</mark>\n` : markup`${text}\n`));
  return markup`<div class="found"><p class="mono">${location}</p><pre>${check.text}</pre>
<table class="facts"><tr><th>expected</th><td class="mono">${check.expected}</td></tr>
<tr><th>actual</th><td class="mono">${check.actual}</td></tr></table>
${excerpt.length > 0 ? markup`<pre>${excerpt}</pre>` : null}</div>
`;
}

function renderChecks(checks: readonly ReportCheck[]): Markup {
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

function renderResponse({ exchange }: Report): Markup {
  if (!exchange.response) return markup`<h2>Response</h2><p class="quiet">No response was received.</p>`;
  const { status, headers, body } = exchange.response;
  const size = `${formatSize(body.size_bytes)}${body.truncated ? ', truncated here' : ''}`;
  const text =
    body.text === null ? markup`<p class="quiet">Not displayed: not text, or expired.</p>` : renderBlock(body.text);
  return markup`<h2>Response</h2><p>status ${status} · ${size}</p>
${renderHeaders(headers)}${body.text === '' ? null : text}
`;
}

function renderRequest({ exchange }: Report): Markup {
  if (!exchange.request) return markup`<h2>Request</h2><p class="quiet">Nothing was sent.</p>`;
  const { method, url, headers, body } = exchange.request;
  return markup`<h2>Request</h2><p class="mono">${method} ${url}</p>
${renderHeaders(headers)}${body === null ? null : renderBlock(body)}
`;
}

function renderBlock(text: string): Markup {
  return markup`<pre>${text}</pre>`;
}

function renderHeaders(headers: readonly (readonly [string, string])[]): Markup {
  if (headers.length === 0) return markup``;
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return markup`<details><summary class="quiet">${headers.length} ${headers.length === 1 ? 'header' : 'headers'}</summary>${renderBlock(lines)}</details>`;
}

/** A bar of durations; the timings are points in time, so each part is the difference from the previous one. */
function renderTimings(timings: Report['timings']): Markup {
  const points: [name: string, atMs: number | null][] = [
    ['connect', timings.connect_ms],
    ['first byte', timings.first_byte_ms],
    ['body', timings.body_ms],
    ['total', timings.total_ms],
  ];
  let previousMs = 0;
  const parts = points.flatMap(([name, atMs], index) => {
    if (atMs === null) return [];
    const width = Math.max(0, atMs - previousMs);
    previousMs = Math.max(previousMs, atMs);
    return [{ name, atMs, width, shade: 'abcd'.charAt(index) }];
  });
  const totalMs = Math.max(previousMs, 0.001);
  const bars = parts.map(({ name, width, shade }) => {
    return markup`<i class="${shade}" style="width:${((100 * width) / totalMs).toFixed(1)}%" title="${name}"></i>`;
  });
  const summary = parts.map(({ name, atMs }) => `${name} ${formatDuration(atMs)}`).join(' · ');
  return markup`<h2>Timing</h2><div class="bar">${bars}</div>
<p class="quiet">queued ${formatDuration(timings.queued_ms)} before · ${summary}</p>
`;
}

function renderFacts(report: Report, source: ScenarioSource | undefined): Markup {
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
