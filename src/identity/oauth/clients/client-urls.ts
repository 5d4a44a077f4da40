/** Validates the URLs of OAuth clients: redirect URIs and web pages. */
import { loopbackNames } from '../../../addresses/host-address.ts';
import { classifyHost } from '../../../outbound/address-guard.ts';

const maxUrlLength = 2000;

/** Schemes that browsers, mail clients and shells handle themselves, so no app may use them as its private scheme. */
const reservedSchemes = new Set(
  `about blob callto chrome chrome-extension content data edge facetime feed file filesystem ftp ftps geo git gopher help hcp
   intent irc jar javascript jnlp ldap ldaps livescript magnet mailto market mk mocha moz-extension news nfs nntp onenote res
   resource rtsp sftp shell sip sips skype sms smb ssh steam tel telnet urn vbscript view-source wyciwyg ws wss xmpp`.split(
    /\s+/,
  ),
);

/** Prefixes of such schemes: parts of operating systems, app stores and web page handlers. */
const reservedSchemeFamilies =
  /^(ms-|microsoft-|search(-|$)|windows-|itms|itmss$|android-|ios-|apple-|x-apple|web\+|chrome-|edge-)/;

function isReservedScheme(scheme: string): boolean {
  return reservedSchemes.has(scheme) || reservedSchemeFamilies.test(scheme);
}

function parseUrl(text: string): URL | string {
  if (text.length > maxUrlLength) return 'is too long';
  // The URL parser drops some of these characters, so that the compared URL would differ from the one that is opened.
  if (!/^[\x21-\x7e]+$/.test(text) || /[\\"<>^`{|}]/.test(text))
    return 'contains characters that are not allowed in a URL';
  const url = URL.parse(text);
  if (!url) return 'is not a URL';
  // Without `//` and a host, browsers resolve it relative to the current page.
  if (/^https?:/i.test(text) && !/^https?:\/\/[^/?#]/i.test(text)) return 'has no host';
  if (url.username !== '' || url.password !== '' || /^[a-z+.-]+:\/\/[^/?#]*@/i.test(text))
    return 'contains user information';
  return url;
}

/**
 * Describes what is wrong with a redirect URI; undefined when it is valid. Allowed are https, http on a loopback address
 * (RFC 8252 section 7.3) and private-use schemes.
 */
export function findRedirectProblem(text: string): string | undefined {
  const url = parseUrl(text);
  if (typeof url === 'string') return url;
  if (text.includes('#')) return 'has a fragment';
  if (text.includes('*')) return 'has a wildcard';
  if (url.protocol === 'https:') return findHostProblem(url);
  if (url.protocol === 'http:')
    return loopbackNames.includes(url.hostname) ? undefined : 'is neither https nor a loopback address';
  return isReservedScheme(url.protocol.slice(0, -1))
    ? `has the scheme ${url.protocol}, which is not allowed for apps`
    : undefined;
}

function findHostProblem(url: URL): string | undefined {
  const verdict = classifyHost(url);
  return verdict === undefined || verdict === 'public' ? undefined : 'is in a private network';
}

/** Describes what is wrong with the URL of a web page; undefined when it is valid. */
export function findPageProblem(text: string): string | undefined {
  const url = parseUrl(text);
  if (typeof url === 'string') return url;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `has the scheme ${url.protocol}`;
  return findHostProblem(url);
}
