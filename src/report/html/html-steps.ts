/** The requests of STEPS and CLEANUP in the HTML page. */
import { type Markup, markup } from '../markup.ts';
import type { ReportStep } from '../report.ts';
import { formatStepFacts } from '../text/text-steps.ts';

/** In a report of many runs the bodies of all steps would be too much; the JSON report has them. */
const maxBodyLength = 2000;

function renderBody(text: string | null): Markup | null {
  if (text === null || text === '') return null;
  const cut = text.length > maxBodyLength ? `${text.slice(0, maxBodyLength)}…` : text;
  return markup`<pre>${cut}</pre>`;
}

function renderStep(step: ReportStep): Markup {
  const { name, line, outcome, problem, cure, checks, exchange } = step;
  const { request, response } = exchange;
  const colour = outcome === 'not_judged' || outcome === 'not_known' ? 'broken' : outcome;
  const failed = checks.filter((check) => check.outcome === 'failed');
  return markup`<div class="found"><p><b>${name}</b> <span class="quiet">line ${line}</span> <span class="${colour}">${formatStepFacts(step)}</span></p>
${request ? markup`<p class="mono">${request.method} ${request.url}</p>` : null}${problem === null ? null : markup`<p>${problem}</p>`}
${failed.map((check) => markup`<p class="mono">line ${check.line}: ${check.text}: expected ${check.expected ?? ''}, got ${check.actual ?? ''}</p>`)}
${cure === null ? null : markup`<p><b>How to fix</b> ${cure}</p>`}${outcome === 'passed' ? null : renderBody(response?.body.text ?? null)}</div>
`;
}

export function renderSteps(steps: readonly ReportStep[]): Markup {
  return markup`${steps.map(renderStep)}`;
}
