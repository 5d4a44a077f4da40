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

/** Why others could not reach it, or would not see where it leads; undefined for one that is good. */
export function addressProblem(remote: Addressed): string | undefined {
  const plain = remoteAddress(remote).replaceAll(remoteVariable, 'x');
  const url = URL.parse(plain);
  if (!url || /[{}]/.test(plain)) return 'is no address';
  if (url.protocol !== 'https:') return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'has a name or a password in it, which everybody would read';
  if (url.hash !== '') return 'has a fragment, which is never sent';
  const verdict = hostVerdict(url);
  const isReached = verdict === undefined || verdict === 'public' || verdict === 'private';
  if (!isReached) return `leads to a ${verdict.replace('_', '-')} address, which nobody else reaches`;
  return hostProblem(remote);
}
