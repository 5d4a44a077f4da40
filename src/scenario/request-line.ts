/** `<METHOD> ${INGESTION_URL}<path>` */
import { suggestion } from '../errors/suggestion.ts';
import { type Piece, trimmed } from './blocks.ts';
import { listed } from './listed.ts';
import { type Method, methods, type Template } from './scenario.ts';
import { readTemplate, type TemplateContext } from './template.ts';

/** What the line says; undefined parts were reported. */
export type RequestLine = { readonly method: Method | undefined; readonly path: Template | undefined };

/** Stands at the beginning of every URL of a scenario. */
const base = '${INGESTION_URL}';
/** Another placeholder in its place, one as in other languages, or an address of its own. */
const baseMeant = /^(?:\$\{[^/}]*\}?|\{+[^/}]*\}+|\$\w+|<[^/>]*>|[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*)/i;
const pathForm = /^[!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z|~]*$/;

function isMethod(word: string): word is Method {
  return methods.some((method) => method === word);
}

/** True for a line that begins as a request does. */
export function looksLikeRequest(text: string): boolean {
  return isMethod(/^[A-Za-z]+(?=\s)/.exec(text)?.[0].toUpperCase() ?? '') && /\s\$\{|\s\/|\shttps?:/.test(text);
}

function readMethod({ text, start }: Piece, context: TemplateContext): Method | undefined {
  if (isMethod(text)) return text;
  const near = suggestion(text, methods);
  const cure = near === undefined ? `the methods are ${listed(methods)}` : `did you mean \`${near}\`?`;
  context.report('SCENARIO_METHOD_UNKNOWN', start, start + text.length, { method: text, cure });
  return undefined;
}

function reportUrl({ text, start }: Piece, { report }: TemplateContext): void {
  const path = text.replace(baseMeant, '').replace(/^\/*/, '/');
  const right = path.length > 200 || /\s/.test(path) ? `${base}/…` : base + path;
  report('SCENARIO_URL_INVALID', start, start + text.length, { right });
}

/** The first character no path may hold, outside placeholders. */
function reportPathSigns({ text, start }: Piece, { report }: TemplateContext): boolean {
  const bare = text.replaceAll(/\$\{[^${}]*\}?/g, (whole) => '_'.repeat(whole.length));
  if (pathForm.test(bare)) return true;
  const at = [...bare].findIndex((sign) => !pathForm.test(sign));
  const offset = [...bare].slice(0, at).join('').length;
  const sign = [...bare][at] ?? '';
  report('SCENARIO_PATH_INVALID', start + offset, start + offset + sign.length, {
    sign: sign.trim() === '' ? 'a space' : `\`${sign}\``,
    encoded: encodeURIComponent(sign.toWellFormed()),
  });
  return false;
}

function readPath(target: Piece, context: TemplateContext): Template | undefined {
  const path = { text: target.text.slice(base.length), start: target.start + base.length };
  if (!target.text.startsWith(base) || !path.text.startsWith('/')) {
    reportUrl(target, context);
    return undefined;
  }
  const template = readTemplate([path], context);
  return reportPathSigns(path, context) ? template : undefined;
}

/** Without the protocol version that request lines have on the wire. */
function withoutVersion(text: string): string {
  const version = /\sHTTP\/\d(?:\.\d)?$/.exec(text);
  return version === null ? text : text.slice(0, version.index).trimEnd();
}

/** Reads the line; a protocol version at its end is ignored. */
export function readRequestLine(line: Piece, context: TemplateContext): RequestLine {
  const found = /^(\S+)(\s+)(\S.*)$/.exec(withoutVersion(line.text));
  const [, word = '', space = '', target = ''] = found ?? [];
  const readable = /^[A-Z]+$/.test(word) || suggestion(word, methods) !== undefined || target.startsWith(base);
  if (found === null || !readable) {
    context.report('SCENARIO_REQUEST_LINE_INVALID', line.start, line.start + line.text.length, {
      line: line.text.slice(0, 100),
    });
    return { method: undefined, path: undefined };
  }
  const targetPiece = trimmed(target, line.start + word.length + space.length);
  return { method: readMethod({ text: word, start: line.start }, context), path: readPath(targetPiece, context) };
}
