/** URLs of remotes as clients connect to them: with fixed values in place of their variables. */
import type { RegistryRemote } from '../../contract/registry/registry-api.ts';
import { formatRemoteUrl, remoteVariablePattern } from '../../contract/registry/remote-connection.ts';
import { classifyHost } from '../../outbound/address-guard.ts';

type RemoteUrl = Pick<RegistryRemote, 'url' | 'variables'>;

/** `{host}` alone, which users enter, or `{tenant}.example.com`: in both people see which host it leads to. */
const hostVariablePattern = /^\{([^{}]*)\}(:\d{1,5})?$/;
const belowDomainPattern = /^[^:@]*\}(\.[a-z\d-]+){2,}(:\d{1,5})?$/i;

function findHostProblem({ url, variables = {} }: RemoteUrl): string | undefined {
  const [, host = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? [];
  const [, variable] = hostVariablePattern.exec(host) ?? [];
  const isInput = variable !== undefined && variables[variable]?.value === undefined;
  if (!/[{}]/.test(host) || isInput || belowDomainPattern.test(host)) return undefined;
  return 'hides its host: a variable in the host must be the whole host and be entered by users, or be followed by a domain, as in {tenant}.example.com';
}

/** The parser normalizes unusual spellings; readers could take two spellings of one URL for two. */
function findSpellingProblem(written: string, sent: string, isTemplate: boolean): string | undefined {
  if (sent === written || sent === `${written}/`) return undefined;
  return isTemplate
    ? 'is not normalized: write the host in lower case, without :443, and the path without . and ..'
    : `is not normalized: write ${sent.slice(0, 300)}`;
}

/** Why others could not reach the URL, or could not see where it leads; undefined for a valid one. */
export function findAddressProblem(remote: RemoteUrl): string | undefined {
  const address = formatRemoteUrl(remote);
  const plain = address.replaceAll(remoteVariablePattern, 'x');
  const url = URL.parse(plain);
  if (!url || /[{}]/.test(plain)) return 'is not a valid URL';
  if (url.protocol !== 'https:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password, which everyone could read';
  if (url.hash !== '') return 'has a fragment, which is never sent';
  const verdict = classifyHost(url);
  const isReachable = verdict === undefined || verdict === 'public' || verdict === 'private';
  if (!isReachable) return `leads to a ${verdict.replace('_', '-')} address, which others cannot reach`;
  return findHostProblem(remote) ?? findSpellingProblem(plain, url.href, plain !== address);
}

function decodeUnreserved(text: string): string {
  return text.replaceAll(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}

/** The same for all spellings that lead to one resource, whatever the variables are called. */
function normalizeAddress(address: string): string {
  const url = URL.parse(address.replaceAll(remoteVariablePattern, '{}'));
  if (!url) return address;
  const path = decodeUnreserved(url.pathname).replaceAll(/\/+/g, '/');
  const host = `${url.hostname.replace(/\.$/, '')}${url.port === '' ? '' : `:${url.port}`}`;
  return `${url.protocol}//${host}${path.replace(/(.)\/$/, '$1')}${decodeUnreserved(url.search)}`.toLowerCase();
}

/** Formats a key of {@link toAddressKeys} for people. */
export function formatAddressKey(key: string): string {
  return key.replaceAll(/%7b%7d|\{\}/g, '{…}');
}

/** Keys by which two remotes are recognized as the same resource: the URL itself, and the URL with default values. */
export function toAddressKeys(remote: RemoteUrl): readonly string[] {
  const { url, variables = {} } = remote;
  const withDefaults = Object.entries(variables).map(([name, input]) => [
    name,
    { ...input, value: input.value ?? input.default },
  ]);
  return [
    normalizeAddress(formatRemoteUrl(remote)),
    normalizeAddress(formatRemoteUrl({ url, variables: Object.fromEntries(withDefaults) })),
  ];
}
