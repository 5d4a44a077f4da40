/** Files of hurl: one file is one chain, whose last request is the trigger. */
import type {
  ImportedBody,
  ImportedPart,
  ImportedRequest,
  ImportedSource,
  ReportUntranslated,
  SourceFile,
} from '../imported.ts';
import { escapeLiterals, replaceBraces } from '../placeholder-names.ts';
import { getSection, type HurlFile } from './hurl-file.ts';
import { readHurlCaptures, readHurlChecks } from './hurl-response.ts';
import { type HurlEntry, type HurlLine, type HurlPart, parseHurl, stripComment } from './parse-hurl.ts';
import { decodeWrittenBytes } from './written-bytes.ts';

/** Functions of hurl that a placeholder stands for. */
const functions: ReadonlyMap<string, string> = new Map([['newUuid', '${correlation_id}']]);

export function importHurl(files: readonly SourceFile[], report: ReportUntranslated): ImportedSource['chains'] {
  return files.flatMap((file) => {
    const entries = parseHurl(file.text);
    if ('problem' in entries) {
      report(file.name, 'the file', entries.problem);
      return [];
    }
    if (entries.length === 0) report(file.name, 'the file', 'it has no request');
    const variables = new Map<string, string>();
    const fill = (text: string): string => replaceBraces(text, (name) => variables.get(name) ?? functions.get(name));
    const requests = entries.flatMap((entry) => toRequest(entry, { name: file.name, report, fill, variables }) ?? []);
    const trigger = requests.at(-1);
    if (!trigger) return [];
    const name = file.name.replace(/^.*[\\/]/, '').replace(/\.hurl$/i, '');
    return [{ name, tags: ['http', 'hurl'], steps: requests.slice(0, -1), trigger, cleanup: [] }];
  });
}

function toRequest(entry: HurlEntry, file: HurlFile): ImportedRequest | undefined {
  const { method, request, response, line } = entry;
  const label = `${file.name}:${line}`;
  const options = readOptions(request, file, label);
  if (options.get('skip') === 'true') {
    file.report(label, 'the request', 'it has the option `skip`, with which it is not sent');
    return undefined;
  }
  reportMisplaced(entry, file);
  return {
    ...{
      label: `${method} ${entry.url.split('?', 1)[0]?.replace(/\/\/[^/]*@/, '//')}`.slice(0, 80),
      method,
      checks: readHurlChecks(entry, options, file),
    },
    url: file.fill(entry.url) + readQuery(entry, file),
    headers: readHeaders(entry, file),
    body: readBody(request, label, file),
    captures: response ? readHurlCaptures(response, file) : [],
    responses: [],
    isWritten: true,
  };
}

const responseSections: ReadonlySet<string> = new Set(['captures', 'asserts']);

/** Nothing is lost in silence: not even what hurl refuses itself. */
function reportMisplaced({ request, response }: HurlEntry, { name, report }: HurlFile): void {
  const parts = [request, ...(response ? [response] : [])];
  for (const part of parts)
    for (const [section, lines] of part.sections) {
      const isPlaced = responseSections.has(section) === (part !== request);
      for (const { text, line } of isPlaced ? [] : lines)
        report(`${name}:${line}`, text.slice(0, 200), `hurl refuses the section ${section} there`);
    }
}

const usedOptions: ReadonlySet<string> = new Set('retry retry-interval skip variable user header'.split(' '));
const display = 'it changes what hurl displays, not what it tests';
const optionNotes: Readonly<Record<string, string>> = {
  location: 'redirects are not followed: the first response is judged',
  'location-trusted': 'redirects are not followed: the first response is judged',
  output: 'the response is written to no file: the report of a run has it',
  verbose: display,
  'very-verbose': display,
  verbosity: display,
  color: display,
};

/** Variables stay for the following entries. */
function readOptions(request: HurlPart, { variables, report }: HurlFile, label: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const { name, value } of getSection(request, 'options')) {
    const text = value.replace(/\s+#.*$/, '').trim();
    options.set(name, text);
    const [, variable = '', own = ''] = /^([\w-]+)\s*=\s*(.*)$/.exec(name === 'variable' ? text : '') ?? [];
    if (variable !== '') variables.set(variable, own.replace(/^"(.*)"$/, '$1'));
    if (usedOptions.has(name) || text === 'false') continue;
    report(label, `the option ${name}: ${text}`.slice(0, 80), optionNotes[name] ?? 'a scenario has no such option');
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
    const text = decodeWrittenBytes(body.text);
    if (text !== undefined) return { kind: 'text', text: escapeLiterals(text) };
    const isFile = body.text.startsWith('file,');
    const reason = isFile ? 'the body is not in the file: write it below the header lines' : 'a body is sent as text';
    report(label, body.text.slice(0, 80), reason);
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
