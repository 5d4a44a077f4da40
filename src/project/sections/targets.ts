/** The section `targets`: the target's address, its database, and how to authenticate. */

import { completeAddress } from '../../addresses/written-address.ts';
import type { ConfigDraft } from '../config-draft.ts';
import { createConfigProblem, type OnProblem } from '../config-problem.ts';
import type { BearerAuth, DatabaseTarget, HttpTarget } from '../project-config.ts';
import { formatDottedKey } from '../yaml/yaml-tree.ts';
import { isLocalHost, parseBaseUrl } from './base-url.ts';
import { parseJdbcUrl } from './jdbc-url.ts';

const baseUrlPointer = '/targets/http/base_url';
const grpcPointer = '/targets/grpc/base_url';
const jdbcUrlPointer = '/targets/database/jdbc_url';
const exampleUrl = 'http://app:3100';
const grpcExampleUrl = 'http://app:50051';

/** `targets.http`. */
export function readHttp(draft: ConfigDraft): HttpTarget | undefined {
  const baseUrl = readAddress(draft, baseUrlPointer, exampleUrl);
  return baseUrl === undefined ? undefined : { baseUrl, baseUrlSource: 'config' };
}

/** `targets.grpc`; undefined where gRPC has the address of `targets.http`. */
export function readGrpc(draft: ConfigDraft): HttpTarget | undefined {
  const baseUrl = readAddress(draft, grpcPointer, grpcExampleUrl);
  return baseUrl === undefined ? undefined : { baseUrl, baseUrlSource: 'grpc' };
}

function readAddress(draft: ConfigDraft, pointer: string, example: string): string | undefined {
  const text = draft.text(pointer);
  if (text === undefined) return undefined;
  const key = formatDottedKey(pointer);
  const url = parseBaseUrl(text);
  if ('problem' in url) {
    draft.reporter.report('CONFIG_BASE_URL_INVALID', pointer, { key, problem: url.problem, example });
    return undefined;
  }
  const { baseUrl, host, droppedPath } = url;
  if (droppedPath !== '')
    draft.reporter.report('CONFIG_BASE_URL_PATH', pointer, createPathValues(key, baseUrl, droppedPath));
  reportIfLocal(draft, pointer, host, `${new URL(baseUrl).protocol}//<service>:<port>`);
  return baseUrl;
}

/** The flags with addresses in place of those of the file, and what their addresses look like. */
const addressFlags = {
  flag: { key: '--base-url', example: 'http://localhost:3200' },
  grpc_flag: { key: '--grpc-base-url', example: 'http://localhost:50051' },
} as const;

/** A base URL from the command line instead of the file's; it is relative to this machine, and may be a port or lack its scheme. */
export function readBaseUrlFlag(
  text: string,
  source: keyof typeof addressFlags,
  onProblem: OnProblem,
): HttpTarget | undefined {
  const { key, example } = addressFlags[source];
  const url = parseBaseUrl(completeAddress(text));
  if ('problem' in url) {
    const values = { key, problem: url.problem, example };
    onProblem(createConfigProblem('CONFIG_BASE_URL_INVALID', { file: key }, values));
    return undefined;
  }
  const { baseUrl, droppedPath } = url;
  if (droppedPath !== '')
    onProblem(createConfigProblem('CONFIG_BASE_URL_PATH', { file: key }, createPathValues(key, baseUrl, droppedPath)));
  return { baseUrl, baseUrlSource: source };
}

/** `targets.database`; undefined when there is none. */
export function readDatabase(draft: ConfigDraft): DatabaseTarget | undefined {
  const password = draft.secret('/targets/database/password');
  const username = draft.text('/targets/database/username');
  const text = draft.text(jdbcUrlPointer);
  if (text === undefined) return undefined;
  const url = parseJdbcUrl(text);
  if ('problem' in url) {
    draft.reporter.report('CONFIG_JDBC_URL_INVALID', jdbcUrlPointer, url);
    return undefined;
  }
  reportIfLocal(draft, jdbcUrlPointer, url.host, `jdbc:postgresql://<service>:5432/${url.database}`);
  // What images and hosts call the owner that they create. What a role may really do is looked up where the database is reached.
  if (username === 'postgres' || (username !== undefined && username === url.database))
    draft.reporter.report('CONFIG_DATABASE_OWNER', '/targets/database/username', { user: username });
  return username === undefined || !password
    ? undefined
    : { type: 'postgres', ...url, username, databasePassword: password };
}

/** `targets.auth`; undefined when there is none. */
export function readAuth(draft: ConfigDraft): BearerAuth | undefined {
  const pointer = '/targets/auth/bearer_token';
  const bearerToken = draft.secret(pointer);
  if (!bearerToken) return undefined;
  const { name } = bearerToken;
  const forbiddenPart = findForbiddenPart(bearerToken.reveal());
  if (/^bearer\s/i.test(bearerToken.reveal())) draft.reporter.report('CONFIG_TOKEN_PREFIXED', pointer, { name });
  else if (forbiddenPart !== undefined)
    draft.reporter.report('CONFIG_TOKEN_UNSENDABLE', pointer, { name, characters: forbiddenPart });
  return { type: 'bearer', bearerToken };
}

/** What a bearer token must not contain (RFC 6750 section 2.1 allows even less), in words that do not repeat it. */
function findForbiddenPart(token: string): string | undefined {
  if (/[\r\n]/.test(token)) return 'a line break';
  if (/\s/.test(token)) return 'white space';
  return /^[\x21-\x7e]*$/.test(token) ? undefined : 'a character outside printable ASCII';
}

function createPathValues(key: string, baseUrl: string, droppedPath: string) {
  const path = (/^[^?#]*/.exec(droppedPath)?.[0] ?? '').replace(/\/+$/, '');
  return { key, dropped: droppedPath, base_url: baseUrl, trigger: `\`GET \${INGESTION_URL}${path}/…\`` };
}

function reportIfLocal(draft: ConfigDraft, pointer: string, host: string, instead: string): void {
  const isForContainers = draft.use === 'compose' || (draft.use === 'any' && draft.has('/deploy'));
  if (!isForContainers || !isLocalHost(host)) return;
  const project = draft.text('/deploy/compose_project');
  const psHint = project === undefined ? '' : `; \`docker compose -p ${project} ps\` lists the services`;
  const code = draft.use === 'compose' ? 'CONFIG_ADDRESS_LOCAL_REFUSED' : 'CONFIG_ADDRESS_LOCAL';
  draft.reporter.report(code, pointer, {
    key: formatDottedKey(pointer),
    host,
    instead,
    lookup: psHint,
  });
}
