/** Checks of the body, by the value that they name, with its changes. */
import { bounded, stringForm } from '../../check/bounded.ts';
import { type Check, looksAt } from '../../check/kinds.ts';
import type { Json, Observed } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import { aloneAt, replacedAt, stepsOf, valuesAlong } from './body-path.ts';
import type { Change, Group } from './change.ts';
import { seenAs } from './seen.ts';
import { otherValues } from './value-changes.ts';
import { copyCost, costOf, type Work } from './work.ts';

/** A value that checks name. */
export type BodyPlace = {
  readonly pointer: string;
  readonly steps: readonly string[];
  /** Its field as the first of the checks writes it. */
  readonly name: string;
  /** The values on the way to it, the body first, itself last. */
  readonly way: readonly Json[];
  /** As checks see it. */
  readonly value: Json;
  /** The checks that name it, by their place in the scenario. */
  readonly owners: readonly number[];
  /** Characters of the value, about. */
  readonly size: number;
  /** True where a key of the body holds a dot: another reading may take the place of what is gone. */
  readonly hasReadings: boolean;
};

/** Units that asking a check about a change within what it reads may cost. */
const mostAsked = 100_000;

/** The field that a check of the body names, as written; undefined for other checks. */
export function fieldOf(check: Check): { readonly text: string; readonly steps: number } | undefined {
  if (!('field' in check) || looksAt(check) !== 'response') return undefined;
  return { text: check.field.text, steps: check.field.steps.length };
}

/** The values that passed checks name, by their pointers; none where there is no JSON body. */
export function placesOf(
  checks: readonly JudgedCheck[],
  observed: Observed,
  work: Work,
): ReadonlyMap<string, BodyPlace> {
  const places = new Map<string, BodyPlace & { owners: number[] }>();
  for (const [index, { check, outcome }] of checks.entries()) {
    const field = fieldOf(check);
    const pointer = outcome?.pointer;
    if (!field || pointer === undefined) continue;
    const known = places.get(pointer);
    if (known) known.owners.push(index);
    else {
      const place = placeAt(pointer, field, observed, work);
      if (place) places.set(pointer, { ...place, owners: [index] });
    }
  }
  return places;
}

function placeAt(
  pointer: string,
  field: { text: string; steps: number },
  observed: Observed,
  work: Work,
): Omit<BodyPlace, 'owners'> | undefined {
  if (observed.body.kind !== 'json') return undefined;
  const steps = stepsOf(pointer);
  const way = valuesAlong(observed.body.value, steps);
  const last = way?.at(-1);
  if (!way || last === undefined) return undefined;
  const value = seenAs(last, observed);
  return {
    pointer,
    steps,
    name: field.text,
    way,
    value,
    size: work.sizeOf(value),
    hasReadings: steps.length < field.steps,
  };
}

/** A group for each value that is named. */
export function bodyGroups(
  places: ReadonlyMap<string, BodyPlace>,
  checks: readonly JudgedCheck[],
  observed: Observed,
): readonly Group[] {
  const related = relatedTo(places, checks);
  return [...places.values()].map((place) => {
    const { above, below } = related.get(place.pointer) ?? { above: [], below: [] };
    const beside = above.length > 0 || place.hasReadings;
    const changes = [...changesOf(place, beside), ...withoutTexts(place, checks, changer(place, beside), observed)];
    return { owners: place.owners, changes, others: [...above, ...below] };
  });
}

type Related = { readonly above: Group['others'][number][]; readonly below: Group['others'][number][] };

/**
 * Checks of values around each value, and within it. That something is there is not changed by what is in it; and what reads
 * a large part of the body is not asked about each of its values.
 */
function relatedTo(places: ReadonlyMap<string, BodyPlace>, checks: readonly JudgedCheck[]) {
  const related = new Map<string, Related>([...places.keys()].map((pointer) => [pointer, { above: [], below: [] }]));
  for (const place of places.values()) {
    for (const outer of around(place, places)) {
      const reading = outer.owners.filter((index) => readsAround(checks[index], outer.size) === 'asked');
      related.get(place.pointer)?.above.push(...reading.map((index) => ({ index, size: outer.size })));
      related.get(outer.pointer)?.below.push(...place.owners.map((index) => ({ index, size: place.size })));
    }
  }
  return related;
}

/** How a check of a value of `size` characters is held against changes within it. */
export function readsAround(entry: JudgedCheck | undefined, size: number): 'never' | 'asked' | 'too_costly' {
  if (!entry || entry.check.kind === 'exists') return 'never';
  return costOf(entry.check, size) <= mostAsked ? 'asked' : 'too_costly';
}

/** The named values that hold this one. */
function around({ pointer }: BodyPlace, places: ReadonlyMap<string, BodyPlace>): BodyPlace[] {
  const found: BodyPlace[] = [];
  for (let end = pointer.lastIndexOf('/'); end >= 0; end = pointer.lastIndexOf('/', end - 1)) {
    const place = places.get(pointer.slice(0, end));
    if (place) found.push(place);
    if (end === 0) break;
  }
  return found;
}

/** `beside`: what stands beside the value may be looked at. */
export function changesOf(place: Omit<BodyPlace, 'owners' | 'pointer' | 'hasReadings'>, beside: boolean): Change[] {
  const { name, value, size } = place;
  const changed = changer(place, beside);
  const others = otherValues(value).map(({ words, isWhole, make }): Change => {
    const change = changed(`\`${name}\` ${words}`, 'content', make);
    return isWhole ? { ...change, cost: change.cost + copyCost(value), size } : change;
  });
  return [changed(`\`${name}\` is gone`, 'presence', () => undefined), ...others];
}

/** For each text that a check looks for: the value without it. */
function withoutTexts(
  { owners, name, size, value }: BodyPlace,
  checks: readonly JudgedCheck[],
  changed: ReturnType<typeof changer>,
  { conceal }: Observed,
): Change[] {
  return owners.flatMap((index): Change[] => {
    const check = checks[index]?.check;
    if (check?.kind !== 'contains') return [];
    const make = (): string => {
      const text = stringForm(value);
      return (conceal?.(text) ?? text).replaceAll(check.text, '');
    };
    const change = changed(`\`${name}\` is without \`${bounded(check.text)}\``, 'content', make);
    return [{ ...change, cost: change.cost + size, size }];
  });
}

/** Makes changes that put another value in the place, or none. */
function changer({ steps, way }: Pick<BodyPlace, 'steps' | 'way'>, beside: boolean) {
  const put = beside ? replacedAt : aloneAt;
  const cost = beside ? way.slice(0, -1).reduce((sum: number, holder) => sum + copyCost(holder), 0) : 100;
  return (words: string, touches: Change['touches'], make: () => Json | undefined): Change => ({
    words,
    touches,
    cost,
    size: touches === 'presence' ? 0 : 10,
    apply: (observed) => withBody(observed, put(way[0] ?? null, steps, make())),
  });
}

function withBody(observed: Observed, value: Json | undefined): Observed {
  return { ...observed, body: value === undefined ? { kind: 'empty' } : { kind: 'json', value } };
}
