import { type Markup, markup } from './markup.ts';
import { countsOf, proofWords, sortedChecks } from './proof-words.ts';
import type { ProvenCheck, ReportProof } from './report.ts';

/** Colours stand for results; a check that is covered is nothing to look at. */
const classes: Readonly<Record<ProvenCheck['verdict'], string>> = {
  never_fails: 'failed',
  not_tried: 'broken',
  covered: 'quiet',
  proven: 'passed',
};

/** The proof's section of a run; nothing where none was asked for. */
export function proofMarkup(proof: ReportProof | null): Markup | null {
  if (proof === null) return null;
  if (proof.problem !== null) return markup`<h2>Proof</h2><p>${proof.problem}</p>`;
  const rows = sortedChecks(proof).map(({ line, text, verdict, example, advice }) => {
    const why = advice ?? (example === null ? '' : `fails when ${example}`);
    return markup`<tr><td class="number">${line}</td><td class="mono">${text}</td>
<td class="${classes[verdict]}">${proofWords[verdict]}</td><td>${why}</td></tr>
`;
  });
  return markup`<h2>Proof</h2><p class="quiet">${countsOf(proof)}</p>
<table><tr><th class="number">line</th><th>check</th><th>worth</th><th>why</th></tr>
${rows}</table>
${uncheckedMarkup(proof)}`;
}

function uncheckedMarkup({ unchecked }: ReportProof): Markup | null {
  if (unchecked.length === 0) return null;
  const rows = unchecked.map(({ pointer, value, suggestion }) => {
    return markup`<tr><td class="mono">${pointer}</td><td class="mono">${value}</td><td class="mono">${suggestion}</td></tr>
`;
  });
  return markup`<h2>Nothing checks</h2>
<table><tr><th>part of what came back</th><th>value</th><th>the check that would</th></tr>
${rows}</table>`;
}
