/** What an entry expects of its response, as checks, and what it takes from it, as captures. */
import type { ImportedCapture } from '../imported.ts';
import { toPlaceholderName } from '../placeholder-names.ts';
import { translateHurlAssert, translateHurlCapture } from './hurl-asserts.ts';
import { createBodyChecks } from './hurl-body-checks.ts';
import { getSection, type HurlFile } from './hurl-file.ts';
import { type HurlEntry, type HurlLine, type HurlPart, stripComment } from './parse-hurl.ts';

/** The status, the headers that must come back, and the asserts; `retry` makes the last one an `until`. */
export function readHurlChecks(
  { response, line: entryLine }: HurlEntry,
  options: ReadonlyMap<string, string>,
  file: HurlFile,
): readonly string[] {
  if (!response) return [];
  const { name: fileName, report, fill } = file;
  const checks: string[] = response.status === '*' ? [] : [`status=${response.status}`];
  if (response.version !== undefined)
    report(`${fileName}:${entryLine}`, `HTTP/${response.version}`, 'no check reads the version of HTTP');
  checks.push(...readHeaderChecks(response.headers, fill));
  const captured = new Map(getSection(response, 'captures').map(({ name, value }) => [name, stripComment(value)]));
  for (const { text, line } of getSection(response, 'asserts')) {
    const translated = translateHurlAssert(resolveVariable(text, captured), fill);
    if ('check' in translated) checks.push(translated.check);
    else report(`${fileName}:${line}`, text, translated.reason);
  }
  if (response.body) {
    const { checks: own, note } = createBodyChecks(response.body, fill);
    checks.push(...own);
    if (note !== undefined) report(`${fileName}:${entryLine}`, 'the whole body of the response', note);
  }
  if (options.has('retry') && checks.length === 0)
    report(`${fileName}:${entryLine}`, 'the option retry', 'the response has no check to wait for');
  return withUntil([...new Set(checks)], options);
}

/** `variable "id" == 3` looks at what the same request captured as `id`. */
function resolveVariable(text: string, captured: ReadonlyMap<string, string>): string {
  const [whole = '', name = ''] = /^variable\s+"([^"]+)"/.exec(text) ?? [];
  const query = captured.get(name)?.replace(/\s+redact$/, '');
  return query === undefined ? text : `${query}${text.slice(whole.length)}`;
}

/** A name that stands there twice is among the values of that header; cookies have checks of their own. */
function readHeaderChecks(headers: readonly HurlLine[], fill: HurlFile['fill']): readonly string[] {
  return headers.map(({ name, value }) => {
    const isRepeated = headers.filter((each) => each.name.toLowerCase() === name.toLowerCase()).length > 1;
    const [, cookie = '', text = ''] =
      /^([^=;\s]+)=([^;]*)/.exec(name.toLowerCase() === 'set-cookie' ? value : '') ?? [];
    if (cookie !== '') return `cookie ${cookie} equals ${fill(text)}`;
    return `header ${name} ${isRepeated ? 'containing' : 'equals'} ${fill(value)}`;
  });
}

/** `retry` and `retry-interval` of hurl: the request is sent again until its asserts hold. */
function withUntil(checks: readonly string[], options: ReadonlyMap<string, string>): readonly string[] {
  const retries = Number(options.get('retry') ?? 0);
  const last = checks.findLast((check) => !check.startsWith('status=')) ?? checks.at(-1);
  if (!Number.isInteger(retries) || retries === 0 || last === undefined) return checks;
  const intervalMs = toMs(options.get('retry-interval') ?? '1000');
  const withinS = retries < 0 ? 600 : Math.min(600, Math.max(1, Math.ceil((retries * intervalMs) / 1000)));
  const everyMs = Math.min(60_000, Math.max(50, Math.min(intervalMs, withinS * 1000)));
  return checks.map((check) => (check === last ? `until ${check} within ${withinS}s every ${everyMs}ms` : check));
}

function toMs(text: string): number {
  const [, number = '1000', unit = 'ms'] = /^(\d+)(ms|s|m)?$/.exec(text.trim()) ?? [];
  return Number(number) * (unit === 'm' ? 60_000 : unit === 's' ? 1000 : 1);
}

export function readHurlCaptures(response: HurlPart, { name: fileName, report }: HurlFile): readonly ImportedCapture[] {
  return getSection(response, 'captures').flatMap(({ name, value, text, line }) => {
    const translated = translateHurlCapture(value);
    const captureName = toPlaceholderName(name);
    if ('source' in translated && /\sredact$/.test(stripComment(value)))
      report(
        `${fileName}:${line}`,
        'redact',
        `name \`${captureName}\` in \`scenarios.redacted_captures\` of the config`,
      );
    if ('source' in translated) return [{ name: captureName, source: translated.source }];
    report(`${fileName}:${line}`, text, translated.reason);
    return [];
  });
}
