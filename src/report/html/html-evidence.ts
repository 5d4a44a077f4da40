/** The sections Log and Database of the HTML page; empty where they were not read. */
import { type Markup, markup } from '../markup.ts';
import type { Report, ReportLog, ReportQuery } from '../report.ts';
import { formatLogCounts, formatRowCount } from '../text/text-evidence.ts';

export function renderEvidence({ log, queries }: Report): Markup {
  const database = queries.length === 0 ? null : markup`<p><b>Database</b></p>${queries.map(renderQuery)}`;
  return markup`${log && renderLog(log)}${database}`;
}

function renderUnavailable(problem: string, cure: string | null): Markup {
  return markup`<p>${problem}</p>${cure === null ? null : markup`<p><b>How to fix</b> ${cure}</p>`}`;
}

function renderLog(log: ReportLog): Markup {
  if (log.problem !== null) return markup`<p><b>Log</b></p>${renderUnavailable(log.problem, log.cure)}`;
  const remaining = log.line_count - log.lines.length;
  const lines = log.lines.map(({ text, error }) => (error ? markup`<mark>${text}</mark>\n` : markup`${text}\n`));
  const more = remaining > 0 ? markup`<p class="quiet">… ${remaining} more</p>` : null;
  return markup`<p><b>Log</b></p><p>${formatLogCounts(log)}</p>${lines.length > 0 ? markup`<pre>${lines}</pre>` : null}${more}`;
}

function renderQuery(query: ReportQuery): Markup {
  const head = markup`<p><b>${query.name}</b>, line ${query.line}${query.problem === null ? `: ${formatRowCount(query)}` : null}</p>
<pre>${query.sql}</pre>`;
  if (query.problem !== null) return markup`${head}${renderUnavailable(query.problem, query.cure)}`;
  if (query.rows.length === 0) return head;
  const columns = query.columns.map((name) => markup`<th>${name}</th>`);
  const rows = query.rows.map((row) => {
    const cells = row.map((value) => markup`<td class="mono">${value ?? markup`<span class="quiet">null</span>`}</td>`);
    return markup`<tr>${cells}</tr>\n`;
  });
  return markup`${head}<table><tr>${columns}</tr>
${rows}</table>`;
}
