/** What people type to find runs and scenarios: `tag:smoke owner:"Checkout team" version:2.4 path:/orders refused "got 503"`. */
import type { RunSearchFilter } from './runs.ts';

/** As in the contract, whose schemas are not loaded here. */
const maxTexts = 8;
const maxTextLength = 200;

const terms = {
  tag: 'tag',
  owner: 'owner',
  version: 'target_version',
  branch: 'branch',
  commit: 'commit',
  failure: 'failure',
  schedule: 'schedule',
  path: 'path',
} as const satisfies Readonly<Record<string, keyof RunSearchFilter>>;

/** Values that the control plane would refuse; the term is a text then. */
const validValues: Readonly<Partial<Record<keyof typeof terms, RegExp>>> = {
  version: /^[!-~](?:[ -~]{0,98}[!-~])?$/,
  failure: /^[0-9a-f]{16}$/,
};

/** A name with a value in quotes or without, or a text. A quote without its end ends with the text. */
const tokenPattern = /(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/g;

function isTermName(name: string | undefined): name is keyof typeof terms {
  return name !== undefined && Object.hasOwn(terms, name);
}

/** `tag:`, before its value is typed. */
function isEmptyTerm(text: string): boolean {
  return text.endsWith(':') && isTermName(text.slice(0, -1));
}

/** Reads what was typed. Of repeated terms the last counts, but all tags do. */
export function parseFindQuery(find: string): RunSearchFilter {
  const [texts, tags]: [string[], string[]] = [[], []];
  const single: Partial<Record<Exclude<keyof RunSearchFilter, 'tag' | 'text'>, string>> = {};
  for (const [token, name, quoted, plain] of find.matchAll(tokenPattern)) {
    const value = (quoted ?? plain ?? '').slice(0, maxTextLength);
    const isTerm = isTermName(name) && (value === '' || (validValues[name]?.test(value) ?? true));
    const text = name === undefined ? value : token.slice(0, maxTextLength);
    if (isTerm && value !== '' && name === 'tag') tags.push(value);
    else if (isTerm && value !== '' && name !== 'tag')
      single[terms[name]] = name === 'path' && value[0] !== '/' ? `/${value}` : value;
    else if (!isTerm && text !== '' && !isEmptyTerm(text)) texts.push(text);
  }
  return {
    ...single,
    ...(tags.length === 0 ? {} : { tag: tags.slice(0, maxTexts) }),
    ...(texts.length === 0 ? {} : { text: texts.slice(0, maxTexts) }),
  };
}
