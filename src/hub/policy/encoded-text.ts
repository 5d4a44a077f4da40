/**
 * Prose that is written in an encoding: a model decodes it, the person who approves a definition does not. Only prose counts, as
 * identifiers, digests, tokens, pictures and encoded JSON are usual in definitions.
 */

type Encoding = { readonly name: string; readonly pattern: RegExp; readonly decode: (run: string) => string };

/** Characters of ASCII do not need an escape one after the other. */
const minEscapes = 12;
/** Shorter runs of base64 or hexadecimal digits are not decoded. */
const minDigits = 28;

function decodeEscapes(run: string, escaped: RegExp, radix: number): string {
  return run.replaceAll(escaped, (_, digits: string) => {
    const codePoint = Number.parseInt(digits, radix);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '';
  });
}

const encodings: readonly Encoding[] = [
  {
    name: 'base64',
    pattern: new RegExp(`[\\w+/-]{${minDigits},}`, 'g'),
    decode: (run) => Buffer.from(run, 'base64').toString('utf8'),
  },
  {
    name: 'hexadecimal digits',
    pattern: new RegExp(`(?:[0-9a-f]{2}[ :]?){${minDigits / 2},}`, 'gi'),
    decode: (run) => Buffer.from(run.replaceAll(/[ :]/g, ''), 'hex').toString('utf8'),
  },
  {
    name: 'base32',
    pattern: new RegExp(`\\b[A-Z2-7]{${minDigits},}={0,6}`, 'g'),
    decode: decodeBase32,
  },
  {
    name: 'binary digits',
    pattern: new RegExp(`(?:\\b[01]{8}[ ,]?){${minEscapes},}`, 'g'),
    decode: (run) => decodeEscapes(run.replaceAll(/[ ,]/g, ''), /([01]{8})/g, 2),
  },
  {
    name: 'numbers of characters',
    pattern: new RegExp(`(?:\\b(?:3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])[ ,;]{1,2}){${minEscapes},}\\d{2,3}`, 'g'),
    decode: (run) => decodeEscapes(run.replaceAll(/[ ,;]+/g, ' '), /(\d+) ?/g, 10),
  },
  {
    name: 'quoted-printable',
    pattern: new RegExp(`(?:=[0-9A-F]{2} ?){${minEscapes},}`, 'gi'),
    decode: (run) => decodeEscapes(run, /=([0-9a-f]{2})/gi, 16),
  },
  {
    name: 'percent signs',
    pattern: new RegExp(`(?:%[0-9a-f]{2} ?){${minEscapes},}`, 'gi'),
    decode: (run) => decodeEscapes(run, /%([0-9a-f]{2})/gi, 16),
  },
  {
    name: 'character references',
    pattern: new RegExp(`(?:&#[0-9]{1,7}; ?){${minEscapes},}`, 'g'),
    decode: (run) => decodeEscapes(run, /&#([0-9]+);/g, 10),
  },
  {
    name: 'character references',
    pattern: new RegExp(`(?:&#x[0-9a-f]{1,6}; ?){${minEscapes},}`, 'gi'),
    decode: (run) => decodeEscapes(run, /&#x([0-9a-f]+);/gi, 16),
  },
  {
    name: 'escapes',
    pattern: new RegExp(`(?:\\\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}) ?){${minEscapes},}`, 'gi'),
    decode: (run) => decodeEscapes(run, /\\[ux]([0-9a-f]+)/gi, 16),
  },
];

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function decodeBase32(run: string): string {
  const bits = [...run.replaceAll('=', '')]
    .map((digit) => base32Digits.indexOf(digit).toString(2).padStart(5, '0'))
    .join('');
  const bytes = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return Buffer.from(bytes).toString('utf8');
}

const wordOfProse = /^["'(]?\p{L}+(?:['’-]\p{L}+)*["')]?[.,:;!?]{0,2}$/u;

/** At least three words, and few other things between the spaces. */
function isProse(text: string): boolean {
  const parts = text.split(/\s+/u).filter(Boolean);
  const words = parts.filter((part) => wordOfProse.test(part)).length;
  return words >= 3 && words >= parts.length * 0.6 && !/[\p{Cc}\uFFFD]/u.test(text.replaceAll(/\s/gu, ''));
}

export type EncodedProse = { readonly encoding: string; readonly text: string };

/** The first prose in an encoding, decoded. */
export function findEncodedProse(text: string): EncodedProse | undefined {
  for (const { name, pattern, decode } of encodings)
    for (const [run] of text.matchAll(pattern)) {
      const decoded = decode(run);
      if (isProse(decoded)) return { encoding: name, text: decoded };
    }
  return undefined;
}
