/** Collections of Bruno: a folder of `.bru` files, read by Bruno's own parser. */
import { isObjectValue, type Json } from '../../check/json/json.ts';
import { listSteps } from '../chain-requests.ts';
import type {
  HeaderLines,
  ImportedCapture,
  ImportedRequest,
  ImportedSource,
  ReportUntranslated,
  SourceFile,
} from '../imported.ts';
import { getMember, getText } from '../members.ts';
import { replaceBraces } from '../placeholder-names.ts';
import { toTag } from '../postman/import-postman.ts';
import { readScript, toCaptureSource } from '../script-lines.ts';
import { translateBrunoAssertion } from './bruno-assertions.ts';
import { listEnabled, readBrunoAuth, readBrunoBody } from './bruno-parts.ts';

type BrunoParsers = { readonly parseRequest: (text: string) => Json; readonly parseCollection: (text: string) => Json };

/** Settings of the collection and of folders, which requests inherit. */
type Inherited = {
  readonly headers: HeaderLines;
  readonly auth: Json | undefined;
  readonly variables: ReadonlyMap<string, string>;
};

type BrunoRequest = ImportedRequest & { readonly name: string; readonly folder: string; readonly position: number };

async function loadParsers(): Promise<BrunoParsers> {
  const { bruToJsonV2, collectionBruToJson } = await import('@usebruno/lang');
  // A round trip through JSON leaves nothing but JSON.
  const toJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));
  return {
    parseRequest: (text) => toJson(bruToJsonV2(text)),
    parseCollection: (text) => toJson(collectionBruToJson(text)),
  };
}

