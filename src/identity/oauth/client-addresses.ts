/** Addresses that programs name: where browsers are sent back to, and pages about them. */
import { hostVerdict } from '../../outbound/address-guard.ts';

const longestAddress = 2000;

/** Schemes that are no program's own: what browsers, mailers and shells do by themselves. */
const foreignSchemes = new Set(
  `about blob callto chrome chrome-extension content data edge facetime feed file filesystem ftp ftps geo git gopher help hcp
   intent irc jar javascript jnlp ldap ldaps livescript magnet mailto market mk mocha moz-extension news nfs nntp onenote res
   resource rtsp sftp shell sip sips skype sms smb ssh steam tel telnet urn vbscript view-source wyciwyg ws wss xmpp`.split(
    /\s+/,
  ),
);

/** Families of them: what operating systems start their own parts by, shops of programs, and handlers of web pages. */
const foreignFamilies =
  /^(ms-|microsoft-|search(-|$)|windows-|itms|itmss$|android-|ios-|apple-|x-apple|web\+|chrome-|edge-)/;

function isForeign(scheme: string): boolean {
  return foreignSchemes.has(scheme) || foreignFamilies.test(scheme);
}

function readable(text: string): URL | string {
  if (text.length > longestAddress) return 'is too long';
  // The parser drops some of these, so that what is compared would not be what is called.
  if (!/^[\x21-\x7e]+$/.test(text) || /[\\"<>^`{|}]/.test(text)) return 'has characters that no address has';
  const url = URL.parse(text);
  if (!url) return 'is no address';
  // Without both slashes and a host it is an address within the page that it stands on.
  if (/^https?:/i.test(text) && !/^https?:\/\/[^/?#]/i.test(text)) return 'is not written with its host';
  if (url.username !== '' || url.password !== '' || /^[a-z+.-]+:\/\/[^/?#]*@/i.test(text))
    return 'has user information';
  return url;
}

/**
 * What is wrong with an address for redirects; undefined where nothing is. Allowed are https, http on this machine (RFC 8252
 * section 7.3) and a scheme of the program's own.
 */
export function redirectProblem(text: string): string | undefined {
  const url = readable(text);
  if (typeof url === 'string') return url;
  if (text.includes('#')) return 'has a fragment';
  if (text.includes('*')) return 'has a wildcard';
  if (url.protocol === 'https:') return hostProblem(url);
  if (url.protocol === 'http:')
    return isOwnMachine(url) ? undefined : 'is neither https nor on the machine of the program';
  return isForeign(url.protocol.slice(0, -1)) ? `has the scheme ${url.protocol} which is no program’s own` : undefined;
}

function isOwnMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

function hostProblem(url: URL): string | undefined {
  const verdict = hostVerdict(url);
  return verdict === undefined || verdict === 'public' ? undefined : 'is in a network that only some reach';
}

/** What is wrong with the address of a page; undefined where nothing is. */
export function pageProblem(text: string): string | undefined {
  const url = readable(text);
  if (typeof url === 'string') return url;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `has the scheme ${url.protocol}`;
  return hostProblem(url);
}
