import { exactText } from '../words/moments.ts';

/** How far a search has come that may find more: a look ends after so many calls, however few of them are like what was asked. */
export function lookedText(found: number, lookedUntil: string, isFiltered: boolean): string {
  const like = isFiltered ? ' like that' : '';
  const so = found === 0 ? `No call${like}` : `These are all calls${like}`;
  return `${so} since ${exactText(lookedUntil)}. Earlier ones have not been looked at yet.`;
}
