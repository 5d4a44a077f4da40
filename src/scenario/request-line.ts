/** `<METHOD> ${INGESTION_URL}<path>` */
import { findSuggestion } from '../errors/suggestion.ts';
import { type LinePiece, trimPiece } from './blocks.ts';
import { formatList } from './format-list.ts';
import { httpMethods, type Method, type Template } from './scenario.ts';
import { readTemplate, type TemplateContext } from './template.ts';

/** Parts of the line; a problem was reported for each undefined one. */
export type RequestLine = { readonly method: Method | undefined; readonly path: Template | undefined };

/** Every URL of a scenario starts with it. */
const base = '${INGESTION_URL}';
/** Matches a different placeholder, placeholder syntax of other languages, or a complete address instead of it. */
const misspelledBase = /^(?:\$\{[^/}]*\}?|\{+[^/}]*\}+|\$\w+|<[^/>]*>|[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*)/i;
const pathForm = /^[!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z|~]*$/;

function isMethod(word: string): word is Method {
  return httpMethods.some((method) => method === word);
}

/** True for a line that starts like a request line. */
export function looksLikeRequest(text: string): boolean {
  if (/^CALL\s+[a-z0-9-]+__\S/.test(text) || /^GRPC\s+[\w.]+\/\w/.test(text)) return true;
  return isMethod(/^[A-Za-z]+(?=\s)/.exec(text)?.[0].toUpperCase() ?? '') && /\s\$\{|\s\/|\shttps?:/.test(text);
}

function readMethod({ text, start }: LinePiece, context: TemplateContext): Method | undefined {
  if (isMethod(text)) return text;
  const near = findSuggestion(text, httpMethods);
  const cure = near === undefined ? `the methods are ${formatList(httpMethods)}` : `did you mean \`${near}\`?`;
  context.report('SCENARIO_METHOD_UNKNOWN', start, start + text.length, { method: text, cure });
  return undefined;
}

function reportUrl({ text, start }: LinePiece, { report }: TemplateContext): void {
  const path = text.replace(misspelledBase, '').replace(/^\/*/, '/');
  const right = path.length > 200 || /\s/.test(path) ? `${base}/…` : base + path;
  report('SCENARIO_URL_INVALID', start, start + text.length, { right });
}

/** The first character outside placeholders that is not allowed in a path. */
function reportPathSigns({ text, start }: LinePiece, { report }: TemplateContext): boolean {
  const bare = text.replaceAll(/\$\{[^${}]*\}?/g, (placeholder) => '_'.repeat(placeholder.length));
  if (pathForm.test(bare)) return true;
  const index = [...bare].findIndex((sign) => !pathForm.test(sign));
  const offset = [...bare].slice(0, index).join('').length;
  const sign = [...bare][index] ?? '';
  report('SCENARIO_PATH_INVALID', start + offset, start + offset + sign.length, {
    sign: sign.trim() === '' ? 'a space' : `\`${sign}\``,
    encoded: encodeURIComponent(sign.toWellFormed()),
  });
  return false;
}

function readPath(target: LinePiece, context: TemplateContext): Template | undefined {
  const path = { text: target.text.slice(base.length), start: target.start + base.length };
  if (!target.text.startsWith(base) || !path.text.startsWith('/')) {
    reportUrl(target, context);
    return undefined;
  }
  const template = readTemplate([path], context);
  return reportPathSigns(path, context) ? template : undefined;
}

/** Removes the protocol version that request lines have on the wire. */
function withoutVersion(text: string): string {
  const version = /\sHTTP\/\d(?:\.\d)?$/.exec(text);
  return version === null ? text : text.slice(0, version.index).trimEnd();
}

/** Reads the line; a protocol version at its end is ignored. */
export function readRequestLine(line: LinePiece, context: TemplateContext): RequestLine {
  const match = /^(\S+)(\s+)(\S.*)$/.exec(withoutVersion(line.text));
  const [, word = '', space = '', target = ''] = match ?? [];
  const readable = /^[A-Z]+$/.test(word) || findSuggestion(word, httpMethods) !== undefined || target.startsWith(base);
  if (match === null || !readable) {
    context.report('SCENARIO_REQUEST_LINE_INVALID', line.start, line.start + line.text.length, {
      line: line.text.slice(0, 100),
    });
    return { method: undefined, path: undefined };
  }
  const targetPiece = trimPiece(target, line.start + word.length + space.length);
  return { method: readMethod({ text: word, start: line.start }, context), path: readPath(targetPiece, context) };
}
