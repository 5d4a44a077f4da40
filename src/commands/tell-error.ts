/** How a command's error reaches people and programs. */
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { asVpError, type Place, type VpError, wordsOf } from '../errors/vp-error.ts';
import { printableLine } from '../report/printable.ts';
import { wrapped } from '../report/wrapped.ts';
import { paintFor } from '../terminal/paint.ts';

/** The JSON form, on standard output: a document of its own, the last one there. */
export type ErrorDocument = {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly cure: string;
    readonly place?: Place;
    /** What is wrong one by one, where the error gathers several. */
    readonly diagnostics?: readonly object[];
    /** Only at `--log-level debug`. */
    readonly detail?: string;
    readonly exit_code: number;
  };
};

const reportHint = `run it again with --log-level debug for the details, and report them with the version, vp ${version}`;

/** What may be shown of an error: our own faults only as INTERNAL, private detail only to those who ask for it. */
function shown(error: VpError, debug: boolean): ErrorDocument {
  const isPrivate = error.row.visibility === 'private';
  const words = isPrivate ? { ...wordsOf('INTERNAL', {}), cure: reportHint } : error;
  const detail = debug ? [isPrivate ? error.message : '', error.detail ?? ''].filter(Boolean).join('\n') : '';
  return {
    error: {
      code: words.code,
      message: words.message,
      cure: words.cure,
      ...(error.place === undefined ? {} : { place: error.place }),
      ...(isPrivate || error.diagnostics.length === 0 ? {} : { diagnostics: error.diagnostics }),
      ...(detail === '' ? {} : { detail }),
      exit_code: error.row.exit,
    },
  };
}

function placeText({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

/** What diagnostics of scenarios, configs and request bodies have of these. */
type DiagnosticWords = {
  readonly message?: string;
  readonly cure?: string;
  readonly line?: number;
  readonly column?: number;
  readonly range?: { readonly start: { readonly line: number; readonly column: number } };
  readonly where?: string;
  readonly problem?: string;
};

function diagnosticText(diagnostic: DiagnosticWords, proseWidth: number): string {
  const { line, column } = diagnostic.range?.start ?? diagnostic;
  const place = line === undefined ? '' : `${placeText({ line, ...(column === undefined ? {} : { column }) })} `;
  const words = diagnostic.message ?? `${diagnostic.where} ${diagnostic.problem}`;
  const text = printableLine(`${place}${words}${diagnostic.cure === undefined ? '' : `: ${diagnostic.cure}`}`);
  return `    - ${wrapped(text, proseWidth, 6)}`;
}

function plainText({ error }: ErrorDocument, environment: Environment): string {
  const paint = paintFor(environment.streams.stderr, environment.variables);
  const { proseWidth } = paint;
  const code = `(${error.code})`;
  const what = wrapped(`${printableLine(error.message)} ${code}`, proseWidth, 4).slice(0, -code.length);
  const lines = [`${paint.failed('vp:')} ${what}${paint.faint(code)}`];
  if (error.place) lines.push(`    ${printableLine(placeText(error.place))}`);
  lines.push(`    ${wrapped(printableLine(error.cure), proseWidth, 4)}`);
  lines.push(...(error.diagnostics ?? []).map((diagnostic) => diagnosticText(diagnostic, proseWidth)));
  if (error.detail) lines.push(paint.faint(error.detail.replaceAll(/^/gm, '    ')));
  return `${lines.join('\n')}\n`;
}

/** Tells what was thrown: JSON to standard output, or text to standard error. Returns the error it was taken for. */
export function tellError(thrown: unknown, how: { json: boolean; debug: boolean }, environment: Environment): VpError {
  const error = asVpError(thrown);
  const document = shown(error, how.debug);
  if (how.json) environment.streams.stdout.write(`${JSON.stringify(document)}\n`);
  else environment.streams.stderr.write(plainText(document, environment));
  return error;
}
