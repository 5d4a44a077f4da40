/** Calls to a registry that speaks the official API, whoever runs it. Its answers are bounded, and its words made harmless. */
import type { RegistryProof, RegistryStatusChange } from '../contract/registry-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { GuardedFetch } from '../outbound/guarded-fetch.ts';

/** A registry said no. */
export type Refusal = {
  readonly status: number;
  /** Of a registry that says why in a word, as ours does. */
  readonly code: string;
  readonly words: string;
  readonly retryAfterS: number;
};
/** An answer, or the refusal. */
export type Told<T> = { readonly value: T; readonly refusal?: undefined } | { readonly refusal: Refusal };

/** The calls that publishing needs. Each throws REGISTRY_UNREACHABLE, REGISTRY_ANSWER_UNEXPECTED. */
export type RemoteRegistry = {
  readonly url: string;
  /** The token for a proof. */
  exchange(proof: RegistryProof): Promise<Told<string>>;
  publish(token: string, document: object): Promise<Told<true>>;
  /** Says what became of a version, or of all where none is named. */
  setStatus(
    token: string,
    of: { name: string; version?: string | undefined },
    to: RegistryStatusChange,
  ): Promise<Told<true>>;
  /** The document of a version, whatever became of it; undefined when there is no such version. */
  find(name: string, version: string): Promise<object | undefined>;
};

/** `explain` puts a failure of the network into words. */
export type RemoteRegistryOptions = {
  readonly url: string;
  readonly fetch: GuardedFetch['fetch'];
  readonly explain: (thrown: unknown) => string;
};

const timeoutMs = 20_000;
const longestWords = 400;

type Members = Readonly<Record<string, unknown>>;
type Asked = { readonly path: string; readonly method?: 'PATCH'; readonly token?: string; readonly body?: object };

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a problem's list of details says, each with its place. */
function detailsIn({ errors, diagnostics }: Members): string[] {
  const list = Array.isArray(errors) ? errors : Array.isArray(diagnostics) ? diagnostics : [];
  return list.slice(0, 20).map((one) => {
    const { location, message, where, problem } = membersOf(one);
    return [location ?? where, message ?? problem].filter((part) => typeof part === 'string').join(' ');
  });
}

/** One line without what would move a cursor or hide a letter. */
function harmless(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
  return plain.length > longestWords ? `${plain.slice(0, longestWords)}…` : plain;
}

function wordsIn(text: string): string {
  const members = membersOf(parsed(text));
  const said = [members.detail, members.error, members.title].find((one) => typeof one === 'string' && one !== '');
  const details = detailsIn(members).filter(Boolean);
  const all = typeof said === 'string' ? [said, ...details].join('; ') : text.slice(0, 2 * longestWords);
  return harmless(all) || 'it does not say why';
}

function refusalOf(answer: Response, text: string): Refusal {
  const { code } = membersOf(parsed(text));
  const wait = Number(answer.headers.get('retry-after'));
  const retryAfterS = Number.isInteger(wait) && wait > 0 && wait < 86_400 ? wait : 60;
  return { status: answer.status, code: typeof code === 'string' ? code : '', words: wordsIn(text), retryAfterS };
}

/** Makes the calls; nothing is called yet. */
export function remoteRegistry({ url, fetch, explain }: RemoteRegistryOptions): RemoteRegistry {
  const unexpected = (problem: string) => vpError('REGISTRY_ANSWER_UNEXPECTED', { registry: url, problem });
  async function ask({ path, token, body, method: named }: Asked): Promise<{ answer: Response; text: string }> {
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const method = named ?? (body === undefined ? 'GET' : 'POST');
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${url}${path}`, { method, headers, signal, ...sent });
      return { answer, text: await answer.text() };
    } catch (thrown) {
      const problem = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : explain(thrown);
      throw vpError('REGISTRY_UNREACHABLE', { registry: url, problem }, { cause: thrown });
    }
  }
  return {
    url,
    async exchange(proof) {
      const { answer, text } = await ask({ path: '/v0/auth/dns', body: proof });
      if (!answer.ok) return { refusal: refusalOf(answer, text) };
      const { registry_token: token } = membersOf(parsed(text));
      // What cannot stand in a header would be sent as another one.
      if (typeof token === 'string' && /^[\x21-\x7e]{1,8000}$/.test(token)) return { value: token };
      throw unexpected('a proof was taken, and no token given');
    },
    async publish(token, document) {
      const { answer, text } = await ask({ path: '/v0/publish', token, body: document });
      if (!answer.ok) return { refusal: refusalOf(answer, text) };
      if ('server' in membersOf(parsed(text))) return { value: true };
      throw unexpected('what was sent is not in the answer');
    },
    async setStatus(token, { name, version }, body) {
      const one = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
      const path = `/v0/servers/${encodeURIComponent(name)}${one}/status`;
      const { answer, text } = await ask({ method: 'PATCH', path, token, body });
      return answer.ok ? { value: true } : { refusal: refusalOf(answer, text) };
    },
    async find(name, version) {
      const path = `/v0/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}?include_deleted=true`;
      const { answer, text } = await ask({ path });
      if (answer.status === 404) return undefined;
      const { server } = membersOf(parsed(text));
      if (answer.ok && typeof server === 'object' && server !== null) return server;
      throw unexpected(`status ${answer.status} where it should say whether it has ${name}`);
    },
  };
}
