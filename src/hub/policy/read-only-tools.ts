/** Which tools say that they only read. */
import { isObject } from '../../json/json-object.ts';
import type { DefinitionPinRow } from '../../store/control/hubs/definition-pins.ts';

const readOnlyCache = new WeakMap<DefinitionPinRow, boolean>();

export function isReadOnlyTool(pin: DefinitionPinRow): boolean {
  const cached = readOnlyCache.get(pin) ?? hasReadOnlyHint(pin);
  readOnlyCache.set(pin, cached);
  return cached;
}

function hasReadOnlyHint({ approved }: DefinitionPinRow): boolean {
  return approved !== null && isDeclaredReadOnly(JSON.parse(approved));
}

/** Whether a definition says that its tool only reads. */
export function isDeclaredReadOnly(definition: unknown): boolean {
  return isObject(definition) && isObject(definition.annotations) && definition.annotations.readOnlyHint === true;
}
