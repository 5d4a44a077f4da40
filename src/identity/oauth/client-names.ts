/** Names that programs give themselves. People decide by them, so none may pass for another or hide what it says. */
import { cliClientId, cliClientName } from './asking-client.ts';

const mostCharacters = 80;

/** Letters of other scripts that are read as Latin ones. */
const lookAlikes: Readonly<Record<string, string>> = {
  ...pairs('авеԁһіјӏкмоорԛѕтухѵԝсԍнь', 'abedhijlkmoopqstyxvwcghb'),
  ...pairs('αβεικνορτυχγϲϳω', 'abeikvoptuxycjw'),
  ...pairs('օսոհցքգԁզյ', 'ounhgqqdqj'),
  ...pairs('ᎪᏴᏟᎠᎬᎻᏆᎫᏦᏞᎷᏢᎡᏚᎢᏙᏔᏃ'.toLowerCase(), 'abcdehijklmprstvwz'),
  ...pairs('ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ', 'abcdefghijklmnoprstuvwxyz'),
};

/** Latin letters that are small forms of others. */
const smallCapitals = /[ɢɪɴʀʏʙʜʟʛɶᴀ-ᴢꜰꜱꞯ]/u;

function pairs(others: string, latin: string): Record<string, string> {
  const targets = [...latin];
  return Object.fromEntries([...others].map((letter, index) => [letter, targets[index] ?? letter]));
}

/** The words of a name as they look at a glance. */
function wordsOf(name: string): string[] {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...plain]
    .map((letter) => lookAlikes[letter] ?? letter)
    .join('')
    .replaceAll(/[1|]/g, 'l')
    .replaceAll('0', 'o')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

const skeletonOf = (name: string): string => wordsOf(name).join('');
const ownNames = new Set(['vp', cliClientId, cliClientName, 'vp control plane', 'vp hub service'].map(skeletonOf));
/** What our hubs are called where they sign in themselves, which may be here. */
const hubName = 'vp hub';

function isOurOwn(name: string): boolean {
  return name !== hubName && (ownNames.has(skeletonOf(name)) || wordsOf(name)[0] === 'vp');
}

function isAddress(name: string): boolean {
  return /:\/\/|^www\./i.test(name) || /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+[/:]/u.test(name);
}

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Lisu'].map(
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
  if (smallCapitals.test(name)) return 'has letters that only look like others';
  if (isOurOwn(name)) return 'is our own';
  if (isAddress(name)) return 'is an address';
  // Who vouches for a program is said by our page, not by its name.
  if (/[✓✔☑✅🗸]/u.test(name) || wordsOf(name).includes('verified')) return 'speaks of a check';
  return undefined;
}
