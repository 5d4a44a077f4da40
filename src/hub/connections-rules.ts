/** What may be a connection: its name, where it leads, and the header it may send. */
import { vpError } from '../errors/vp-error.ts';
import { hostVerdict, mayCall } from '../outbound/address-guard.ts';
import type { HubSettings } from './hubs-context.ts';

const longestName = 24;

/** Throws CONNECTION_NAME_INVALID. */
export function demandConnectionName(name: string): void {
  if (name.length <= longestName && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return;
  throw vpError('CONNECTION_NAME_INVALID', { name: name.slice(0, 60) });
}

type Rules = Pick<HubSettings, 'allowPrivateUpstreams'>;

function refused(problem: string, cure: string): never {
  throw vpError('CONNECTION_URL_REFUSED', { problem, cure });
}

const operatorsWord = 'an operator may allow private networks with `vp serve --allow-private-upstreams`';

/**
 * The address in its usual form. Addresses of this machine and of private networks are refused here in all spellings; what
 * a name leads to is looked at again whenever it is dialled. Throws CONNECTION_URL_REFUSED.
 */
export function demandUpstreamUrl(text: string, { allowPrivateUpstreams }: Rules): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    return refused('is no http or https address', 'it looks like https://tools.example.com/mcp');
  demandNoSecret(url);
  const verdict = hostVerdict(url);
  if (verdict !== undefined && !mayCall(verdict, allowPrivateUpstreams))
    refused(`leads to a ${verdict.replace('_', '-')} address`, `name a public server; ${operatorsWord}`);
  if (url.protocol === 'http:' && !allowPrivateUpstreams)
    refused('is plain http, which everybody on the way reads', `use https; ${operatorsWord}, and with it plain http`);
  return url;
}

/** Addresses are shown to every member and stand in logs. */
function demandNoSecret(url: URL): void {
  const cure = 'give it as the connection’s credential, which is kept sealed';
  if (url.username !== '' || url.password !== '') refused('has a name or a password in it', cure);
  if (url.hash !== '') refused('has a fragment', 'leave out what stands behind #');
  for (const name of url.searchParams.keys())
    if (
      /(^|[-_.])(access|api)?[-_]?(key|token|secret|password|passwd|pwd|auth|signature|sig|credential)s?$/i.test(name)
    )
      refused(`has a credential in it (${name.slice(0, 40)})`, cure);
}

/** Headers that a request has of its own, or that lead it elsewhere. */
const keptHeaders =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept|cookie|origin|mcp-.*|proxy-.*|sec-.*|forwarded|x-forwarded-.*|x-vp-.*)$/i;

/** Throws CONNECTION_INVALID. The value is in no message. */
export function demandHeader(header: string, value: string): void {
  const invalid = (problem: string, cure: string) => vpError('CONNECTION_INVALID', { problem, cure });
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw invalid(
      'the credential’s header has no name that HTTP allows',
      'take a name such as Authorization or X-Api-Key',
    );
  if (keptHeaders.test(header))
    throw invalid(
      `the header ${header} cannot carry a credential`,
      'take Authorization or a header of the upstream’s own',
    );
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    throw invalid('the header’s value has characters that no header carries, or spaces around it', 'copy it again');
}
