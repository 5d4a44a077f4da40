/**
 * Replaces the secrets of a request that was recorded or pasted by placeholders, so that none gets into a scenario. Names decide, and
 * the form of values that are secrets wherever they stand.
 */
import { literalDollar } from './shell-lexer.ts';

type Header = readonly [name: string, value: string];

/** Headers of browsers that say nothing to an API. */
export const browserHeader =
  /^(?:sec-.*|user-agent|accept-encoding|accept-language|dnt|priority|upgrade-insecure-requests|x-request-id|:.*)$/i;
const secretName =
  /authorization|cookie|token|secret|pass(?:word|wd|phrase)?\b|password|api[-_]?key|access[-_]?key|credential|signature|^sig$|session/i;
/** Values that are secrets wherever they stand: JSON web tokens and the usual prefixes of keys. */
const secretValue =
  /^(?:eyJ[\w-]+\.[\w-]+\.[\w-]*|(?:sk|pk|rk)_(?:live|test)_\w+|gh[pousr]_\w+|xox[abprs]-[\w-]+|AKIA[0-9A-Z]{16}|vp[a-z]_\w+)$/;
/** The state of a feature that has the name of a secret, such as `secret_scanning`. */
const stateWord =
  /^(?:true|false|null|none|on|off|yes|no|enabled|disabled|active|inactive|required|optional|default)$/i;
const placeholderOnly = /^\$\{\w+\}$/;

function splitOnce(text: string, sign: string): readonly [string, string | undefined] {
  const index = text.indexOf(sign);
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + sign.length)];
}

const anySecretValue = new RegExp(secretValue.source.slice(1, -1), 'g');

/** Different values get different names, and the same value always the same. */
export class SecretPlaceholders {
  readonly #values = new Map<string, string>();

  /** The names that were given. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** The values that were replaced, for looking whether a text has one of them. */
  get values(): readonly string[] {
    return [...this.#values.values()].filter((value) => value !== '');
  }

  /** The text with every secret of at least `minLength` characters that was replaced elsewhere, and others by their form. */
  concealText(text: string, minLength = 8): string {
    const known = [...this.#values].filter(([, value]) => value.length >= minLength);
    const concealed = known.reduce((current, [name, value]) => current.replaceAll(value, `\${${name}}`), text);
    return concealed.replaceAll(anySecretValue, (value) => this.replace('secret', value));
  }

  /** The placeholder for the secret `value` called `name`. */
  replace(name: string, value = ''): string {
    const known = value === '' ? undefined : [...this.#values].find(([, each]) => each === value)?.[0];
    if (known !== undefined) return `\${${known}}`;
    const text = name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z0-9]+/g, '_');
    const variable = text.replaceAll(/^_+|_+$/g, '').toUpperCase() || 'SECRET';
    const base = /^\d/.test(variable) ? `_${variable}` : variable;
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? base : `${base}_${number}`;
      const before = this.#values.get(candidate);
      if (before !== undefined && before !== value && value !== '') continue;
      this.#values.set(candidate, before ?? value);
      return `\${${candidate}}`;
    }
  }

  /** `value`, or a placeholder where it is a secret. */
  conceal(name: string, value: string): string {
    const isSecret = (secretName.test(name) && value !== '' && !stateWord.test(value)) || secretValue.test(value);
    return isSecret && !/\$\{\w+\}/.test(value) ? this.replace(name, value) : value;
  }

  concealHeader(name: string, value: string): string {
    if (/^(?:proxy-)?authorization$/i.test(name)) {
      const [, scheme = '', credentials = ''] = /^(\S+)\s+(.+)$/.exec(value) ?? [];
      if (credentials === '')
        return value === '' || placeholderOnly.test(value) ? value : this.replace('ACCESS_TOKEN', value);
      if (placeholderOnly.test(credentials)) return value;
      return `${scheme} ${this.replace(/^basic$/i.test(scheme) ? 'BASIC_CREDENTIALS' : 'ACCESS_TOKEN', credentials)}`;
    }
    return this.conceal(name, value);
  }

  /** The value of a form or query, `name=value&…`. */
  concealPairs(text: string): string {
    return text
      .split('&')
      .map((pair) => {
        const [name, value] = splitOnce(pair, '=');
        return value === undefined ? pair : `${name}=${this.conceal(name, value)}`;
      })
      .join('&');
  }

  /** Percent-encodes what a path must not contain, and conceals secrets of the query. */
  concealPath(path: string): string {
    const [plain = '/', query] = splitOnce(path, '?');
    const segments = plain.split('/').map((segment) => this.conceal('path', segment));
    const whole = query === undefined ? segments.join('/') : `${segments.join('/')}?${this.concealPairs(query)}`;
    return whole.replaceAll(/\$\{\w+\}|[^!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z|~]/gu, (sign) =>
      sign.length > 2 && placeholderOnly.test(sign)
        ? sign
        : sign === literalDollar
          ? '%24'
          : encodeURIComponent(sign.toWellFormed()),
    );
  }

  /** The text of a body with its secrets replaced; everything else stays as it is written. `note` gets what is doubtful. */
  concealBody(body: string, headers: readonly Header[], note: (text: string) => void): string {
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    if (/urlencoded/i.test(type)) return this.concealPairs(body).replaceAll(literalDollar, '%24');
    const concealed = body.replaceAll(
      /("((?:[^"\\]|\\.)*)"\s*:\s*)"((?:[^"\\]|\\.)*)"/g,
      (_, before: string, name: string, value: string) => `${before}"${this.conceal(name, value)}"`,
    );
    if (concealed.includes(literalDollar) && !/json/i.test(type))
      note('The body contains ${, which begins a placeholder: check it.');
    return concealed.replaceAll(literalDollar, /json/i.test(type) ? '\\u0024' : '$');
  }
}
