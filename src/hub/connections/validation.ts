/** Validates a connection: its name, address and header. */
import { vpError } from '../../errors/vp-error.ts';
import { classifyHost, isAddressAllowed } from '../../outbound/address-guard.ts';
import type { HubSettings } from '../context.ts';

const maxNameLength = 24;

/** Throws CONNECTION_NAME_INVALID. */
export function assertConnectionName(name: string): void {
  if (name.length <= maxNameLength && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return;
  throw vpError('CONNECTION_NAME_INVALID', { name: name.slice(0, 60) });
}

type AddressRules = Pick<HubSettings, 'allowPrivateUpstreams'>;

function throwUrlRefused(problem: string, cure: string): never {
  throw vpError('CONNECTION_URL_REFUSED', { problem, cure });
}

const operatorHint = 'an operator may allow private networks with `vp serve --allow-private-upstreams`';

/**
 * Returns the normalized URL. Addresses of this machine and of private networks are refused in every notation; the
 * address that a host name resolves to is checked again on each connection. Throws CONNECTION_URL_REFUSED.
 */
export function parseUpstreamUrl(text: string, { allowPrivateUpstreams }: AddressRules): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    return throwUrlRefused('is not an http or https address', 'enter an address such as https://tools.example.com/mcp');
  assertNoSecret(url);
  const verdict = classifyHost(url);
  if (verdict !== undefined && !isAddressAllowed(verdict, allowPrivateUpstreams))
    throwUrlRefused(`leads to a ${verdict.replace('_', '-')} address`, `use a public server; ${operatorHint}`);
  if (url.protocol === 'http:' && !allowPrivateUpstreams)
    throwUrlRefused(
      'is plain http, which is not encrypted',
      `use https; ${operatorHint}, which also allows plain http`,
    );
  return url;
}

/** Every member sees addresses, and they appear in logs. */
function assertNoSecret(url: URL): void {
  const cure = 'enter it as the connection’s credential, which is stored sealed';
  if (url.username !== '' || url.password !== '') throwUrlRefused('contains a user name or password', cure);
  if (url.hash !== '') throwUrlRefused('has a fragment', 'remove the part after #');
  for (const name of url.searchParams.keys())
    if (
      /(^|[-_.])(access|api)?[-_]?(key|token|secret|password|passwd|pwd|auth|signature|sig|credential)s?$/i.test(name)
    )
      throwUrlRefused(`contains a credential (${name.slice(0, 40)})`, cure);
}

/** Headers that a request sets itself or that would redirect it. */
const reservedHeaders =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept|cookie|origin|mcp-.*|proxy-.*|sec-.*|forwarded|x-forwarded-.*|x-vp-.*)$/i;

/** Throws CONNECTION_INVALID. The message does not contain the value. */
export function assertHeader(header: string, value: string): void {
  const connectionInvalid = (problem: string, cure: string) => vpError('CONNECTION_INVALID', { problem, cure });
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw connectionInvalid(
      'the name of the credential’s header is not valid in HTTP',
      'use a name such as Authorization or X-Api-Key',
    );
  if (reservedHeaders.test(header))
    throw connectionInvalid(
      `the header ${header} cannot carry a credential`,
      'use Authorization or a header of the upstream server',
    );
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    throw connectionInvalid('the header’s value has invalid characters, or spaces around it', 'copy it again');
}
