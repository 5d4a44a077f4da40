/**
 * Letters that pass for Latin ones, marked with their code points. Texts of other scripts stay as they are, also where they have Latin
 * words: a word is marked only where it mixes scripts that are not mixed, or where nothing else in the text is of its script.
 */

const latinLetter = /\p{Script=Latin}/u;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
/** Latin words stand beside letters of these scripts without a space, and none of them looks Latin. */
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const foreignLetter = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/u;
/** Not used beside Latin words but to imitate them. */
const rareLetter =
  /[\p{Script=Coptic}\p{Script=Lisu}\p{Script=Cherokee}\p{Script=Deseret}\p{Script=Osage}\p{Script=Glagolitic}]/u;
/** Cyrillic, Greek and Armenian letters with the shape of a Latin one. */
const lookAlike = /^[авекмнорстухігпјһѕԁԛԝѵӏүАВЕКМНОРСТУХІЈҺЅԌԚԜѴӀҮοναικρτυχηωεϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹօոսցհզյԼՕՍՏՑ]$/u;
/** Letters of phonetic alphabets; those of African and Asian languages are left out. */
const phoneticLetter =
  /(?![\u0253\u0254\u0256\u0257\u0259\u025B\u0272])[\u0184\u0185\u01C0-\u01C3\u0250-\u02AF\u1D00-\u1DBF\uA720-\uA7FF\uAB30-\uAB6F]/u;
/** Letters and digits in another style: full-width, mathematical, enclosed, ligatures. */
const styledLetter = /[\p{L}\p{Nd}\p{Nl}\u24B6-\u24E9\u{1F130}-\u{1F189}]/u;
const unusual = /[\u017F\u0184\u0185\u01C0-\u01C3]|[^\p{ASCII}\u0080-\u024F]/u;

/** Accented letters are only written in another form. */
function isStyled(letter: string): boolean {
  const plain = letter.normalize('NFKC');
  return (
    plain !== letter && styledLetter.test(letter) && letter.normalize('NFD') === letter && /[A-Za-z0-9]/.test(plain)
  );
}

function isLookAlikeWord(letters: string): boolean {
  return [...letters].every((letter) => lookAlike.test(letter) || /[\p{M}\p{N}_]/u.test(letter));
}

/** Whether a text is Latin, so that a word of another script in it, all of whose letters look Latin, is an imitation. */
export function isLatinText(text: string): boolean {
  if (!latinLetter.test(text)) return false;
  return (text.match(word) ?? []).every(
    (letters) =>
      !foreignLetter.test(letters) || latinLetter.test(letters) || rareLetter.test(letters) || isLookAlikeWord(letters),
  );
}

function shouldMark(letter: string, letters: string, isInLatinText: boolean): boolean {
  if (isStyled(letter) || phoneticLetter.test(letter)) return true;
  if (!foreignLetter.test(letter) || unspacedScript.test(letter)) return false;
  if (latinLetter.test(letters)) return true;
  return isInLatinText && (rareLetter.test(letter) || isLookAlikeWord(letters));
}

export function toCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** `isInLatinText`: whether the text to which this one belongs is Latin. */
export function markConfusableLetters(text: string, isInLatinText = isLatinText(text)): string {
  if (!unusual.test(text)) return text;
  const mark = (letter: string): string => `⟦${letter}=${toCodePoint(letter)}⟧`;
  return text.replaceAll(/[\p{L}\p{M}\p{N}_\u24B6-\u24E9\u{1F130}-\u{1F189}]+/gu, (letters) =>
    unusual.test(letters)
      ? [...letters].map((letter) => (shouldMark(letter, letters, isInLatinText) ? mark(letter) : letter)).join('')
      : letters,
  );
}
