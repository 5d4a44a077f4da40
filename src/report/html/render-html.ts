/**
 * Reports as one HTML file that loads nothing and executes one script, which its own policy names by hash and which it does
 * not need. Runs that did not pass come first, with their reason; those that passed are folded.
 */
import { outcomeLabels } from '../../run/state.ts';
import { truncateText } from '../body-excerpt.ts';
import { type Markup, markup, trustedMarkup } from '../markup.ts';
import { formatDuration } from '../measures.ts';
import {
  countUnfinished,
  getOutcome,
  isQuarantined,
  quarantinedLabel,
  type ReportOutcome,
  reportOutcomes,
  tallyOutcomes,
  unfinishedLabels,
} from '../outcome.ts';
import type { Report } from '../report.ts';
import { describeSource, type RunResults, type UnfinishedRun } from '../results.ts';
import { summarizeFailure } from '../summarize-failure.ts';
import { getRunFilter, type RunDetail, renderRun } from './html-run.ts';
import { htmlScript, htmlScriptHash } from './html-script.ts';
import { htmlStyle } from './html-style.ts';

/** A page of up to this many characters opens at once; runs beyond it are briefer, and beyond the second one line each. */
const maxFullLength = 4_000_000;
const maxBriefLength = 7_000_000;
/** One open run shows what a run looks like; more of them hide the others. */
const maxOpen = 1;
/** Fewer runs are seen at a glance. */
const minIndexed = 3;
const maxIndexed = 200;
const maxReasonLength = 160;

export function renderHtml(results: RunResults): string {
  const { version } = results;
  const title = formatSummary(results);
  const runs = renderRuns(results);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '${trustedMarkup(htmlScriptHash)}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${trustedMarkup(htmlStyle)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="quiet">${formatMoment(results.startedAtMs)} · ${formatDuration(results.finishedAtMs - results.startedAtMs)} · vp ${version}</p>
${renderSource(results)}${results.reports.length + results.unfinished.length > 1 ? renderTools(results) : null}
${runs}</main>
<script>${trustedMarkup(htmlScript)}</script>
</body>
</html>
`;
  return page.text;
}

function renderSource({ source }: RunResults): Markup | null {
  const text = describeSource(source);
  if (text === '') return null;
  const url = source?.url === undefined ? null : markup` · <span class="mono">${source.url}</span>`;
  return markup`<p class="quiet">${text}${url}</p>\n`;
}

function formatSummary({ reports, unfinished }: RunResults): string {
  const tally = tallyOutcomes(reports);
  const parts = reportOutcomes
    .filter((outcome) => tally[outcome] > 0)
    .map((outcome) => `${tally[outcome]} ${outcomeLabels[outcome]}`);
  if (tally.quarantined > 0) parts.push(`${tally.quarantined} ${quarantinedLabel}`);
  parts.push(...countUnfinished(unfinished).map(([count, label]) => `${count} ${label}`));
  return parts.length > 0 ? parts.join(', ') : 'nothing was run';
}

function formatMoment(epochMs: number): string {
  return new Date(epochMs)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** Filters are radio buttons and styles; search and folding need the script, which then makes them visible. */
function renderTools({ reports, unfinished }: RunResults): Markup {
  const tally = tallyOutcomes(reports);
  const filters: [name: string, label: string, count: number][] = [
    ['all', 'all', reports.length + unfinished.length],
    ['failed', 'failed', tally.failed],
    ['quarantined', 'in quarantine', tally.quarantined],
    ['broken', 'not judged', tally.broken + tally.cancelled],
    ['unfinished', 'not run', unfinished.length],
    ['passed', 'passed', tally.passed],
  ];
  const radios = filters
    .filter(([, , count]) => count > 0)
    .map(([name, label, count]) => {
      const checked = name === 'all' ? trustedMarkup(' checked=""') : null;
      return markup`<label><input type="radio" name="filter" id="filter-${name}" value="${name}"${checked}/> ${label} (${count})</label>
`;
    });
  return markup`<div class="bar-tools"><fieldset><legend>Show</legend>${radios}</fieldset>
<div id="tools" hidden=""><input type="search" id="search" placeholder="Search runs, checks, values (/)" aria-label="Search runs"/>
<button type="button" id="expand">Expand all</button><button type="button" id="fold">Fold all</button><span id="count" role="status" class="quiet"></span></div></div>
`;
}

/** Runs that did not pass, then unfinished ones, then those that passed; within the length that a page may have. */
function renderRuns({ reports, unfinished, sources }: RunResults): Markup[] {
  const selectOutcome = (outcome: ReportOutcome): Report[] =>
    reports.filter((report) => getOutcome(report) === outcome && !isQuarantined(report));
  const notPassed = reportOutcomes.filter((outcome) => outcome !== 'passed').flatMap(selectOutcome);
  const passed = selectOutcome('passed');
  let length = 0;
  const render = (report: Report, isOpen: boolean): Markup => {
    const detail: RunDetail = length < maxFullLength ? 'full' : length < maxBriefLength ? 'brief' : 'line';
    const run = renderRun(report, sources.get(report.scenario.id), detail, isOpen);
    length += run.text.length;
    return run;
  };
  const first = notPassed.map((report, index) => render(report, index < maxOpen));
  const quarantined = reports.filter(isQuarantined).map((report) => render(report, false));
  const last = passed.map((report) => render(report, reports.length === 1));
  return [
    ...(notPassed.length >= minIndexed ? [renderIndex(notPassed)] : []),
    ...(first.length > 0 ? [markup`<h2>Did not pass</h2>\n`, ...first] : []),
    ...(unfinished.length > 0 ? [markup`<h2>Not run</h2>\n`, ...unfinished.map(renderUnfinished)] : []),
    ...(quarantined.length > 0 ? [markup`<h2>Failed in quarantine</h2>\n`, ...quarantined] : []),
    ...(last.length > 0 ? [wrapPassed(last, notPassed.length + unfinished.length === 0)] : []),
  ];
}

function wrapPassed(runs: readonly Markup[], isOpen: boolean): Markup {
  const open = isOpen ? trustedMarkup(' open') : null;
  return markup`<details class="group"${open}><summary>${runs.length} passed</summary>
${runs}</details>
`;
}

function renderIndex(notPassed: readonly Report[]): Markup {
  const items = notPassed.slice(0, maxIndexed).map((report) => {
    const reason = truncateText(summarizeFailure(report), maxReasonLength);
    return markup`<li class="is-${getRunFilter(report)}"><a href="#${report.run_id}">${truncateText(report.scenario.id, maxReasonLength)}</a> <span class="quiet mono">${reason}</span></li>
`;
  });
  const more = notPassed.length - items.length;
  return markup`<nav aria-label="Runs that did not pass"><details class="part"><summary>Index of ${notPassed.length} runs that did not pass</summary><ol class="index">
${items}</ol>${more > 0 ? markup`<p class="quiet">… and ${more} more</p>` : null}</details></nav>
`;
}

function renderUnfinished({ scenarioId, runId, state, hint }: UnfinishedRun): Markup {
  const stateText = unfinishedLabels[state];
  const facts = `${stateText}${runId === undefined ? '' : ` · ${runId}`}`;
  const [[, label] = []] = countUnfinished([{ state }]);
  return markup`<div class="run is-unfinished"><span class="head"><span class="unfinished">… ${label}</span>
<span class="id">${scenarioId}</span> <span class="facts quiet">${facts}</span> <span class="reason">${hint}</span></span></div>
`;
}
