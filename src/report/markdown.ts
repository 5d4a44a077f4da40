/**
 * A summary in GitHub's Markdown, for the page of a job and the comment of a merge request. What came from the target, a file or
 * a config stands in code only: it cannot add links, images, mentions of people or markup.
 */
import { outcomeLabels } from '../run/state.ts';
import { escapeUnsafeLine } from './escape-unsafe.ts';
import { formatDuration } from './measures.ts';
import { countUnfinished, getOutcome, quarantinedLabel, tallyOutcomes } from './outcome.ts';
import { listProofProblems, listResultProblems, type ResultProblem } from './result-problems.ts';
import { describeSource, type RunResults } from './results.ts';

/** A comment has at most 65,536 characters; some are for what is put around it. */
const maxLength = 60_000;
const maxMessageLength = 400;
const maxDetailLength = 1_000;
const maxUnfinished = 50;

export function renderMarkdown(results: RunResults): string {
  const { unfinished, problem } = results;
  const problems = listResultProblems(results);
  const lines = [formatHeading(results), '', formatCounts(results), ''];
  if (problem !== undefined) lines.push(toCode(problem), '');
  if (problems.length > 0) lines.push(...formatProblems(problems, results));
  if (unfinished.length > 0) {
    lines.push('| No result | Why |', '| --- | --- |');
    for (const { scenarioId, hint } of unfinished.slice(0, maxUnfinished))
      lines.push(`| ${toCode(scenarioId)} | ${toCode(hint)} |`);
    if (unfinished.length > maxUnfinished) lines.push('', `… and ${unfinished.length - maxUnfinished} more`);
    lines.push('');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function formatHeading(results: RunResults): string {
  const { reports, unfinished, problem } = results;
  const all = reports.length + unfinished.length;
  const unproven = countUnproven(results);
  const tally = tallyOutcomes(reports);
  const passed = tally.passed - unproven;
  const accepted = passed + tally.quarantined;
  if (all === 0) return '### ❌ Nothing was run';
  if (all > passed && accepted === all && problem === undefined)
    return `### ✅ ${passed} of ${all} runs passed, ${tally.quarantined} ${quarantinedLabel}`;
  if (passed === all && problem === undefined) return `### ✅ ${all === 1 ? 'The run' : `All ${all} runs`} passed`;
  if (accepted === all) return '### ❌ Not everything was run';
  const apart = tally.quarantined === 0 ? '' : `, ${tally.quarantined} more ${quarantinedLabel}`;
  return `### ❌ ${all - accepted} of ${all} ${all === 1 ? 'run' : 'runs'} did not pass${unproven === 0 ? '' : ' or are not proven'}${apart}`;
}

/** How many passed although their checks are not all proven, as they should be. */
function countUnproven(results: RunResults): number {
  return results.reports.filter((report) => listProofProblems(report, results).length > 0).length;
}

function formatCounts(results: RunResults): string {
  const { reports, unfinished, startedAtMs, finishedAtMs, version, attempts } = results;
  const unprovenCount = countUnproven(results);
  const tally = tallyOutcomes(reports);
  const outcomes = (['failed', 'broken', 'cancelled', 'passed'] as const)
    .filter((outcome) => tally[outcome] > 0)
    .map((outcome) => `${tally[outcome]} ${outcomeLabels[outcome]}`);
  if (tally.quarantined > 0) outcomes.push(`${tally.quarantined} ${quarantinedLabel}`);
  if (unprovenCount > 0) outcomes.push(`${unprovenCount} of these not proven`);
  const flaky = reports.filter((report) => getOutcome(report) === 'passed' && attempts?.has(report.run_id)).length;
  const counts = [
    ...outcomes,
    ...(flaky > 0 ? [`${flaky} only when retried`] : []),
    ...countUnfinished(unfinished).map(([count, label]) => `${count} ${label}`),
  ];
  const instances = [...new Set([...reports, ...unfinished].map(({ instance }) => instance))];
  const names = instances.map(toCode).join(', ');
  const change = describeSource(results.source);
  return `${counts.join(', ') || 'no run'} in ${formatDuration(finishedAtMs - startedAtMs)}${names && ` on ${names}`}${change && `, ${toCode(change)}`}, vp ${version}`;
}

/** A table of what was wrong, then the details folded, as many as there is room for. */
function formatProblems(problems: readonly ResultProblem[], { reports }: RunResults): string[] {
  const lines = ['| Scenario | | What was wrong |', '| --- | --- | --- |'];
  // Those that count come first: the rest may be cut off.
  const inOrder = [...problems].sort((a, b) => Number(a.quarantine !== undefined) - Number(b.quarantine !== undefined));
  let length = 0;
  let listedCount = 0;
  for (const { scenarioId, outcome, message, location, quarantine } of inOrder) {
    const locationText = location ? `<br>${toCode(`${location.file}:${location.line}`)}` : '';
    const note = quarantine ? `<br>${toCode(quarantine)}` : '';
    const line = `| ${toCode(scenarioId)}${locationText} | ${outcomeLabels[outcome]}${note} | ${toCode(truncate(message, maxMessageLength))} |`;
    if (length + line.length > maxLength / 2) break;
    length += line.length;
    listedCount += 1;
    lines.push(line);
  }
  if (listedCount < problems.length) lines.push('', `… and ${problems.length - listedCount} more`);
  return [...lines, '', ...formatDetails(problems, reports, maxLength / 4)];
}

/** The sentence of each run that did not pass, with its ids. */
function formatDetails(
  problems: readonly ResultProblem[],
  reports: RunResults['reports'],
  maxDetailsLength: number,
): string[] {
  const correlationIds = new Map(reports.map((report) => [report.run_id, report.correlation_id]));
  const byRun = new Map(problems.map((problem) => [problem.runId, problem]));
  const entries: string[] = [];
  let length = 0;
  for (const { runId, scenarioId, detail } of byRun.values()) {
    const text = truncate(escapeUnsafeLine(detail.replaceAll('\n', ' – ')), maxDetailLength);
    const entry = `- ${toCode(scenarioId)} run ${toCode(runId)}, correlation id ${toCode(correlationIds.get(runId) ?? '')}${text === '' ? '' : `<br>${toCode(text)}`}`;
    length += entry.length;
    if (length > maxDetailsLength) break;
    entries.push(entry);
  }
  if (entries.length === 0) return [];
  return ['<details><summary>Runs that did not pass or are not proven</summary>', '', ...entries, '', '</details>', ''];
}

function truncate(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).toWellFormed()}…`;
}

/** Inline code, in and outside of tables: HTML, because a code span of Markdown ends a table's cell at `|`. */
function toCode(text: string): string {
  return `<code>${escapeUnsafeLine(text).replaceAll(markdownCharacters, toEntity)}</code>`;
}

/** What is markup in Markdown or HTML, and `@`, `#`, `:`, `.` and `$`: mentions, references, links and formulas need them. */
const markdownCharacters = /[&<>"`|\\*_~[\]!@#:.$]/g;

function toEntity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
