/**
 * English that is disguised letter by letter: rotated, reversed, spaced out or with digits for letters. Words that orders to a model
 * usually have are looked for in the disguise, as a language has no other mark that is found as cheaply.
 */

const revealingWords = [
  'ignore',
  'previous',
  'instruction',
  'instructions',
  'system prompt',
  'assistant',
  'password',
  'secret',
  'credentials',
  'without telling',
  'the user',
  'conversation',
  'send',
  'forward',
  'upload',
  'private key',
  'execute',
  'follow',
];

function rotate(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));
}

function reverse(text: string): string {
  return [...text].reverse().join('');
}

function countWords(text: string, words: readonly string[]): number {
  return words.filter((word) => text.includes(word)).length;
}

const rotatedWords = revealingWords.map(rotate);
const reversedWords = revealingWords.map(reverse);
/** `i g n o r e`, `i-g-n-o-r-e`, `i.g.n.o.r.e`. */
const spacedLetters = /(?:\b\p{L}[ .\-_*|]{1,3}){10,}\p{L}\b/gu;
const lettersForDigits: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
};
/**
 * Looked for from the beginning of each run of letters only: what follows the run decides, so from its second letter on it is found or missed
 * in the same way. Without that, 4,000 letters in a row take 25 ms in place of 0.1.
 */
const wordWithDigits = /(?<![a-z])[a-z]+[013457@$]+[a-z]+|[013457@$][a-z]+[013457@$]+[a-z]*/g;

/** Words in which digits or signs may stand for letters: `1gn0re`, `pr3vious`. `text` is in lower case. */
export const findWordsWithDigits = (text: string): readonly string[] => text.match(wordWithDigits) ?? [];

/** The disguise and the plain text; undefined for text that is as it looks. `text` is in lower case. */
export function findDisguisedProse(text: string): { readonly disguise: string; readonly text: string } | undefined {
  if (countWords(text, rotatedWords) >= 2) return { disguise: 'letters that are rotated (ROT13)', text: rotate(text) };
  if (countWords(text, reversedWords) >= 2) return { disguise: 'reversed letters', text: reverse(text) };
  for (const [run] of text.matchAll(spacedLetters)) {
    const joined = run.replaceAll(/[^\p{L}]/gu, '');
    if (
      countWords(
        joined,
        revealingWords.map((word) => word.replaceAll(' ', '')),
      ) > 0
    )
      return { disguise: 'letters set apart', text: joined };
  }
  const disguisedWords = findWordsWithDigits(text);
  if (disguisedWords.length < 2) return undefined;
  const plain = disguisedWords.map((word) => word.replaceAll(/[013457@$]/g, (sign) => lettersForDigits[sign] ?? sign));
  return countWords(plain.join(' '), revealingWords) >= 2
    ? { disguise: 'digits in place of letters', text: plain.join(' ') }
    : undefined;
}
