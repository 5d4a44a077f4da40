/** One run of the HTML page: what failed is visible at once, everything else is folded. */
import { describeQuarantine } from '../../run/quarantine.ts';
import { buildCheckExcerpt, truncateText } from '../body-excerpt.ts';
import { countCases } from '../cases.ts';
import { splitChecksByDetail } from '../detail.ts';
import { type Markup, type MarkupValue, markup, trustedMarkup } from '../markup.ts';
import { formatSize, formatTimeTaken } from '../measures.ts';
import { describeOutcome, getOutcome, isQuarantined } from '../outcome.ts';
import type { FailedCheck, Report, ReportCase, ReportCheck } from '../report.ts';
import type { ScenarioSource } from '../results.ts';
import { summarizeFailure } from '../summarize-failure.ts';
import { findTargetIdentity } from '../target-identity.ts';
import { formatCheckLocation } from '../text/render-text.ts';
import { isExchangeUnknown } from '../text/text-exchange.ts';
import { renderCases } from './html-cases.ts';
import { renderEvidence } from './html-evidence.ts';
import { renderProof } from './html-proof.ts';
import { renderSteps } from './html-steps.ts';
import { renderTimings } from './html-timings.ts';

/** `full`: everything; `brief`: the failing checks without bodies and headers; `line`: one line. */
export type RunDetail = 'full' | 'brief' | 'line';

const signs = { passed: '✓', failed: '✕', broken: '!', cancelled: '–' } as const;
/** In a report of up to a thousand runs, bodies of this length would already be 20 MB. */
const maxBodyLength = 20_000;
const maxHeadLength = 200;
const maxBriefChecks = 3;

/** The filter that a run belongs to: a cancelled run was not judged either. */
export function getRunFilter(report: Report): 'passed' | 'failed' | 'broken' | 'quarantined' {
  if (isQuarantined(report)) return 'quarantined';
  const outcome = getOutcome(report);
  return outcome === 'cancelled' ? 'broken' : outcome;
}

export function renderRun(
  report: Report,
  source: ScenarioSource | undefined,
  detail: RunDetail,
  isOpen: boolean,
): Markup {
  const classes = `run is-${getRunFilter(report)}`;
  if (detail === 'line') return markup`<div class="${classes}" id="${report.run_id}">${renderHead(report)}</div>\n`;
  return markup`<details class="${classes}" id="${report.run_id}"${isOpen ? trustedMarkup(' open') : null}><summary>${renderHead(report)}</summary>
<div class="inside">
${renderFailure(report, source, detail)}${report.notes.map((note) => markup`<p><b>Note</b> ${note}</p>`)}
${detail === 'full' ? renderParts(report) : markup`<p class="quiet">Request and response are left out of this large report; the JSON report has them.</p>`}
${renderFacts(report, source)}</div></details>
`;
}

function renderHead(report: Report): Markup {
  const outcome = getOutcome(report);
  const status = report.observed_status === null ? '' : `status ${report.observed_status} · `;
  const facts = `${status}${formatTimeTaken(report.timings)} · ${report.run_id}`;
  const reason =
    outcome === 'passed'
      ? null
      : markup`<span class="reason mono">${truncateText(summarizeFailure(report), 2 * maxHeadLength)}</span>`;
  const style = isQuarantined(report) ? 'broken' : outcome;
  return markup`<span class="head"><span class="${style}">${signs[outcome]} ${describeOutcome(report)}</span>
<span class="id">${truncateText(report.scenario.id, maxHeadLength)}</span> <span class="quiet">${truncateText(report.scenario.title, maxHeadLength)}</span>
<span class="facts quiet">${facts}</span>${reason}</span>`;
}

function renderFailure(report: Report, source: ScenarioSource | undefined, detail: RunDetail): Markup | null {
  const { failure, quarantine } = report;
  if (!failure) return null;
  const { full, short } = splitChecksByDetail(report);
  const checks = detail === 'full' ? full : full.slice(0, maxBriefChecks);
  const others = [...full.slice(checks.length), ...short];
  const following = others.filter(({ follows_from_status: follows }) => follows);
  const note = quarantine
    ? markup`<p>It is ${describeQuarantine(quarantine)}. Its failure does not count.</p>
`
    : null;
  return markup`<p class="message">${failure.message}</p>
${note}${detail === 'full' && report.cases ? renderCaseList(report.cases) : null}${checks.map((check) => renderFailedCheck(check, report, source))}${listChecks(
  'Also failed',
  others.filter((check) => !following.includes(check)),
)}${listChecks('Follow from the wrong status', following)}
<p><b>How to fix</b> ${failure.cure}</p>
`;
}

const maxListedChecks = 50;

function listChecks(title: string, checks: readonly FailedCheck[]): Markup | null {
  if (checks.length === 0) return null;
  const items = checks.slice(0, maxListedChecks).map(({ line, text, actual }) => {
    return markup`<li class="mono">line ${line}: ${text}${actual === null ? '' : `: ${truncateText(actual, maxHeadLength)}`}</li>`;
  });
  return markup`<p>${title}</p><ul>${items}</ul>`;
}

