/** Checks the names of OAuth clients. People decide by them, so a name must not imitate another or hide characters. */
import { cliClientId, cliClientName } from './client-view.ts';

const maxCharacters = 80;

/** Letters of other scripts that look like Latin letters. */
const lookAlikes: Readonly<Record<string, string>> = {
  ...mapLetters('авеԁһіјӏкмоорԛѕтухѵԝсԍнь', 'abedhijlkmoopqstyxvwcghb'),
  ...mapLetters('αβεικνορτυχγϲϳω', 'abeikvoptuxycjw'),
  ...mapLetters('օսոհցքգԁզյ', 'ounhgqqdqj'),
  ...mapLetters('ᎪᏴᏟᎠᎬᎻᏆᎫᏦᏞᎷᏢᎡᏚᎢᏙᏔᏃ'.toLowerCase(), 'abcdehijklmprstvwz'),
  ...mapLetters('ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ', 'abcdefghijklmnoprstuvwxyz'),
};

/** Latin small capitals. */
const smallCapitals = /[ɢɪɴʀʏʙʜʟʛɶᴀ-ᴢꜰꜱꞯ]/u;

function mapLetters(others: string, latin: string): Record<string, string> {
  const targets = [...latin];
  return Object.fromEntries([...others].map((letter, index) => [letter, targets[index] ?? letter]));
}

/** The words of a name, with look-alike characters replaced. */
function splitWords(name: string): string[] {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...plain]
    .map((letter) => lookAlikes[letter] ?? letter)
    .join('')
    .replaceAll(/[1|]/g, 'l')
    .replaceAll('0', 'o')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

const toSkeleton = (name: string): string => splitWords(name).join('');
const getReservedSkeletons = (): string[] =>
  ['vp', cliClientId, cliClientName, 'vp control plane', 'vp hub service'].map(toSkeleton);
let reservedNames: ReadonlySet<string> | undefined;
/** The client name of our own hubs, which may sign in to another hub here. */
const hubName = 'vp hub';

function isReservedName(name: string): boolean {
  reservedNames ??= new Set(getReservedSkeletons());
  return name !== hubName && (reservedNames.has(toSkeleton(name)) || splitWords(name)[0] === 'vp');
}

function isUrl(name: string): boolean {
  return /:\/\/|^www\./i.test(name) || /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+[/:]/u.test(name);
}

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/** True for words whose letters all look Latin but are of another script. */
function isDisguised(word: string): boolean {
  const letters = [...word.toLowerCase()].filter((letter) => /\p{L}/u.test(letter));
  return letters.length > 2 && letters.every((letter) => lookAlikes[letter] !== undefined);
}

/** Describes what is wrong with a name; undefined when it is valid. */
export function findNameProblem(name: string): string | undefined {
  if ([...name].length > maxCharacters) return `has more than ${maxCharacters} characters`;
  // Control, direction, joiner, private and unassigned characters, and separators other than the space.
  if (/[\p{C}\p{Zl}\p{Zp}]|[^\P{Zs} ]/u.test(name)) return 'contains invisible characters';
  if (/[\u115f\u1160\u2800\u3164\uffa0]/u.test(name)) return 'contains invisible characters';
  if (name.trim() !== name || / {2}/.test(name) || name === '') return 'has extra spaces';
  if (/\p{M}{3}/u.test(name)) return 'stacks combining marks on one letter';
  if (!/[\p{L}\p{N}]/u.test(name)) return 'has no letters';
  const plain = name.replaceAll(/[™®©]/g, '');
  if (plain.normalize('NFKC') !== plain.normalize('NFC')) return 'has letters that imitate others';
  if (scripts.filter((script) => script.test(name)).length > 1) return 'mixes scripts that look alike';
  if (name.split(/[^\p{L}\p{M}]+/u).some(isDisguised)) return 'has letters that imitate others';
  if (smallCapitals.test(name)) return 'has letters that imitate others';
  if (isReservedName(name)) return 'is reserved';
  if (isUrl(name)) return 'is a URL';
  // Only our page says whether a client is verified.
  if (/[✓✔☑✅🗸]/u.test(name) || splitWords(name).includes('verified')) return 'claims to be verified';
  return undefined;
}
