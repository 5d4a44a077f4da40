/** The body and the credentials of a request of Bruno. */
import type { Json } from '../../check/json/json.ts';
import type { HeaderLines, ImportedBody, ImportedPart } from '../imported.ts';
import { getMember, getText, listItems, toObject } from '../members.ts';

export function listEnabled(value: Json | undefined): readonly Json[] {
  return listItems(value).filter((each) => getMember(each, 'enabled') !== false);
}

type BrunoBody =
  | { readonly body: ImportedBody; readonly type: string | undefined }
  | { readonly reason: string }
  | undefined;

const bodyTypes: Readonly<Record<string, readonly [member: string, type: string]>> = {
  json: ['json', 'application/json'],
  text: ['text', 'text/plain'],
  xml: ['xml', 'application/xml'],
  sparql: ['sparql', 'application/sparql-query'],
};

export function readBrunoBody(
  body: Json | undefined,
  mode: string,
  replace: (text: string) => string,
  source: string,
): BrunoBody {
  if (mode === '' || mode === 'none') return undefined;
  const plain = bodyTypes[mode];
  if (plain) return { body: { kind: 'text', text: replace(getText(body, plain[0])) }, type: plain[1] };
  if (mode === 'formUrlEncoded' || mode === 'form-urlencoded') {
    const fields = listEnabled(getMember(body, 'formUrlEncoded')).map(
      (each) => [getText(each, 'name'), replace(getText(each, 'value'))] as const,
    );
    return { body: { kind: 'form', fields }, type: undefined };
  }
  if (mode === 'graphql') {
    const [query, variables] = [getText(body, 'graphql', 'query'), replace(getText(body, 'graphql', 'variables'))];
    return { body: { kind: 'graphql', query, variables }, type: undefined };
  }
  if (/^multipart-?form$/i.test(mode)) {
    const parts = listEnabled(getMember(body, 'multipartForm')).flatMap((each) => readPart(each, replace, source));
    return parts.length === 0 ? undefined : { body: { kind: 'multipart', parts }, type: undefined };
  }
  return { reason: `a body of the mode ${mode} is not imported` };
}

function readPart(field: Json, replace: (text: string) => string, source: string): readonly ImportedPart[] {
  const name = replace(getText(field, 'name'));
  if (getText(field, 'type') !== 'file') return [{ name, value: replace(getText(field, 'value')), source }];
  const type = getText(field, 'contentType') || undefined;
  const paths = listItems(getMember(field, 'value')).map((path) => getText(path));
  return (paths.length > 0 ? paths : ['']).map((path) => ({ name, path: replace(path), type, source }));
}

export function readBrunoAuth(
  mode: string,
  auth: Json | undefined,
  replace: (text: string) => string,
): { readonly headers: HeaderLines } | { readonly reason: string } {
  const read = (...keys: readonly string[]): string => replace(getText(auth, mode, ...keys));
  if (mode === '' || mode === 'none' || mode === 'inherit') return { headers: [] };
  if (mode === 'bearer') return { headers: [['Authorization', `Bearer ${read('token') || '${ACCESS_TOKEN}'}`]] };
  if (mode === 'basic') return { headers: [['Authorization', 'Basic ${BASIC_CREDENTIALS}']] };
  const key = toObject(getMember(auth, 'apikey'));
  if (mode === 'apikey' && getText(key.placement) !== 'queryparams')
    return { headers: [[replace(getText(key.key)) || 'X-Api-Key', replace(getText(key.value)) || '${API_KEY}']] };
  return { reason: `${mode} is computed for each request, and a scenario runs no code` };
}
