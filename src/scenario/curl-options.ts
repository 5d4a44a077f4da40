/** The options of curl that matter to a request; the others are known so that their values are not taken for an address. */

/** `value` is the one within the same word; undefined where it is the next word. */
export type CurlOption = { readonly name: string; readonly takesValue: boolean; readonly value: string | undefined };

/** Long name → short name, or an empty string. All of them take a value. */
const withValue: Readonly<Record<string, string>> = {
  request: 'X',
  header: 'H',
  data: 'd',
  'data-ascii': '',
  'data-binary': '',
  'data-raw': '',
  'data-urlencode': '',
  json: '',
  user: 'u',
  'oauth2-bearer': '',
  cookie: 'b',
  'user-agent': 'A',
  referer: 'e',
  range: 'r',
  'max-time': 'm',
  url: '',
  form: 'F',
  'form-string': '',
  'upload-file': 'T',
  output: 'o',
  'output-dir': '',
  proxy: 'x',
  'proxy-user': 'U',
  'connect-timeout': '',
  'connect-to': '',
  cacert: '',
  capath: '',
  cert: 'E',
  'cert-type': '',
  key: '',
  'key-type': '',
  pass: '',
  ciphers: '',
  resolve: '',
  retry: '',
  'retry-delay': '',
  'retry-max-time': '',
  'write-out': 'w',
  'cookie-jar': 'c',
  'dump-header': 'D',
  'max-redirs': '',
  'limit-rate': '',
  interface: '',
  config: 'K',
  'tls-max': '',
  'aws-sigv4': '',
  'unix-socket': '',
  'keepalive-time': '',
  'expect100-timeout': '',
  'speed-limit': 'Y',
  'speed-time': 'y',
  'time-cond': 'z',
  'continue-at': 'C',
  noproxy: '',
  stderr: '',
  trace: '',
  'trace-ascii': '',
  variable: '',
};
/** Long name → short name; without a value. */
const withoutValue: Readonly<Record<string, string>> = { get: 'G', head: 'I', location: 'L' };
/** The same effect on a request. */
const synonyms: Readonly<Record<string, string>> = {
  'data-ascii': 'data',
  'data-binary': 'data',
  'location-trusted': 'location',
};

const longByShort = new Map(
  [...Object.entries(withValue), ...Object.entries(withoutValue)]
    .filter(([, short]) => short !== '')
    .map(([long, short]) => [short, long]),
);
/** Flags that change the output, the connection or nothing at all. */
const ignoredShort = /^[sSvikfnNgqaj0-9#OJRpBlZ:M]$/;

function toOption(name: string, value: string | undefined): CurlOption {
  return { name: synonyms[name] ?? name, takesValue: Object.hasOwn(withValue, name), value };
}

/** The options of one word: `--data`, `--data=x`, `-sSLX`, `-XPOST`. Undefined for an unknown short option. */
export function findCurlOption(word: string): readonly CurlOption[] | undefined {
  if (word.startsWith('--')) {
    const [, name = '', value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const isKnown =
      Object.hasOwn(withValue, name) || Object.hasOwn(withoutValue, name) || Object.hasOwn(synonyms, name);
    // Long options that are not in the tables are flags: those with a value are listed completely enough.
    return isKnown ? [toOption(name, value)] : [];
  }
  const options: CurlOption[] = [];
  for (let index = 1; index < word.length; index += 1) {
    const short = word.charAt(index);
    const name = longByShort.get(short);
    if (name === undefined) {
      if (ignoredShort.test(short)) continue;
      return undefined;
    }
    if (!Object.hasOwn(withValue, name)) options.push(toOption(name, undefined));
    else return [...options, toOption(name, word.slice(index + 1) || undefined)];
  }
  return options;
}
