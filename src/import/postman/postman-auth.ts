/** The `auth` of a collection, folder or request → header lines or parameters of the query. */
import type { Json } from '../../check/json/json.ts';
import type { HeaderLines } from '../imported.ts';
import { getMember, getText, listItems } from '../members.ts';

export type ImportedAuth =
  | { readonly headers: HeaderLines; readonly query: readonly string[] }
  | { readonly reason: string };

const none: ImportedAuth = { headers: [], query: [] };

/** Version 2.1 has lists of `{key, value}`, version 2.0 objects. */
function readParameter(auth: Json, type: string, name: string): string {
  const value = getMember(auth, type);
  const entry = listItems(value).find((each) => getText(each, 'key') === name);
  return entry === undefined ? getText(value, name) : getText(entry, 'value');
}

export function readPostmanAuth(auth: Json | undefined, replace: (text: string) => string): ImportedAuth {
  const type = getText(auth, 'type');
  if (auth === undefined || type === '' || type === 'noauth') return none;
  const read = (name: string): string => replace(readParameter(auth, type, name));
  switch (type) {
    case 'bearer':
      return { headers: [['Authorization', `Bearer ${read('token') || '${ACCESS_TOKEN}'}`]], query: [] };
    case 'oauth2':
      return { headers: [['Authorization', `Bearer ${read('accessToken') || '${ACCESS_TOKEN}'}`]], query: [] };
    case 'basic':
      // Base64 of a placeholder would not be replaced: the whole value is one variable.
      return { headers: [['Authorization', 'Basic ${BASIC_CREDENTIALS}']], query: [] };
    case 'apikey': {
      const [name, value] = [read('key') || 'X-Api-Key', read('value') || '${API_KEY}'];
      return read('in') === 'query'
        ? { headers: [], query: [`${name}=${value}`] }
        : { headers: [[name, value]], query: [] };
    }
    default:
      return { reason: `${type} is computed for each request, and a scenario runs no code` };
  }
}