export async function importBruno(
  files: readonly SourceFile[],
  report: ReportUntranslated,
): Promise<ImportedSource['chains']> {
  const parsers = await loadParsers();
  const inherited = readInherited(files, parsers, report);
  const requests = files
    .filter(
      ({ name }) => /\.bru$/i.test(name) && !/(?:^|\/)(?:environments\/|collection\.bru$|folder\.bru$)/.test(name),
    )
    .flatMap((file) => readFile(file, parsers, inherited, report) ?? [])
    .sort((a, b) => compareTexts(a.folder, b.folder) || a.position - b.position);
  if (requests.length === 0) report('the source', 'the folder', 'it has no requests in `.bru` files');
  return requests.map((trigger, index) => ({
    name: trigger.name,
    tags: ['http', toTag(trigger.folder.split('/', 1)[0] ?? '')].filter(Boolean),
    steps: listSteps(requests, index),
    trigger,
    cleanup: [],
  }));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function readInherited(files: readonly SourceFile[], parsers: BrunoParsers, report: ReportUntranslated): Inherited {
  const file = files.find(({ name }) => name === 'collection.bru');
  const none: Inherited = { headers: [], auth: undefined, variables: new Map() };
  if (!file) return none;
  try {
    const collection = parsers.parseCollection(file.text);
    const variables = listEnabled(getMember(collection, 'vars', 'req')).map(
      (each) => [getText(each, 'name'), getText(each, 'value')] as const,
    );
    const headers = listEnabled(getMember(collection, 'headers')).map(
      (each) => [getText(each, 'name'), replaceBraces(getText(each, 'value'))] as const,
    );
    return {
      headers,
      auth: getMember(collection, 'auth'),
      variables: new Map(variables.filter(([name]) => !sensitiveName.test(name))),
    };
  } catch (error) {
    report(file.name, 'the file', `Bruno’s parser refuses it: ${firstLine(error)}`);
    return none;
  }
}

const sensitiveName = /token|secret|passw|api[-_]?key|credential/i;

function firstLine(error: unknown): string {
  return (
    String(error instanceof Error ? error.message : error)
      .split('\n', 1)[0]
      ?.slice(0, 120) ?? ''
  );
}

function readFile(
  file: SourceFile,
  parsers: BrunoParsers,
  inherited: Inherited,
  report: ReportUntranslated,
): BrunoRequest | undefined {
  let value: Json;
  try {
    value = parsers.parseRequest(file.text);
  } catch (error) {
    report(file.name, 'the file', `Bruno’s parser refuses it: ${firstLine(error)}`);
    return undefined;
  }
  if (getMember(value, 'http') === undefined || !isObjectValue(value)) {
    report(
      file.name,
      'the file',
      `a request of the type ${getText(value, 'meta', 'type') || 'unknown'} is not imported`,
    );
    return undefined;
  }
  const own = new Map(
    listEnabled(getMember(value, 'vars', 'req')).map(
      (each) => [getText(each, 'name'), getText(each, 'value')] as const,
    ),
  );
  const replace = (text: string): string =>
    replaceBraces(text, (name) => {
      const known = own.get(name) ?? inherited.variables.get(name);
      if (name.startsWith('$')) return '${correlation_id}';
      return known === undefined ? undefined : replaceBraces(known);
    });
  return toRequest(value, file.name, inherited, replace, report);
}

function toRequest(
  value: Json,
  file: string,
  inherited: Inherited,
  replace: (text: string) => string,
  report: ReportUntranslated,
): BrunoRequest | undefined {
  const name = getText(value, 'meta', 'name') || file;
  const body = readBrunoBody(getMember(value, 'body'), getText(value, 'http', 'body'), replace, file);
  if (body && 'reason' in body) {
    report(file, 'the request', body.reason);
    return undefined;
  }
  const mode = getText(value, 'http', 'auth');
  const auth = readBrunoAuth(
    mode === 'inherit' ? getText(inherited.auth, 'mode') : mode,
    mode === 'inherit' ? inherited.auth : getMember(value, 'auth'),
    replace,
  );
  if ('reason' in auth) report(file, 'its authentication', auth.reason);
  const script = [getText(value, 'script', 'res'), getText(value, 'tests')].join('\n');
  if (getText(value, 'script', 'req') !== '')
    report(file, 'its pre-request script', 'a scenario runs no code: write what it prepares as STEPS');
  const read = readScript(script, file, report);
  const headers = listEnabled(getMember(value, 'headers')).map(
    (each) => [getText(each, 'name'), replace(getText(each, 'value'))] as const,
  );
  const hasType = headers.some(([header]) => header.toLowerCase() === 'content-type');
  const own = [...headers, ...(body?.type === undefined || hasType ? [] : [['Content-Type', body.type] as const])];
  const names = new Set(own.map(([header]) => header.toLowerCase()));
  return {
    ...{
      label: `${file.replace(/\.bru$/i, '')}`,
      name,
      folder: file.includes('/') ? file.replace(/\/[^/]*$/, '') : '',
    },
    position: Number(getText(value, 'meta', 'seq')) || 0,
    method: getText(value, 'http', 'method').toUpperCase(),
    url: readUrl(value, replace),
    headers: [
      ...own,
      ...inherited.headers.filter(([header]) => !names.has(header.toLowerCase())),
      ...('reason' in auth ? [] : auth.headers),
    ],
    body: body?.body,
    checks: [...new Set([...readAssertions(value, file, report), ...read.checks])],
    captures: [...readVariables(value, file, report), ...read.captures],
    responses: [],
  };
}

function readUrl(value: Json, replace: (text: string) => string): string {
  const params = new Map(
    listEnabled(getMember(value, 'params')).flatMap((each) =>
      getText(each, 'type') === 'path' ? [[getText(each, 'name'), getText(each, 'value')] as const] : [],
    ),
  );
  const url = getText(value, 'http', 'url');
  const [plain = '', ...query] = url.split('?');
  const path = plain.replaceAll(/(?<=\/):([\w-]+)/g, (_, name: string) => params.get(name) || `{{${name}}}`);
  return replace([path, ...query].join('?'));
}

function readAssertions(value: Json, file: string, report: ReportUntranslated): readonly string[] {
  return listEnabled(getMember(value, 'assertions')).flatMap((each) => {
    const [expression, test] = [getText(each, 'name'), getText(each, 'value')];
    const translated = translateBrunoAssertion(expression, test);
    if ('check' in translated) return [translated.check];
    report(file, `${expression}: ${test}`, translated.reason);
    return [];
  });
}

/** `vars:post-response`. */
function readVariables(value: Json, file: string, report: ReportUntranslated): readonly ImportedCapture[] {
  return listEnabled(getMember(value, 'vars', 'res')).flatMap((each) => {
    const [name, expression] = [getText(each, 'name'), getText(each, 'value')];
    const header = /^res\.headers(?:\.([\w-]+)|\[['"]([\w-]+)['"]\])$/.exec(expression);
    const path = /^res\.(?:body|getBody\(\))((?:\.\w+|\[\d+\]|\[['"][^'"]+['"]\])*)$/.exec(expression)?.[1];
    const source = header
      ? `header ${header[1] ?? header[2]}`
      : expression === 'res.status'
        ? 'status'
        : toCaptureSource(path);
    if (source !== undefined) return [{ name: replaceBraces(`{{${name}}}`).slice(2, -1), source }];
    report(file, `${name}: ${expression}`, 'a capture takes one value of the JSON body, a header or the status');
    return [];
  });
}
