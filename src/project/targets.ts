/** The section `targets`: where the target answers, its database, and how to authenticate. */
import { isLocalHost, parseBaseUrl } from './base-url.ts';
import type { Draft } from './draft.ts';
import { parseJdbcUrl } from './jdbc-url.ts';
import { type OnProblem, problemOf } from './problem.ts';
import type { BearerAuth, DatabaseTarget, HttpTarget } from './project-config.ts';
import { dottedOf } from './yaml-tree.ts';

const baseUrlAt = '/targets/http/base_url';
const jdbcUrlAt = '/targets/database/jdbc_url';
const exampleUrl = 'http://app:3100';

/** `targets.http`. */
export function readHttp(draft: Draft): HttpTarget | undefined {
  const text = draft.text(baseUrlAt);
  if (text === undefined) return undefined;
  const key = dottedOf(baseUrlAt);
  const url = parseBaseUrl(text);
  if ('problem' in url) {
    draft.ledger.tell('CONFIG_BASE_URL_INVALID', baseUrlAt, { key, problem: url.problem, example: exampleUrl });
    return undefined;
  }
  const { baseUrl, host, dropped } = url;
  if (dropped !== '') draft.ledger.tell('CONFIG_BASE_URL_PATH', baseUrlAt, pathWords(key, baseUrl, dropped));
  warnIfLocal(draft, baseUrlAt, host, `${new URL(baseUrl).protocol}//<service>:<port>`);
  return { baseUrl, baseUrlFrom: 'config' };
}

/** A base URL named on the command line instead of the file's; it is meant for this machine. */
export function readBaseUrlFlag(text: string, onProblem: OnProblem): HttpTarget | undefined {
  const key = '--base-url';
  const url = parseBaseUrl(text);
  if ('problem' in url) {
    const values = { key, problem: url.problem, example: 'http://localhost:3200' };
    onProblem(problemOf('CONFIG_BASE_URL_INVALID', { file: key }, values));
    return undefined;
  }
  const { baseUrl, dropped } = url;
  if (dropped !== '') onProblem(problemOf('CONFIG_BASE_URL_PATH', { file: key }, pathWords(key, baseUrl, dropped)));
  return { baseUrl, baseUrlFrom: 'flag' };
}

/** `targets.database`; undefined when there is none. */
export function readDatabase(draft: Draft): DatabaseTarget | undefined {
  const password = draft.secret('/targets/database/password');
  const username = draft.text('/targets/database/username');
  const text = draft.text(jdbcUrlAt);
  if (text === undefined) return undefined;
  const url = parseJdbcUrl(text);
  if ('problem' in url) {
    draft.ledger.tell('CONFIG_JDBC_URL_INVALID', jdbcUrlAt, url);
    return undefined;
  }
  warnIfLocal(draft, jdbcUrlAt, url.host, `jdbc:postgresql://<service>:5432/${url.database}`);
  return username === undefined || !password ? undefined : { type: 'postgres', ...url, username, password };
}

/** `targets.auth`; undefined when there is none. */
export function readAuth(draft: Draft): BearerAuth | undefined {
  const at = '/targets/auth/bearer_token';
  const bearerToken = draft.secret(at);
  if (!bearerToken) return undefined;
  const { name } = bearerToken;
  const what = unsendable(bearerToken.reveal());
  if (/^bearer\s/i.test(bearerToken.reveal())) draft.ledger.tell('CONFIG_TOKEN_PREFIXED', at, { name });
  else if (what !== undefined) draft.ledger.tell('CONFIG_TOKEN_UNSENDABLE', at, { name, what });
  return { type: 'bearer', bearerToken };
}

/** What a bearer token must not hold (RFC 6750 section 2.1 allows less still), in words that do not repeat it. */
function unsendable(token: string): string | undefined {
  if (/[\r\n]/.test(token)) return 'a line break';
  if (/\s/.test(token)) return 'white space';
  return /^[\x21-\x7e]*$/.test(token) ? undefined : 'a character outside printable ASCII';
}

function pathWords(key: string, kept: string, dropped: string) {
  const path = (/^[^?#]*/.exec(dropped)?.[0] ?? '').replace(/\/+$/, '');
  return { key, dropped, kept, trigger: `\`GET \${INGESTION_URL}${path}/…\`` };
}

function warnIfLocal(draft: Draft, pointer: string, host: string, instead: string): void {
  if (draft.use === 'local' || !isLocalHost(host)) return;
  const project = draft.text('/deploy/compose_project');
  const lookup = project === undefined ? '' : `; \`docker compose -p ${project} ps\` lists the services`;
  draft.ledger.tell('CONFIG_ADDRESS_LOCAL', pointer, { key: dottedOf(pointer), host, instead, lookup });
}
