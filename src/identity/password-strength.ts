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

/** Words that belong to this person or product, which a guesser knows too. */
function personalWords(about: readonly string[]): string[] {
  const words = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  return [
    ...words.map((word) => word.toLowerCase()).filter((word) => word.length > 1),
    'verification',
    'platform',
    'vp',
  ];
}

/** Throws PASSWORD_WEAK for a password that must not be used; `about` is the person's name and email. */
export async function demandStrong(password: string, about: readonly string[]): Promise<void> {
  if ([...password].length < leastCharacters)
    throw vpError('PASSWORD_WEAK', { problem: `has fewer than ${leastCharacters} characters` });
  loaded ??= load();
  const strength = await loaded;
  if (strength(password, personalWords(about)).score >= leastScore) return;
  throw vpError('PASSWORD_WEAK', { problem: 'is among those that are guessed first' });
}
