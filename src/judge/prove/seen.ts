import { isList, isObject, stringForm } from '../../check/bounded.ts';
import type { Json, Observed } from '../../check/observed.ts';

/**
 * A text or number as checks see it: without the target's secrets. Changes begin from that, because a secret with another last
 * letter is not concealed any more, and a pattern could ask for it letter by letter.
 */
export function seenAs(value: Json, { conceal }: Pick<Observed, 'conceal'>): Json {
  if (!conceal || isList(value) || isObject(value)) return value;
  const text = stringForm(value);
  const shown = conceal(text);
  return shown === text ? value : shown;
}
