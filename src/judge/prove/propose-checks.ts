/** Several responses to the same request → checks that hold on all of them, and would fail on others. */
import { formatFieldPath } from '../../check/json/format-field-path.ts';
import { isList, isObjectValue, type Json, Numeral, toStringForm } from '../../check/json/json.ts';
import { checkKinds } from '../../check/kinds.ts';
import { emptyObservation, type Observation } from '../../check/observation.ts';
import { suggestTest } from '../../check/subjects/suggest-test.ts';
import { findRelation } from './related-fields.ts';
import { findPassingCheckText } from './suggest.ts';

/** A response that was seen, live or in a recording. */
export type SeenResponse = Pick<Observation, 'status' | 'headers' | 'body'>;

/** `notes` say what was left out, and why. */
export type ProposedChecks = { readonly checks: readonly string[]; readonly notes: readonly string[] };

/** Checks of a body, besides the status. */
const maxBodyChecks = 12;
/** An object with at most so many members is checked member by member. */
const maxOpenedMembers = 6;

/** A value of the first response, by its steps from the root. `isItem`: it is within a list, so it is data. */
type Member = {
  /** The object that it is in; undefined for an item of a list. */
  readonly around?: Json;
  readonly key?: string;
  readonly steps: readonly string[];
  readonly isIndex: readonly boolean[];
  readonly value: Json;
  readonly isItem: boolean;
};

/** Empty `checks` where the responses differ in their status. A value that contains one of `secrets` is never written. */
export function proposeChecks(responses: readonly SeenResponse[], secrets: readonly string[]): ProposedChecks {
  const statuses = [...new Set(responses.map(({ status }) => status))];
  if (statuses.length !== 1)
    return { checks: [], notes: [`the status differed between requests: ${statuses.join(', ')}`] };
  const observations = responses.map(toObservation);
  const bodies = responses.map(({ body }) => body);
  const [first] = bodies;
  const status = `status=${statuses[0]}`;
  if (first?.kind !== 'json' || bodies.some(({ kind }) => kind !== 'json'))
    return { checks: [status], notes: [describeUncheckedBody(first?.kind)] };
  const members = listMembers(first.value);
  const checks: string[] = [];
  const notes: string[] = [];
  for (const member of members) {
    const field = formatFieldPath(first.value, member.steps, member.isIndex);
    if (field === undefined) continue;
    const relation = relate(field, member, first.value);
    const check = proposeCheck(field, member, observations, { secrets, relation });
    if (check === undefined) notes.push(`\`${field}\` is left out: it was not in every response`);
    else checks.push(check);
  }
  notes.push(...describeLimits(first.value, members.length, checks.length));
  return { checks: [status, ...checks.slice(0, maxBodyChecks)], notes };
}

function toObservation({ status, headers, body }: SeenResponse): Observation {
  return { ...emptyObservation, status, headers, body };
}

function describeUncheckedBody(kind: 'json' | 'empty' | 'not_json' | undefined): string {
  return kind === 'empty'
    ? 'the response has no body: only its status is checked'
    : 'the body is not JSON in every response: only the status is checked';
}

function describeLimits(root: Json, members: number, checks: number): string[] {
  const notes: string[] = [];
  if (checks > maxBodyChecks) notes.push(`${checks - maxBodyChecks} further fields are left out`);
  if (isList(root) && members > 0) notes.push('the checks need at least one item in the list');
  if (members === 0) notes.push(`the body is ${isList(root) ? 'an empty list' : 'empty'}: only the status is checked`);
  return notes;
}

/** The members of the body, of its first item where it is a list, and of small objects in it. */
function listMembers(root: Json): readonly Member[] {
  if (isList(root)) {
    const [item] = root;
    if (item === undefined) return [];
    const itself = { steps: ['0'], isIndex: [true], value: item, isItem: true };
    return isObjectValue(item) ? openObject(itself, false) : [itself];
  }
  return isObjectValue(root) ? openObject({ steps: [], isIndex: [], value: root, isItem: false }, true) : [];
}

function openObject({ steps, isIndex, value, isItem }: Member, opensNested: boolean): Member[] {
  if (!isObjectValue(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const own = { steps: [...steps, key], isIndex: [...isIndex, false], value: child, isItem };
    const member = { ...own, around: value, key };
    const size = isObjectValue(child) ? Object.keys(child).length : 0;
    return opensNested && size > 0 && size <= maxOpenedMembers ? openObject(member, false) : [member];
  });
}

/** What a number is of others beside it: a pattern would pass for any other number. */
function relate(field: string, { around, key, steps, isIndex, value }: Member, root: Json): string | undefined {
  const relation = around === undefined || key === undefined ? undefined : findRelation(around, key, value);
  if (!relation?.holds) return undefined;
  const toPath = (name: string): string =>
    formatFieldPath(root, [...steps.slice(0, -1), name], [...isIndex.slice(0, -1), false]) ?? name;
  return `body ${field} equals ${relation.format(toPath)}`;
}

/** The most precise check that holds on every response. */
function proposeCheck(
  field: string,
  { value, isItem }: Member,
  observations: readonly Observation[],
  { secrets, relation }: { readonly secrets: readonly string[]; readonly relation: string | undefined },
): string | undefined {
  const text = toStringForm(value);
  const isSecret = secrets.some((secret) => secret !== '' && text.includes(secret));
  const tests = isSecret ? [] : [...listTests(value, field, isItem), ...listGeneralTests(value)];
  const candidates = [
    ...(relation === undefined ? [] : [relation]),
    ...tests.map((test) => `body has ${field} ${test}`),
    `body has ${field}`,
  ];
  return candidates.find((candidate) =>
    observations.every((observation) => findPassingCheckText([candidate], observation, checkKinds) !== undefined),
  );
}

/** Data is checked by its type only: the next run may see other data. */
function listTests(value: Json, field: string, isItem: boolean): string[] {
  if (value === null) return [];
  if (isList(value)) return ['matching ^\\['];
  if (isObjectValue(value)) return ['matching ^\\{'];
  const test = suggestTest(value, field);
  return isItem && test.startsWith('equals ') ? [] : [test];
}

/** For values that differ between responses, such as times and counters. */
function listGeneralTests(value: Json): string[] {
  if (typeof value === 'boolean') return ['matching ^(true|false)$'];
  if (typeof value === 'number' || value instanceof Numeral)
    return ['matching ^-?[0-9]+(\\.[0-9]+)?$', 'matching ^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$'];
  return typeof value === 'string' ? ['matching \\S'] : [];
}
