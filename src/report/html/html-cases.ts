/** The cases of a run in the HTML page: those that did not pass with their checks and responses, then a table of all. */
import { getCaseOutcome, summarizeCase } from '../cases.ts';
import { type Markup, markup } from '../markup.ts';
import { formatDuration } from '../measures.ts';
import type { ReportCase } from '../report.ts';
import { stepOutcomeLabels } from '../text/text-steps.ts';

/** The JSON report has the whole bodies. */
const maxBodyLength = 2000;

function renderExchange({ exchange, failed_checks: failed }: ReportCase): Markup | null {
  if (!exchange?.request) return null;
  const text = exchange.response?.body.text ?? '';
  const cut = text.length > maxBodyLength ? `${text.slice(0, maxBodyLength)}…` : text;
  return markup`<p class="mono">${exchange.request.method} ${exchange.request.url}</p>
${failed.map((check) => markup`<p class="mono">line ${check.line}: ${check.text}: expected ${check.expected ?? ''}, got ${check.actual ?? ''}</p>`)}${text === '' ? null : markup`<pre>${cut}</pre>`}`;
}

function renderUnpassed(entry: ReportCase): Markup {
  const { name, line, outcome, problem, cure } = entry;
  return markup`<div class="found"><p><b>${name}</b> <span class="quiet">line ${line}</span> <span class="${getCaseOutcome(entry)}">${stepOutcomeLabels[outcome]}</span></p>
${problem === null ? null : markup`<p>${problem}</p>`}${renderExchange(entry)}${cure === null ? null : markup`<p><b>How to fix</b> ${cure}</p>`}</div>
`;
}

function renderRow(entry: ReportCase): Markup {
  const { name, line, outcome, observed_status: status, total_ms: totalMs } = entry;
  const reason = outcome === 'passed' ? '' : summarizeCase(entry);
  return markup`<tr><td class="number">${line}</td><td>${name}</td><td class="${getCaseOutcome(entry)}">${stepOutcomeLabels[outcome]}</td>
<td class="number">${status}</td><td class="number">${totalMs === null ? '' : formatDuration(totalMs)}</td><td class="mono">${reason}</td></tr>
`;
}

/** In the table those that did not pass come first. */
export function renderCases(cases: readonly ReportCase[]): Markup {
  const passed = cases.filter(({ outcome }) => outcome === 'passed');
  const others = cases.filter(({ outcome }) => outcome !== 'passed');
  const detailed = others.filter(({ exchange }) => exchange?.request);
  return markup`${detailed.map(renderUnpassed)}<table><tr><th class="number">line</th><th>case</th><th>outcome</th><th class="number">status</th><th class="number">time</th><th>reason</th></tr>
${[...others, ...passed].map(renderRow)}</table>`;
}
