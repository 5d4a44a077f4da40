/** The words that docs/contributing/language.md retires, as identifiers and as parts of them. */
import type { SourceFile } from './source-files.ts';

/** Identifiers that language.md retires, as whole words and as parts of compound names. */
const retired =
  /\b(?:told|told[A-Z]\w*|Told\w*|asked|asked[A-Z]\w*|Asked\w*|asking|Asking|kept|kept[A-Z]\w*|Kept\w*|demand[A-Z]\w*|most[A-Z]\w*|shown|shown[A-Z]\w*|Shown\w*|begun|begun[A-Z]\w*|Begun\w*|heard|heard[A-Z]\w*|hearing|Found|Place|Places|placed|Placed|Giving|giving|Trying|trying|Flying|flying|Patience|patience|Insistence|insistence|Leg|Legs|sift\w*|lookBeside|beside|knocks|house|House|town|Town|harms|rubbish|nobody|somebody|whoever|leaving|wordsOf|Words)\b/g;

/** Members of `--json` documents, whose names do not change. */
const wireMembers = /\bkept\??:|\bfacts\.kept\b/g;
/** Text between tags. */
const jsxText = /[>}][^<>={};]*[<{]/g;

export function findRetiredIdentifiers({ code }: SourceFile): ReadonlySet<string> {
  return new Set(code.replaceAll(wireMembers, '').replaceAll(jsxText, '').match(retired));
}

/** Words that language.md retires, in any form of an identifier: `isTold`, `#tell`, `told_at`. */
const retiredWords = new Set([
  ...['told', 'tell', 'tells', 'telling', 'asked', 'shown', 'began', 'begun', 'heard', 'hearing', 'wanted'],
  ...[
    'demand',
    'demands',
    'carry',
    'carries',
    'carried',
    'witness',
    'rig',
    'odd',
    'rubbish',
    'knock',
    'knocks',
    'door',
  ],
  ...['insist', 'insistence', 'patience', 'flying', 'giving', 'trying', 'leaving', 'beside', 'nobody', 'somebody'],
  ...['whoever', 'house', 'town', 'harms', 'sift', 'unbegun'],
]);
/** Members of documents and journals, and a schema of the API: their names do not change. */
const wireNames = new Set(['asked_id', 'HubTokenShown']);

export function hasRetiredWord(name: string): boolean {
  // Codes of errors and environment variables are in capitals.
  if (wireNames.has(name) || name === name.toUpperCase()) return false;
  return name.split(/(?<=[a-z\d])(?=[A-Z])|_/).some((word) => retiredWords.has(word.toLowerCase()));
}

export function findNamesWithRetiredWords({ code }: SourceFile): readonly string[] {
  const names = new Set(code.replaceAll(jsxText, '').match(/[A-Za-z_$][\w$]*/g));
  return [...names].filter(hasRetiredWord);
}
