/** Client of a registry with the official API. Its responses are bounded and its messages sanitized. */
import type { RegistryDomainProof, UpdateRegistryStatusRequest } from '../../contract/registry/registry-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';

export type RegistryRefusal = {
  readonly status: number;
  /** The error code of a registry that sends one, as ours does; otherwise empty. */
  readonly code: string;
  readonly message: string;
  readonly retryAfterS: number;
};
export type RemoteResult<T> =
  | { readonly value: T; readonly refusal?: undefined }
  | { readonly refusal: RegistryRefusal };

/** Each call throws REGISTRY_UNREACHABLE, REGISTRY_ANSWER_UNEXPECTED. */
export type RemoteRegistry = {
  readonly url: string;
  /** Exchanges a proof for a token. */
  exchange(proof: RegistryDomainProof): Promise<RemoteResult<string>>;
  publish(token: string, document: object): Promise<RemoteResult<true>>;
  /** Changes the status of a version; of all versions when none is named. */
  setStatus(
    token: string,
    target: { name: string; version?: string | undefined },
    change: UpdateRegistryStatusRequest,
  ): Promise<RemoteResult<true>>;
  /** The document of a version, also of a deleted one; undefined when there is no such version. */
  find(name: string, version: string): Promise<object | undefined>;
};

export type RemoteRegistryOptions = {
  readonly url: string;
  readonly fetch: GuardedFetch['fetch'];
  readonly describeError: (thrown: unknown) => string;
};

const timeoutMs = 20_000;
const maxMessageLength = 400;

type Members = Readonly<Record<string, unknown>>;
type RemoteRequest = {
  readonly path: string;
  readonly method?: 'PATCH';
  readonly token?: string;
  readonly body?: object;
};

function toMembers(value: unknown): Members {
  return isObject(value) ? { ...value } : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The details of problem JSON, each with its location. */
function extractDetails({ errors, diagnostics }: Members): string[] {
  const list = Array.isArray(errors) ? errors : Array.isArray(diagnostics) ? diagnostics : [];
  return list.slice(0, 20).map((item) => {
    const { location, message, where, problem } = toMembers(item);
    return [location ?? where, message ?? problem].filter((part) => typeof part === 'string').join(' ');
  });
}

/** One line without control or format characters, bounded in length. */
function sanitizeText(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
  return plain.length > maxMessageLength ? `${plain.slice(0, maxMessageLength)}…` : plain;
}

function extractMessage(text: string): string {
  const members = toMembers(parseJson(text));
  const reason = [members.detail, members.error, members.title].find(
    (candidate) => typeof candidate === 'string' && candidate !== '',
  );
  const details = extractDetails(members).filter(Boolean);
  const all = typeof reason === 'string' ? [reason, ...details].join('; ') : text.slice(0, 2 * maxMessageLength);
  return sanitizeText(all) || 'it gave no reason';
}

function toRefusal(response: Response, text: string): RegistryRefusal {
  const { code } = toMembers(parseJson(text));
  const retryAfter = Number(response.headers.get('retry-after'));
  const retryAfterS = Number.isInteger(retryAfter) && retryAfter > 0 && retryAfter < 86_400 ? retryAfter : 60;
  return {
    status: response.status,
    code: typeof code === 'string' ? code : '',
    message: extractMessage(text),
    retryAfterS,
  };
}

export function createRemoteRegistry({ url, fetch, describeError }: RemoteRegistryOptions): RemoteRegistry {
  const unexpected = (problem: string) => vpError('REGISTRY_ANSWER_UNEXPECTED', { registry: url, problem });
  async function sendRequest({
    path,
    token,
    body,
    method: requestedMethod,
  }: RemoteRequest): Promise<{ response: Response; text: string }> {
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const method = requestedMethod ?? (body === undefined ? 'GET' : 'POST');
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const bodyInit = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}${path}`, { method, headers, signal, ...bodyInit });
      return { response, text: await response.text() };
    } catch (thrown) {
      const problem = signal.aborted ? `no response within ${timeoutMs / 1000} s` : describeError(thrown);
      throw vpError('REGISTRY_UNREACHABLE', { registry: url, problem }, { cause: thrown });
    }
  }
  return {
    url,
    async exchange(proof) {
      const { response, text } = await sendRequest({ path: '/v0/auth/dns', body: proof });
      if (!response.ok) return { refusal: toRefusal(response, text) };
      const { registry_token: token } = toMembers(parseJson(text));
      // The token is sent in a header, which cannot carry other characters.
      if (typeof token === 'string' && /^[\x21-\x7e]{1,8000}$/.test(token)) return { value: token };
      throw unexpected('it accepted the proof but returned no token');
    },
    async publish(token, document) {
      const { response, text } = await sendRequest({ path: '/v0/publish', token, body: document });
      if (!response.ok) return { refusal: toRefusal(response, text) };
      if ('server' in toMembers(parseJson(text))) return { value: true };
      throw unexpected('the response does not contain the published document');
    },
    async setStatus(token, { name, version }, body) {
      const versionPath = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
      const path = `/v0/servers/${encodeURIComponent(name)}${versionPath}/status`;
      const { response, text } = await sendRequest({ method: 'PATCH', path, token, body });
      return response.ok ? { value: true } : { refusal: toRefusal(response, text) };
    },
    async find(name, version) {
      const path = `/v0/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}?include_deleted=true`;
      const { response, text } = await sendRequest({ path });
      if (response.status === 404) return undefined;
      const { server } = toMembers(parseJson(text));
      if (response.ok && typeof server === 'object' && server !== null) return server;
      throw unexpected(`status ${response.status} for the lookup of ${name}`);
    },
  };
}
