/** Files of hurl: one file is one chain, whose last request is the trigger. */
import type {
  ImportedBody,
  ImportedCapture,
  ImportedPart,
  ImportedRequest,
  ImportedSource,
  ReportUntranslated,
  SourceFile,
} from '../imported.ts';
import { replaceBraces, toPlaceholderName } from '../placeholder-names.ts';
import { translateHurlAssert, translateHurlCapture } from './hurl-asserts.ts';
import { createBodyChecks } from './hurl-body-checks.ts';
import { type HurlEntry, type HurlLine, type HurlPart, parseHurl, stripComment } from './parse-hurl.ts';

/** Functions of hurl that a placeholder stands for. */
const functions: ReadonlyMap<string, string> = new Map([['newUuid', '${correlation_id}']]);

/** What the entries of one file share. `fill` replaces the variables whose value the file gives. */
type HurlFile = {
  readonly name: string;
  readonly report: ReportUntranslated;
  readonly fill: (text: string) => string;
  readonly variables: Map<string, string>;
};

export function importHurl(files: readonly SourceFile[], report: ReportUntranslated): ImportedSource['chains'] {
  return files.flatMap((file) => {
    const entries = parseHurl(file.text);
    if ('problem' in entries) {
      report(file.name, 'the file', entries.problem);
      return [];
    }
    const variables = new Map<string, string>();
    const fill = (text: string): string => replaceBraces(text, (name) => variables.get(name) ?? functions.get(name));
    const requests = entries.flatMap((entry) => toRequest(entry, { name: file.name, report, fill, variables }) ?? []);
    const trigger = requests.at(-1);
    if (!trigger) return [];
    const name = file.name.replace(/^.*[\\/]/, '').replace(/\.hurl$/i, '');
    return [{ name, tags: ['http', 'hurl'], steps: requests.slice(0, -1), trigger, cleanup: [] }];
  });
}

const getSection = ({ sections }: HurlPart, ...names: readonly string[]): readonly HurlLine[] =>
  names.flatMap((name) => sections.get(name) ?? []);

function toRequest(entry: HurlEntry, file: HurlFile): ImportedRequest | undefined {
  const { method, request, response, line } = entry;
  const label = `${file.name}:${line}`;
  const options = readOptions(request, file, label);
  if (options.get('skip') === 'true') return undefined;
  return {
    ...{
      label: `${method} ${entry.url.split('?', 1)[0]?.replace(/\/\/[^/]*@/, '//')}`.slice(0, 80),
      method,
      checks: readChecks(entry, options, file),
    },
    url: file.fill(entry.url) + readQuery(entry, file),
    headers: readHeaders(entry, file),
    body: readBody(request, label, file),
    captures: response ? readCaptures(response, file) : [],
    responses: [],
  };
}

const silentOptions: ReadonlySet<string> = new Set(
  'retry retry-interval skip verbose very-verbose color output verbosity variable user header'.split(' '),
);

/** Variables stay for the following entries. */
function readOptions(request: HurlPart, { variables, report }: HurlFile, label: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const { name, value } of getSection(request, 'options')) {
    const text = value.replace(/\s+#.*$/, '').trim();
    options.set(name, text);
    const [, variable = '', own = ''] = /^([\w-]+)\s*=\s*(.*)$/.exec(name === 'variable' ? text : '') ?? [];
    if (variable !== '') variables.set(variable, own.replace(/^"(.*)"$/, '$1'));
    if (silentOptions.has(name) || text === 'false') continue;
    const reason =
      name === 'location'
        ? 'redirects are not followed: the first response is judged'
        : 'a scenario has no such option';
    report(label, `the option ${name}: ${text}`.slice(0, 80), reason);
  }
  return options;
}

