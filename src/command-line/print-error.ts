/** Prints the error of a command as text or JSON. */
import type { Environment } from '../environment/environment.ts';
import { nameProgram } from '../environment/running-binary.ts';
import { version } from '../environment/version.ts';
import { appendErrorCode } from '../errors/append-code.ts';
import { formatError, type SourceLocation, toVpError, type VpError } from '../errors/vp-error.ts';
import { escapeUnsafeLine } from '../report/escape-unsafe.ts';
import { wrapText } from '../report/text/wrap-text.ts';
import { paintFor } from '../terminal/paint.ts';

/** The last JSON document on standard output. */
export type ErrorDocument = {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly cure: string;
    readonly place?: SourceLocation;
    /** The individual problems, if the error has several. */
    readonly diagnostics?: readonly object[];
    /** Only at `--log-level debug`. */
    readonly detail?: string;
    readonly exit_code: number;
  };
};

const reportHint = `run it again with --log-level debug for details, and report them with the version, vp ${version}`;

/** Defects of ours are shown as INTERNAL, and private details at `--log-level debug` only. */
function toErrorDocument(error: VpError, debug: boolean, cure: string): ErrorDocument {
  const isPrivate = error.row.visibility === 'private';
  const { code, message } = error;
  const content = isPrivate ? { ...formatError('INTERNAL', {}), cure: reportHint } : { code, message, cure };
  const detail = debug ? [isPrivate ? error.message : '', error.detail ?? ''].filter(Boolean).join('\n') : '';
  return {
    error: {
      code: content.code,
      message: content.message,
      cure: content.cure,
      ...(error.location === undefined ? {} : { place: error.location }),
      ...(isPrivate || error.diagnostics.length === 0 ? {} : { diagnostics: error.diagnostics }),
      ...(detail === '' ? {} : { detail }),
      exit_code: error.row.exit,
    },
  };
}

function formatLocation({ file, line, column }: SourceLocation): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

/** The members that diagnostics of scenarios, configs and request bodies may have. */
type DiagnosticFields = {
  readonly message?: string;
  readonly cure?: string;
  readonly line?: number;
  readonly column?: number;
  readonly range?: { readonly start: { readonly line: number; readonly column: number } };
  readonly where?: string;
  readonly problem?: string;
};

function diagnosticText(diagnostic: DiagnosticFields, proseWidth: number): string {
  const { line, column } = diagnostic.range?.start ?? diagnostic;
  const location =
    line === undefined ? '' : `${formatLocation({ line, ...(column === undefined ? {} : { column }) })} `;
  const message = diagnostic.message ?? `${diagnostic.where} ${diagnostic.problem}`;
  const text = escapeUnsafeLine(`${location}${message}${diagnostic.cure === undefined ? '' : `: ${diagnostic.cure}`}`);
  return `    - ${wrapText(text, proseWidth, 6)}`;
}

function plainText({ error }: ErrorDocument, environment: Environment): string {
  const paint = paintFor(environment.streams.stderr, environment.variables);
  const { proseWidth } = paint;
  const headline = wrapText(appendErrorCode(escapeUnsafeLine(error.message), error.code), proseWidth, 4);
  const code = `${error.code})`;
  const lines = [`${paint.failed('vp:')} ${headline.slice(0, -code.length)}${paint.faint(code)}`];
  if (error.place) lines.push(`    ${escapeUnsafeLine(formatLocation(error.place))}`);
  lines.push(`    ${wrapText(escapeUnsafeLine(error.cure), proseWidth, 4)}`);
  const program = nameProgram(environment);
  if (program !== 'vp' && /`vp [a-z]/.test(error.cure))
    lines.push(paint.faint(`    (vp is not on PATH: type ${escapeUnsafeLine(program)})`));
  lines.push(...(error.diagnostics ?? []).map((diagnostic) => diagnosticText(diagnostic, proseWidth)));
  if (error.detail) lines.push(paint.faint(error.detail.replaceAll(/^/gm, '    ')));
  return `${lines.join('\n')}\n`;
}

/**
 * Writes what was thrown: JSON to standard output, or text to standard error. `cure` replaces its fix. Returns it as a
 * `VpError`.
 */
export function printError(
  thrown: unknown,
  mode: { json: boolean; debug: boolean },
  environment: Environment,
  cure?: string,
): VpError {
  const error = toVpError(thrown);
  const document = toErrorDocument(error, mode.debug, cure ?? error.cure);
  if (mode.json) environment.streams.stdout.write(`${JSON.stringify(document)}\n`);
  else environment.streams.stderr.write(plainText(document, environment));
  return error;
}
