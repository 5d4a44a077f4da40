/** Addresses of remotes, looked at as they are connected: with what is fixed in its place. */
import type { RegistryRemote } from '../contract/registry-api.ts';
import { remoteAddress, remoteVariable } from '../contract/registry-remote.ts';
import { hostVerdict } from '../outbound/address-guard.ts';

type Addressed = Pick<RegistryRemote, 'url' | 'variables'>;

/** `{host}` alone, which is asked for, or `{tenant}.example.com`: whatever stands there, people see whose host it is. */
const wholeHost = /^\{([^{}]*)\}(:\d{1,5})?$/;
const belowDomain = /^[^:@]*\}(\.[a-z\d-]+){2,}(:\d{1,5})?$/i;

function hostProblem({ url, variables = {} }: Addressed): string | undefined {
  const [, host = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? [];
  const [, whole] = wholeHost.exec(host) ?? [];
  const isAsked = whole !== undefined && variables[whole]?.value === undefined;
  if (!/[{}]/.test(host) || isAsked || belowDomain.test(host)) return undefined;
  return 'hides whose host it is: a variable there is the whole host and is asked for, or is followed by a domain, as in {tenant}.example.com';
}

/** The parser mends what is written oddly; two people who read such an address may take it for two. */
function spellingProblem(written: string, sent: string, isTemplate: boolean): string | undefined {
  if (sent === written || sent === `${written}/`) return undefined;
  return isTemplate
    ? 'is not written as it is sent: with its host in small letters, without :443, without . and .. in its path'
    : `is not written as it is sent, which is ${sent.slice(0, 300)}`;
}

/** Why others could not reach it, or would not see where it leads; undefined for one that is good. */
export function addressProblem(remote: Addressed): string | undefined {
  const address = remoteAddress(remote);
  const plain = address.replaceAll(remoteVariable, 'x');
  const url = URL.parse(plain);
  if (!url || /[{}]/.test(plain)) return 'is no address';
  if (url.protocol !== 'https:') return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'has a name or a password in it, which everybody would read';
  if (url.hash !== '') return 'has a fragment, which is never sent';
  const verdict = hostVerdict(url);
  const isReached = verdict === undefined || verdict === 'public' || verdict === 'private';
  if (!isReached) return `leads to a ${verdict.replace('_', '-')} address, which nobody else reaches`;
  return hostProblem(remote) ?? spellingProblem(plain, url.href, plain !== address);
}

function unescaped(text: string): string {
  return text.replaceAll(/%[\da-f]{2}/gi, (found) => {
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : found;
  });
}

/** The same for all spellings that lead to one place, whatever the variables are called. */
function keyOf(address: string): string {
  const url = URL.parse(address.replaceAll(remoteVariable, '{}'));
  if (!url) return address;
  const path = unescaped(url.pathname).replaceAll(/\/+/g, '/');
  const host = `${url.hostname.replace(/\.$/, '')}${url.port === '' ? '' : `:${url.port}`}`;
  return `${url.protocol}//${host}${path.replace(/(.)\/$/, '$1')}${unescaped(url.search)}`.toLowerCase();
}

/** One of {@link addressKeys} for people. */
export function shownKey(key: string): string {
  return key.replaceAll(/%7b%7d|\{\}/g, '{…}');
}

/** By what two remotes are known to lead to one place: as it is, and with what stands there where people give nothing. */
export function addressKeys(remote: Addressed): readonly string[] {
  const { url, variables = {} } = remote;
  const usual = Object.entries(variables).map(([name, input]) => [
    name,
    { ...input, value: input.value ?? input.default },
  ]);
  return [keyOf(remoteAddress(remote)), keyOf(remoteAddress({ url, variables: Object.fromEntries(usual) }))];
}