function encode(text: string, { fill }: HurlFile): string {
  return fill(text)
    .split(/(\$\{\w+\})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('');
}

function readQuery({ url, request }: HurlEntry, file: HurlFile): string {
  const pairs = getSection(request, 'query', 'querystringparams').map(
    ({ name, value }) => `${encode(name, file)}=${encode(value, file)}`,
  );
  return pairs.length === 0 ? '' : `${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

function readHeaders({ request, url }: HurlEntry, { fill }: HurlFile): ImportedRequest['headers'] {
  const own = request.headers.map(({ name, value }) => [fill(name), fill(value)] as const);
  const cookies = getSection(request, 'cookies').map(({ name, value }) => `${name}=${fill(value)}`);
  const more = getSection(request, 'options').flatMap(({ name, value }) => {
    const [, header, text = ''] = /^([^:]+):\s*(.*)$/.exec(name === 'header' ? stripComment(value) : '') ?? [];
    return header === undefined ? [] : [[fill(header), fill(text)] as const];
  });
  // Credentials are not written, so that it does not matter how they are given.
  const basic =
    getSection(request, 'basicauth').length > 0 ||
    getSection(request, 'options').some(({ name }) => name === 'user') ||
    /^[a-z]+:\/\/[^/?#]*@/i.test(url);
  const type = request.body?.kind === 'text' ? getDefaultType(request.body.language) : undefined;
  const hasType = own.some(([name]) => name.toLowerCase() === 'content-type');
  return [
    ...own,
    ...more,
    ...(type === undefined || hasType ? [] : [['Content-Type', type] as const]),
    ...(cookies.length === 0 ? [] : [['Cookie', cookies.join('; ')] as const]),
    ...(basic ? [['Authorization', 'Basic ${BASIC_CREDENTIALS}'] as const] : []),
  ];
}

function getDefaultType(language: string): string | undefined {
  return { json: 'application/json', xml: 'application/xml', '': 'text/plain' }[language];
}

function readBody(request: HurlPart, label: string, { fill, report, name }: HurlFile): ImportedBody | undefined {
  const fields = getSection(request, 'form', 'formparams');
  if (fields.length > 0)
    return { kind: 'form', fields: fields.map(({ name, value }) => [fill(name), fill(value)] as const) };
  const parts = getSection(request, 'multipart', 'multipartformdata');
  if (parts.length > 0) return { kind: 'multipart', parts: parts.map((part) => readPart(part, fill, name)) };
  const { body } = request;
  if (body === undefined) return undefined;
  if (body.kind === 'reference') {
    report(label, body.text.slice(0, 80), 'the body is not in the file: write it below the header lines');
    return undefined;
  }
  if (body.language === 'graphql') {
    const [query = '', variables = ''] = body.text.split(/^\s*variables\s*(?=\{)/m);
    return { kind: 'graphql', query: query.trim(), variables: fill(variables) };
  }
  return { kind: 'text', text: fill(body.text) };
}

/** `file,photo.png; image/png` is a file; its path is relative to the file of hurl. */
function readPart({ name, value }: HurlLine, fill: HurlFile['fill'], source: string): ImportedPart {
  const [, path, type] = /^file,((?:\\.|[^;])*);\s*(.*)$/.exec(value) ?? [];
  if (path === undefined) return { name: fill(name), value: fill(stripComment(value)), source };
  const own = stripComment(type ?? '');
  return { name: fill(name), path: fill(path.replaceAll(/\\(.)/g, '$1').trim()), type: own || undefined, source };
}

/** The status, the headers that must come back, and the asserts; `retry` makes the last one an `until`. */
function readChecks(
  { response, line: entryLine }: HurlEntry,
  options: ReadonlyMap<string, string>,
  file: HurlFile,
): readonly string[] {
  if (!response) return [];
  const { name: fileName, report, fill } = file;
  const checks: string[] = response.status === '*' ? [] : [`status=${response.status}`];
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

function readCaptures(response: HurlPart, { name: fileName, report }: HurlFile): readonly ImportedCapture[] {
  return getSection(response, 'captures').flatMap(({ name, value, text, line }) => {
    const translated = translateHurlCapture(value);
    if ('source' in translated) return [{ name: toPlaceholderName(name), source: translated.source }];
    report(`${fileName}:${line}`, text, translated.reason);
    return [];
  });
}
