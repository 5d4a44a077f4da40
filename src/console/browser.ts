/** What the browser gives: time, randomness, storage. The only file of the console that reads them. */

/** Milliseconds since 1970, by the browser's clock. */
export function nowMs(): number {
  return Date.now();
}

/** A text that nobody else makes. */
export function uniqueText(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** A value that this browser keeps for this origin; undefined where there is none, or where storage is refused. */
export function stored(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a value, or forgets it when undefined. Refused storage is borne: the value then lasts as long as the page. */
export function store(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {}
}
