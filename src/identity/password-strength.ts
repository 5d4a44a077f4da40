/** Which passwords are refused: short ones, and ones that a guesser tries early. The dictionary is loaded when asked. */
import { vpError } from '../errors/vp-error.ts';

const leastCharacters = 12;
/** Guessers get this far within hours at our cost of a guess (zxcvbn's score 3). */
const leastScore = 3;
/** The rest of a longer one only adds to it, and looking costs time. */
const lookedAt = 64;

type Strength = (password: string, personal: string[]) => { score: number };
let loaded: Promise<Strength> | undefined;

async function load(): Promise<Strength> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: lookedAt });
  return (password, personal) => estimator.check(password, personal);
}

/** Words that belong to this person or product, which a guesser knows too; the longest first. */
function personalWords(about: readonly string[]): string[] {
  const words = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).map((word) => word.toLowerCase());
  const all = new Set([...words.filter((word) => word.length > 2), 'verification', 'platform']);
  return [...all].sort((a, b) => b.length - a.length);
}

/** What is left of a password when those words are taken out of it. */
function ownPart(password: string, words: readonly string[]): string {
  return words.reduce((rest, word) => rest.replaceAll(word, ''), password.toLowerCase());
}

/** Throws PASSWORD_WEAK for a password that must not be used; `about` is the person's name and email. */
export async function demandStrong(password: string, about: readonly string[]): Promise<void> {
  if ([...password].length < leastCharacters)
    throw vpError('PASSWORD_WEAK', { problem: `has fewer than ${leastCharacters} characters` });
  const words = personalWords(about);
  if ([...ownPart(password, words)].length < leastCharacters / 2)
    throw vpError('PASSWORD_WEAK', { problem: 'is made of your name, your email or the name of this product' });
  loaded ??= load();
  const strength = await loaded;
  if (strength(password, words).score >= leastScore) return;
  throw vpError('PASSWORD_WEAK', { problem: 'is among those that are guessed first' });
}
