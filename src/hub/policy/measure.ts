/** How deep arguments go at most: deeper ones are refused before anything walks through them. */
export const mostDepth = 64;

/**
 * About how many bytes of JSON a value takes; undefined where it is nested too deep. Stops behind `most`.
 */
export function sizeOf(value: unknown, most: number, depth = 0): number | undefined {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth >= mostDepth) return undefined;
  let size = 2;
  for (const [name, part] of Object.entries(value)) {
    const inner = sizeOf(part, most - size, depth + 1);
    if (inner === undefined) return undefined;
    size += inner + (Array.isArray(value) ? 1 : name.length + 4);
    if (size > most) return size;
  }
  return size;
}
