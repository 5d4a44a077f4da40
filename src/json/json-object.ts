/** An object with members, as JSON has them: not null and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined when the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function hasMembers(value: object): boolean {
  for (const _name in value) return true;
  return false;
}

/** A copy without these members. Destructuring with names that are not known in advance takes several times as long. */
export function omitMembers(
  value: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const name in value)
    if (!names.has(name)) {
      if (name === '__proto__') Object.defineProperty(rest, name, { value: value[name], ...ordinaryMember });
      else rest[name] = value[name];
    }
  return rest;
}

const ordinaryMember = { configurable: true, enumerable: true, writable: true } as const;
