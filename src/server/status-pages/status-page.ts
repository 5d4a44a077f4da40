/** The page for people without an account, rendered here: it has no script, and it changes when it is loaded again. */
import type { PublicScenario, PublicStatus } from '../../contract/status-pages-api.ts';
import { type Markup, markup, trustedMarkup } from '../../report/markup.ts';
import { toStatusDataPath } from './status-paths.ts';
import { statusStyle } from './status-style.ts';

const stateTexts: Readonly<Record<PublicStatus['state'], readonly [sign: string, word: string]>> = {
  passing: ['✓', 'Everything passes'],
  failing: ['✕', 'Something fails'],
  incomplete: ['!', 'Not everything passes'],
  stale: ['○', 'Nothing ran for too long'],
  no_runs: ['○', 'No runs yet'],
};

const scenarioTexts: Readonly<Record<PublicScenario['state'], readonly [sign: string, word: string]>> = {
  passing: ['✓', 'passing'],
  failing: ['✕', 'failing'],
  not_judged: ['!', 'could not be judged'],
  stale: ['○', 'passed, long ago'],
  not_run: ['○', 'no runs yet'],
};

type TimeFormats = { readonly date: Intl.DateTimeFormat; readonly time: Intl.DateTimeFormat };
let formats: TimeFormats | undefined;

/** Made for the first page: V8 reads its list of locales for it, 10 ms that no start should take. */
function getFormats(): TimeFormats {
  formats ??= {
    date: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }),
    time: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  };
  return formats;
}

function renderTime(timestamp: string, form: keyof TimeFormats = 'time'): Markup {
  return markup`<time datetime="${timestamp}">${getFormats()[form].format(Date.parse(timestamp))} UTC</time>`;
}

function renderState([sign, word]: readonly [sign: string, word: string]): Markup {
  return markup`<span aria-hidden="true">${sign}</span> ${word}`;
}

/** `28 of 30 (93%)`; what could not be judged is not a result. */
function describePassRate({ passed, failed, not_judged: notJudged }: PublicScenario): string {
  const judged = passed + failed;
  const rate = judged === 0 ? '–' : `${passed} of ${judged} (${Math.floor((100 * passed) / judged)}%)`;
  return notJudged === 0 ? rate : `${rate}, ${notJudged} not judged`;
}

function renderScenarios(scenarios: readonly PublicScenario[]): Markup {
  const rows = scenarios.map(
    (scenario) => markup`<tr><td>${scenario.title}</td>
<td class="${scenario.state}">${renderState(scenarioTexts[scenario.state])}</td>
<td data-label="Last run">${scenario.last_run_at === null ? 'never' : renderTime(scenario.last_run_at)}</td>
<td data-label="Passed">${describePassRate(scenario)}</td></tr>
`,
  );
  return markup`<table><thead><tr><th scope="col">Scenario</th><th scope="col">Now</th><th scope="col">Last run</th><th scope="col">Passed</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function renderFailures({ failures }: PublicStatus): Markup | null {
  if (failures.length === 0) return null;
  const items = failures.map(
    ({ scenario, at, reason, quarantined }) =>
      markup`<li>${scenario}: ${reason}${quarantined ? ', in quarantine' : ''} <span class="quiet">${renderTime(at)}</span></li>\n`,
  );
  return markup`<h2>Last failures</h2>
<ul>${items}</ul>`;
}

/** `30 minutes`, `2 days`; rounded to the unit. */
function describeDuration(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ] as const;
  const [size, unit] = units.find(([length]) => seconds >= 2 * length) ?? [60, 'minute'];
  const count = Math.max(1, Math.round(seconds / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function renderDocument(title: string, body: Markup): string {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark">
<title>${title}</title><link rel="icon" href="data:,"><style>${trustedMarkup(statusStyle)}</style></head>
<body><main>
${body}
</main></body></html>
`.text;
}

export function renderStatusPage(status: PublicStatus, secret: string): string {
  const { title, state, message, last_run_at: lastRunAt, scenarios, quarantined, omitted_scenarios: omitted } = status;
  return renderDocument(
    `${title}: ${message}`,
    markup`<h1>${title}</h1>
<section class="state ${state}" aria-label="State"><p class="word">${renderState(stateTexts[state])}</p>
<p>${message}</p>
<p class="quiet">${lastRunAt === null ? 'Nothing has run yet.' : markup`Last run: ${renderTime(lastRunAt)}`}</p></section>
${scenarios.length > 0 ? markup`<h2>Scenarios</h2>\n${renderScenarios(scenarios)}` : null}
${omitted > 0 ? markup`<p class="quiet">${omitted} more are not listed; they are in the state above.</p>` : null}
${
  quarantined.length > 0
    ? markup`<h2>In quarantine</h2>
<p class="quiet">Known to be unreliable for now. They run, and count for nothing above.</p>
${renderScenarios(quarantined)}`
    : null
}
${renderFailures(status)}
<footer class="quiet"><p>“Passed” is of the last ${status.window_days} days, at most a hundred runs. When nothing has run for ${describeDuration(status.stale_after_s)}, the state is stale.</p>
<p>This page is shown until ${renderTime(status.until, 'date')}. <a href="${toStatusDataPath(secret)}">The same as JSON</a></p></footer>`,
  );
}

/** For every address that shows nothing, whatever the reason. */
export function renderAbsentPage(): string {
  return renderDocument(
    'No status page',
    markup`<h1>There is no status page here</h1>
<p>It has ended, was revoked, or never existed. Ask whoever gave you the link for another one.</p>`,
  );
}
