/** Names that programs give themselves. People decide by them, so none may pass for another or hide what it says. */
import { cliClientName } from './asking-client.ts';

const mostCharacters = 80;

/** Letters of other scripts that are read as Latin ones. */
const lookAlikes: Readonly<Record<string, string>> = {
  ...pairs('авеԁһіјӏкмоорԛѕтухѵԝсԍнь', 'abedhijlkmoopqstyxvwcghb'),
  ...pairs('αβεικνορτυχγϲϳω', 'abeikvoptuxycjw'),
  ...pairs('օսոհցքգԁզյ', 'ounhgqqdqj'),
};

function pairs(others: string, latin: string): Record<string, string> {
  const targets = [...latin];
  return Object.fromEntries([...others].map((letter, index) => [letter, targets[index] ?? letter]));
}

/** What a name looks like at a glance. */
function skeletonOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...plain]
    .map((letter) => lookAlikes[letter] ?? letter)
    .join('')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/[1|]/g, 'l')
    .replaceAll('0', 'o');
}

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/** Words of letters that all look Latin and are not. */
function isDisguised(word: string): boolean {
  const letters = [...word.toLowerCase()].filter((letter) => /\p{L}/u.test(letter));
  return letters.length > 2 && letters.every((letter) => lookAlikes[letter] !== undefined);
}

/** What is wrong with a name; undefined where nothing is. */
export function nameProblem(name: string): string | undefined {
  if ([...name].length > mostCharacters) return `has more than ${mostCharacters} characters`;
  // Controls, directions, joiners, private and unassigned characters, separators other than the blank.
  if (/[\p{C}\p{Zl}\p{Zp}]|[^\P{Zs} ]/u.test(name)) return 'has characters that are not seen';
  if (/[\u115f\u1160\u2800\u3164\uffa0]/u.test(name)) return 'has characters that are not seen';
  if (name.trim() !== name || / {2}/.test(name) || name === '') return 'has blanks too many';
  if (/\p{M}{3}/u.test(name)) return 'stacks marks on one letter';
  if (!/[\p{L}\p{N}]/u.test(name)) return 'has no letters';
  const plain = name.replaceAll(/[™®©]/g, '');
  if (plain.normalize('NFKC') !== plain.normalize('NFC')) return 'has letters that only look like others';
  if (scripts.filter((script) => script.test(name)).length > 1) return 'mixes scripts that look alike';
  if (name.split(/[^\p{L}\p{M}]+/u).some(isDisguised)) return 'has letters that only look like others';
  if (skeletonOf(name) === skeletonOf(cliClientName) || skeletonOf(name) === 'vp') return 'is our own';
  return undefined;
}
