/** What was seen beside the answer, for the HTML page. */
import { type Markup, markup } from './markup.ts';
import type { Report, ReportLog, ReportQuery } from './report.ts';
import { logCounts, rowCount } from './text-evidence.ts';

/** The sections Log and Database; nothing where nobody looked. */
export function evidenceMarkup({ log, queries }: Report): Markup {
  const database = queries.length === 0 ? null : markup`<h2>Database</h2>${queries.map(queryMarkup)}`;
  return markup`${log && logMarkup(log)}${database}`;
}

function missing(problem: string, cure: string | null): Markup {
  return markup`<p>${problem}</p>${cure === null ? null : markup`<p><b>Cure</b> ${cure}</p>`}`;
}

function logMarkup(log: ReportLog): Markup {
  if (log.problem !== null) return markup`<h2>Log</h2>${missing(log.problem, log.cure)}`;
  const rest = log.line_count - log.lines.length;
  const lines = log.lines.map(({ text, error }) => (error ? markup`<mark>${text}</mark>\n` : markup`${text}\n`));
  const more = rest > 0 ? markup`<p class="quiet">… ${rest} more</p>` : null;
  return markup`<h2>Log</h2><p>${logCounts(log)}</p>${lines.length > 0 ? markup`<pre>${lines}</pre>` : null}${more}`;
}

function queryMarkup(query: ReportQuery): Markup {
  const head = markup`<p><b>${query.name}</b>, line ${query.line}${query.problem === null ? `: ${rowCount(query)}` : null}</p>
<pre>${query.sql}</pre>`;
  if (query.problem !== null) return markup`${head}${missing(query.problem, query.cure)}`;
  if (query.rows.length === 0) return head;
  const columns = query.columns.map((name) => markup`<th>${name}</th>`);
  const rows = query.rows.map((row) => {
    const cells = row.map((value) => markup`<td class="mono">${value ?? markup`<span class="quiet">null</span>`}</td>`);
    return markup`<tr>${cells}</tr>\n`;
  });
  return markup`${head}<table><tr>${columns}</tr>
${rows}</table>`;
}
