/** Access to the browser's clock, randomness and storage. No other file of the console uses them. */

export function nowMs(): number {
  return Date.now();
}

export function createUniqueId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** Returns undefined if nothing is stored or the browser denies storage. */
export function readStorage(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value, or removes it if undefined. Returns false if the browser denies storage or has no room. */
export function tryWriteStorage(name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

/** The same where it does not matter whether it succeeds. */
export function writeStorage(name: string, value: string | undefined): void {
  tryWriteStorage(name, value);
}

/** The names of stored values that begin with `prefix`. */
export function listStorage(prefix: string): readonly string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

const idleDelayMs = 1_000;

/** Calls `action` when the page is at rest; the returned function prevents it. Safari does not say when that is. */
export function callWhenIdle(action: () => void): () => void {
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(action, idleDelayMs);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(action);
  return () => cancelIdleCallback(handle);
}

/** Offers a text as a file to save. */
export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
