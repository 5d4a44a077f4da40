import { type Markup, markup } from '../markup.ts';
import { formatProofCounts, sortChecks, verdictLabels } from '../proof-labels.ts';
import type { ProvenCheck, ReportProof } from '../report.ts';

/** Colours mean results; a covered check needs no attention. */
const verdictClasses: Readonly<Record<ProvenCheck['verdict'], string>> = {
  never_fails: 'failed',
  not_tried: 'broken',
  covered: 'quiet',
  proven: 'passed',
};

export function renderProof(proof: ReportProof | null): Markup | null {
  if (proof === null) return null;
  if (proof.problem !== null) return markup`<p>${proof.problem}</p>`;
  const rows = sortChecks(proof).map(({ line, text, verdict, example, advice }) => {
    const explanation = advice ?? (example === null ? '' : `fails when ${example}`);
    return markup`<tr><td class="number">${line}</td><td class="mono">${text}</td>
<td class="${verdictClasses[verdict]}">${verdictLabels[verdict]}</td><td>${explanation}</td></tr>
`;
  });
  return markup`<p class="quiet">${formatProofCounts(proof)}</p>
<table><tr><th class="number">line</th><th>check</th><th>verdict</th><th>reason</th></tr>
${rows}</table>
${renderUnchecked(proof)}`;
}

function renderUnchecked({ unchecked }: ReportProof): Markup | null {
  if (unchecked.length === 0) return null;
  const rows = unchecked.map(({ pointer, value, suggestion, note }) => {
    const remark = note === undefined ? null : markup`<br><span class="quiet">${note}</span>`;
    return markup`<tr><td class="mono">${pointer}</td><td class="mono">${value}</td><td class="mono">${suggestion}${remark}</td></tr>
`;
  });
  return markup`<p><b>Nothing checks</b></p>
<table><tr><th>part of the evidence</th><th>value</th><th>a check that would</th></tr>
${rows}</table>`;
}