function renderFailedCheck(check: FailedCheck, report: Report, source: ScenarioSource | undefined): Markup {
  const checkLocation = formatCheckLocation(check, source) ?? `line ${check.line}`;
  const location = check.step === undefined ? checkLocation : `${checkLocation} in the step ${check.step}`;
  const body = report.exchange.response?.body;
  const lines = body && check.pointer !== null ? buildCheckExcerpt(body, check.pointer, check.actual) : [];
  const excerpt = lines.map(({ text, marked }) => (marked ? markup`<mark>${text}</mark>\n` : markup`${text}\n`));
  return markup`<div class="found"><p class="mono">${location}</p><pre>${check.text}</pre>
<table class="facts"><tr><th>expected</th><td class="mono">${check.expected}</td></tr>
<tr><th>actual</th><td class="mono">${check.actual}</td></tr></table>
${excerpt.length > 0 ? markup`<pre>${excerpt}</pre>` : null}</div>
`;
}

function renderParts(report: Report): Markup {
  const { log, queries, proof, steps = [], cleanup = [] } = report;
  const hasEvidence = log !== null || queries.length > 0;
  const passedCases = report.cases && report.result === 'passed' ? renderCaseList(report.cases) : null;
  return markup`${passedCases}${renderChecks(report.checks)}${renderResponse(report)}${renderRequest(report)}
${steps.length > 0 ? renderPart(`Steps (${steps.length})`, renderSteps(steps)) : null}${cleanup.length > 0 ? renderPart(`Cleanup (${cleanup.length})`, renderSteps(cleanup)) : null}${hasEvidence ? renderPart('Log and database', renderEvidence(report)) : null}${proof ? renderPart('Proof', renderProof(proof)) : null}${renderPart('Timing', renderTimings(report))}`;
}

function renderPart(title: string, content: MarkupValue): Markup {
  return markup`<details class="part"><summary>${title}</summary>${content}</details>
`;
}

function renderCaseList(cases: readonly ReportCase[]): Markup {
  return renderPart(`Cases (${countCases(cases)})`, renderCases(cases));
}

function renderChecks(checks: readonly ReportCheck[]): Markup {
  const rows = checks.map((check) => {
    const outcome = { passed: '✓ passed', failed: '✕ failed', not_judged: '– not judged' }[check.outcome];
    return markup`<tr><td class="number">${check.line}</td><td class="mono">${check.text}</td>
<td class="${check.outcome}">${outcome}</td><td class="mono">${check.actual}</td></tr>
`;
  });
  const title = `Checks (${checks.length})`;
  return renderPart(
    title,
    markup`<table><tr><th class="number">line</th><th>check</th><th>outcome</th><th>actual</th></tr>
${rows}</table>`,
  );
}

function renderResponse({ exchange, failure }: Report): Markup {
  if (!exchange.response) {
    const text = isExchangeUnknown(failure)
      ? 'Whether there was a response is not known.'
      : 'No response was received.';
    return markup`<p class="quiet">${text}</p>`;
  }
  const { status, headers, body } = exchange.response;
  const isCut = body.truncated || (body.text?.length ?? 0) > maxBodyLength;
  const size = `${formatSize(body.size_bytes)}${isCut ? ', truncated here' : ''}`;
  const text =
    body.text === null ? markup`<p class="quiet">Not displayed: not text, or expired.</p>` : renderBlock(body.text);
  return renderPart(
    `Response: status ${status}, ${size}`,
    markup`${renderHeaders(headers)}${body.text === '' ? null : text}`,
  );
}

function renderRequest({ exchange, failure }: Report): Markup {
  if (!exchange.request) {
    return markup`<p class="quiet">${isExchangeUnknown(failure) ? 'What was sent is not known.' : 'Nothing was sent.'}</p>`;
  }
  const { method, url, headers, body } = exchange.request;
  return renderPart(
    `Request: ${method}`,
    markup`<p class="mono">${method} ${url}</p>
${renderHeaders(headers)}${body === null ? null : renderBlock(body)}`,
  );
}

function renderBlock(text: string): Markup {
  return markup`<pre>${truncateText(text, maxBodyLength)}</pre>`;
}

function renderHeaders(headers: readonly (readonly [string, string])[]): Markup {
  if (headers.length === 0) return markup``;
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return markup`<p class="quiet">${headers.length} ${headers.length === 1 ? 'header' : 'headers'}</p>${renderBlock(lines)}`;
}

function renderFacts(report: Report, source: ScenarioSource | undefined): Markup {
  const { revision, tags, owner = '', links = [] } = report.scenario;
  const { version, process } = findTargetIdentity(report);
  const facts: (readonly [string, MarkupValue])[] = [
    ['scenario', source?.file ?? `${report.scenario.id}${revision === null ? '' : `, revision ${revision}`}`],
    ['instance', report.instance],
    ['correlation id', report.correlation_id],
    ['body checks', report.assertions_enforced_count],
    ['log and database checks', report.evidence_assertions_count],
    ['tags', tags.join(', ')],
    ...(owner === '' ? [] : [['owner', owner] satisfies [string, MarkupValue]]),
    ...(links.length === 0 ? [] : [['links', links.join(' ')] satisfies [string, MarkupValue]]),
    ['started', report.started_at],
    ...(version === null ? [] : [['version of the target', version] as const]),
    ...(process === null ? [] : [['process of the target', process] as const]),
    ['executor', report.executor_version],
  ];
  const rows = facts.map(([name, value]) => markup`<tr><th>${name}</th><td class="mono">${value}</td></tr>\n`);
  return renderPart('Run', markup`<table class="facts">${rows}</table>`);
}
