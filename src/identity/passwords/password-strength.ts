/** Rejects short and easily guessed passwords. The dictionary is loaded at first use. */
import { vpError } from '../../errors/vp-error.ts';

const minCharacters = 12;
/** zxcvbn's score 3: passwords below it are guessed within hours at our cost per guess. */
const minScore = 3;
/** Further characters only add strength, and estimating them costs time. */
const maxScoredCharacters = 64;

type StrengthEstimator = (password: string, personalTerms: string[]) => { score: number };
let estimatorLoading: Promise<StrengthEstimator> | undefined;

async function loadEstimator(): Promise<StrengthEstimator> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: maxScoredCharacters });
  return (password, personalTerms) => estimator.check(password, personalTerms);
}

/** Terms of this person or product, which an attacker also knows; the longest first. */
function listPersonalTerms(personalTexts: readonly string[]): string[] {
  const terms = personalTexts
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .map((term) => term.toLowerCase());
  const allTerms = new Set([...terms.filter((term) => term.length > 2), 'verification', 'platform']);
  return [...allTerms].sort((a, b) => b.length - a.length);
}

/** The part of a password that remains without the terms. */
function removeTerms(password: string, terms: readonly string[]): string {
  return terms.reduce((remaining, term) => remaining.replaceAll(term, ''), password.toLowerCase());
}

/** Throws PASSWORD_WEAK; `personalTexts` are the person's name and email. */
export async function assertStrongPassword(password: string, personalTexts: readonly string[]): Promise<void> {
  if ([...password].length < minCharacters)
    throw vpError('PASSWORD_WEAK', { problem: `has fewer than ${minCharacters} characters` });
  const terms = listPersonalTerms(personalTexts);
  if ([...removeTerms(password, terms)].length < minCharacters / 2)
    throw vpError('PASSWORD_WEAK', { problem: 'consists of your name, your email or the name of this product' });
  estimatorLoading ??= loadEstimator();
  const estimateStrength = await estimatorLoading;
  if (estimateStrength(password, terms).score >= minScore) return;
  throw vpError('PASSWORD_WEAK', { problem: 'is easy to guess' });
}
