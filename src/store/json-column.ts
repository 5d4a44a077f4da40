/** Columns that hold a JSON list. This program writes them; an element of another type is left out, not trusted. */

function parseList(json: string): readonly unknown[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list : [];
}

export function parseTexts(json: string): string[] {
  return parseList(json).filter((element) => typeof element === 'string');
}

export function parseIds(json: string): number[] {
  return parseList(json).filter((element) => typeof element === 'number');
}
