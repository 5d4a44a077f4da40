/** What `vp new` prints: what it saw, the files, and the next commands. */
import type { TextSink } from '../../environment/environment.ts';
import { summarizeDocument } from '../../inspection/api-document.ts';
import type { RequestInspection } from '../../inspection/inspect-request.ts';
import type { LogTrace } from '../../inspection/log-trace.ts';
import { describeShape, type TargetSurvey } from '../../inspection/survey.ts';
import type { ProbeResponse } from '../../inspection/target-probe.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { wrapText } from '../../report/text/wrap-text.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';
import type { FileChange, PlannedFile } from './new-files.ts';
import { type NextCommand, quoteWord } from './paste.ts';

/** Lines for people; silent with --json. */
export type NewOutput = {
  seen(label: string, text: string): void;
  warn(label: string, text: string): void;
  detail(text: string): void;
  line(text: string): void;
};

const labelWidth = 14;

export function createNewOutput(sink: TextSink, paint: TerminalPaint, json: boolean): NewOutput {
  const write = (text: string): void => {
    if (!json) sink.write(`${text}\n`);
  };
  const indent = labelWidth + 5;
  const wrap = (text: string): string => wrapText(escapeUnsafeLine(text), paint.proseWidth, indent);
  const format = (mark: string, label: string, text: string): string =>
    `  ${mark} ${label.padEnd(labelWidth)} ${wrap(text)}`;
  return {
    seen: (label, text) => write(format(paint.passed('✓'), label, text)),
    warn: (label, text) => write(format(paint.broken('!'), label, text)),
    detail: (text) => write(paint.faint(`${' '.repeat(indent)}${wrap(text)}`)),
    line: write,
  };
}

export function printSurvey({ candidates, refusals, document }: TargetSurvey, output: NewOutput): void {
  const [first] = candidates;
  const paths = candidates.map(({ path }) => path);
  if (first)
    output.seen('answers', `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}`);
  if (document) output.seen('API document', `${document.format} at ${document.path}: ${summarizeDocument(document)}`);
  const [refusal] = refusals;
  if (refusal) output.warn('credential', `GET ${refusal.path} answered ${refusal.status} without one`);
}

function describeResponse({ status, body, text }: ProbeResponse): string {
  const content =
    body.kind === 'json' ? `JSON, ${describeShape(body.value)}` : body.kind === 'empty' ? 'no body' : 'text';
  return `${status}, ${content}${body.kind === 'not_json' && text !== undefined ? ` of ${text.length} characters` : ''}`;
}

const maxExampleLength = 120;

/** The guess with a real line as its evidence, and what to do where the id was not found. */
export function printLogTrace(trace: LogTrace, source: string, output: NewOutput): void {
  const { guess, channel, field, example, problem } = trace;
  const format = { json: 'JSON lines', text: 'lines of text', empty: 'no lines yet' }[guess.format];
  const level = guess.level ? `, level in \`${guess.level.field}\` (${guess.level.seen.join(', ')})` : '';
  const id = field === undefined ? '' : `, the id of a run in \`${field}\``;
  if (channel) output.seen('log', `${format}${level}${id}, by ${channel.name}`);
  else output.warn('log', `${format} in ${source}, but none with the id of a request${problem ? `: ${problem}` : ''}`);
  if (example !== undefined)
    output.detail(example.length > maxExampleLength ? `${example.slice(0, maxExampleLength)}…` : example);
  if (!channel) output.detail('let the application log the header X-Request-Id; until then the log is not checked');
}

export function printInspection(
  { response, checks, notes }: RequestInspection,
  request: string,
  output: NewOutput,
): void {
  output.seen('sent twice', `${request}: ${describeResponse(response)}`);
  const body = checks.filter((check) => check.startsWith('body ')).length;
  const log = checks.filter((check) => check.startsWith('log ')).length;
  const counts = [
    `${checks[0]}`,
    ...(body > 0 ? [`${body} of the body`] : []),
    ...(log > 0 ? [`${log} of the log`] : []),
  ];
  output.seen('checks', counts.join(', '));
  for (const note of notes) output.detail(note);
  const { status } = response;
  if (status >= 300)
    output.warn('status', `${status} is not a success: is the path right, and the credential accepted?`);
}

export function describeCheckCount(count: number): string {
  return count === 1 ? '1 check' : `${count === 0 ? 'no' : count} checks`;
}

const changeMarks: Readonly<Record<FileChange, string>> = { create: '+', keep: '=', extend: '+', replace: '~' };
const changeTexts: Readonly<Record<FileChange, string>> = {
  create: '',
  keep: 'unchanged; ',
  extend: 'line added; ',
  replace: 'replaced; ',
};

export function printFiles(files: readonly PlannedFile[], output: NewOutput, paint: TerminalPaint): void {
  const width = Math.max(...files.map(({ path }) => path.length));
  output.line('');
  for (const { path, change, note } of files)
    output.line(`  ${changeMarks[change]} ${path.padEnd(width)}  ${paint.faint(`${changeTexts[change]}${note}`)}`);
}

/** `program` is what to type for `vp` here. */
export function printNext(
  commands: readonly NextCommand[],
  output: NewOutput,
  { paint, program }: { readonly paint: TerminalPaint; readonly program: string },
): void {
  if (commands.length === 0) return;
  output.line('');
  output.line(paint.strong('Next'));
  for (const { command, purpose } of commands)
    output.line(`  ${paint.faint(`# ${purpose}`)}\n  ${command.replace(/^vp /, () => `${quoteWord(program)} `)}`);
}
